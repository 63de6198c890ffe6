import type { Section } from '../dashboard.js';
import { drillDown } from '../links.js';
import { largest } from '../queries.js';
import { listPanel } from '../tables.js';
import { itself } from './queries.js';

const memberLabels = ['workload_namespace', 'workload', 'workload_type'];

export const about: Section = {
  title: 'About the pod',
  panels: [
    listPanel({
      title: 'Node',
      description:
        'The node that the pod runs on: what else is there, and how full its disks are. Click to open the node.',
      span: 8,
      height: 5,
      labels: ['node'],
      link: drillDown('node', 'row'),
      expr: largest('pod_used_bytes', ['node'], itself),
    }),
    listPanel({
      title: 'Workloads',
      description:
        'The workloads of the pod; it counts fully in each of them. None: no configured workload matches the pod. Click to open the workload.',
      span: 16,
      height: 5,
      noValue: 'none found',
      labels: memberLabels,
      link: drillDown('podWorkload', 'row'),
      expr: largest('pod_workload_info', memberLabels, itself),
    }),
  ],
};
