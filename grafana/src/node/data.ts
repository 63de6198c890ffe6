import type { Section } from '../dashboard.js';
import { timeSeriesPanel } from '../panels.js';
import { largest, smallest } from '../queries.js';
import { listPanel } from '../tables.js';
import { units } from '../units.js';
import { itself } from './queries.js';

export const data: Section = {
  title: 'Data of the node',
  panels: [
    timeSeriesPanel({
      title: 'Age of the data',
      description:
        'Time since the figures were fetched from the kubelet. Above the TTL of the cache (55 s by default): the kubelet did not answer the last request. A gap: there was no data.',
      unit: units.seconds,
      span: 10,
      queries: [{ expr: smallest('node_summary_age_seconds', ['node'], itself), legend: 'Age {{cluster}}' }],
    }),
    timeSeriesPanel({
      title: 'Missing and dangling pods',
      description:
        'Pods that run here but are not in the summary, and pods in the summary that the API server does not know. Short peaks are starts and ends of pods.',
      unit: units.count,
      span: 8,
      queries: [
        { expr: largest('node_pods_missing', ['node'], itself), legend: 'Missing {{cluster}}' },
        { expr: largest('node_pods_dangling', ['node'], itself), legend: 'Dangling {{cluster}}' },
      ],
    }),
    listPanel({
      title: 'Why there is no data',
      description:
        'The reason why there is no data now. tls, unauthorized, forbidden: settings and rights of the exporter; timeout, connection, http_status: the node or the network; skipped: on purpose.',
      span: 6,
      noValue: 'none known',
      labels: ['node', 'reason'],
      expr: largest('node_absent_info', ['node', 'reason'], itself),
    }),
  ],
};
