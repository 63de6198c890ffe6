import type { Section } from '../dashboard.js';
import { timeSeriesPanel } from '../panels.js';
import { acrossShards, largest, workloadLabels } from '../queries.js';
import { units } from '../units.js';
import { itself } from './queries.js';
import { rightSizing } from './right-sizing.js';

export const containers: Section = {
  title: 'Containers',
  panels: [
    timeSeriesPanel({
      title: 'Used by container',
      description:
        'Usage attributed to the containers of each name, summed over the pods: their files and their share of volumes. It shows which container to look at.',
      unit: units.bytes,
      span: 12,
      stacked: true,
      queries: [
        {
          expr: acrossShards('workload_container_used_bytes', [...workloadLabels, 'container'], itself),
          legend: '{{container}}',
        },
      ],
    }),
    timeSeriesPanel({
      title: 'Largest container of each name',
      description:
        'The largest value among all pods: a limit of the container must allow it. The recommendations below are based on it.',
      unit: units.bytes,
      span: 12,
      queries: [
        {
          expr: largest('workload_container_max_used_bytes', [...workloadLabels, 'container'], itself),
          legend: '{{container}}',
        },
      ],
    }),
    rightSizing(),
  ],
};
