import type { Section } from '../dashboard.js';
import { drillDown } from '../links.js';
import { largest } from '../queries.js';
import { listPanel } from '../tables.js';
import { itself } from './queries.js';

const infoLabels = ['node', 'phase', 'qos_class', 'priority_class', 'static', 'host_ip', 'uid'];
const node = largest('pod_used_bytes', ['node'], itself);
const memberLabels = ['workload_namespace', 'workload', 'workload_type'];

export const about: Section = {
  title: 'About the pod',
  panels: [
    listPanel({
      title: 'The pod',
      description:
        'The node of the pod. Phase, QoS class, priority class and the other columns need metrics.profile: full. Static and critical pods are never evicted for their limits. Click to open the node.',
      span: 24,
      height: 5,
      labels: infoLabels,
      link: drillDown('node', 'row'),
      expr: `(${largest('pod_info', infoLabels, itself)}) or on (cluster, node) (${node})`,
    }),
    listPanel({
      title: 'Workloads',
      description:
        'The workloads of the pod; it counts fully in each of them. None: no configured workload matches the pod. Click to open the workload.',
      span: 24,
      height: 5,
      noValue: 'none found',
      labels: memberLabels,
      link: drillDown('podWorkload', 'row'),
      expr: largest('pod_workload_info', memberLabels, itself),
    }),
  ],
};
