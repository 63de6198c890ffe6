import type { Section } from '../dashboard.js';
import { timeSeriesPanel } from '../panels.js';
import { largest } from '../queries.js';
import { dataAge } from '../silence.js';
import { units } from '../units.js';
import { itself } from './queries.js';

export const data: Section = {
  title: 'Data of the node',
  panels: [
    timeSeriesPanel({
      title: 'Age of the data',
      description:
        'Time since the data was fetched from the kubelet. Above cache.ttl (55 s by default) plus the scrape interval, the last request failed. It grows on while the node has no data.',
      unit: units.seconds,
      span: 12,
      queries: [{ expr: dataAge(itself), legend: 'Age' }],
    }),
    timeSeriesPanel({
      title: 'Missing and dangling pods',
      description:
        'Missing: pods that run on the node but are not in its summary. Dangling: pods of the summary that the API server does not know. Short peaks are pods that start and end.',
      unit: units.count,
      span: 12,
      decimals: 0,
      queries: [
        { expr: largest('node_pods_missing', ['node'], itself), legend: 'Missing' },
        { expr: largest('node_pods_dangling', ['node'], itself), legend: 'Dangling' },
      ],
    }),
  ],
};
