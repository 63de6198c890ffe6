import type { Section } from '../dashboard.js';
import { drillDown } from '../links.js';
import { largest } from '../queries.js';
import { listPanel } from '../tables.js';
import { itself } from './queries.js';

export const about: Section = {
  title: 'About the pod',
  panels: [
    listPanel({
      title: 'The pod',
      description:
        'What the API server says. Static pods and pods of critical priority are never evicted for their limits. A click opens the node.',
      span: 12,
      height: 5,
      labels: ['node', 'phase', 'qos_class', 'priority_class', 'static', 'host_ip', 'uid'],
      link: drillDown('node', 'row'),
      expr: largest('pod_info', ['node', 'phase', 'qos_class', 'priority_class', 'static', 'host_ip', 'uid'], itself),
    }),
    listPanel({
      title: 'Belongs to',
      description:
        'The workloads that the pod counts in; it counts in each in full. A click opens the workload. None: no workload of the settings matches it.',
      span: 12,
      height: 5,
      noValue: 'none known',
      labels: ['workload'],
      link: drillDown('workload', 'row'),
      expr: largest('pod_workload_info', ['workload'], itself),
    }),
  ],
};
