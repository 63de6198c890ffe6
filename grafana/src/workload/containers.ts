import type { Section } from '../dashboard.js';
import { timeSeriesPanel } from '../panels.js';
import { acrossShards, largest } from '../queries.js';
import { units } from '../units.js';
import { itself } from './queries.js';
import { rightSizing } from './right-sizing.js';

export const containers: Section = {
  title: 'Containers',
  panels: [
    timeSeriesPanel({
      title: 'Used by container',
      description:
        'Sum over the pods of what is attributed to the containers of each name: their own files and their share of volumes. Tells which container of the pod to look at.',
      unit: units.bytes,
      span: 12,
      stacked: true,
      queries: [
        {
          expr: acrossShards('workload_container_used_bytes', ['workload', 'container'], itself),
          legend: '{{cluster}} {{container}}',
        },
      ],
    }),
    timeSeriesPanel({
      title: 'Largest container of each name',
      description:
        'The largest value among all pods: what a limit of the container must allow. The advice below is made from it.',
      unit: units.bytes,
      span: 12,
      queries: [
        {
          expr: largest('workload_container_max_used_bytes', ['workload', 'container'], itself),
          legend: '{{cluster}} {{container}}',
        },
      ],
    }),
    rightSizing(),
  ],
};
