import type { Section } from '../dashboard.js';
import { evictionsOverTime, lastEvictions } from '../evictions.js';
import { drillDown } from '../links.js';
import { nodeEvictions, withinRange, workloadEvictions, workloadLabels } from '../queries.js';
import { tablePanel } from '../tables.js';
import { units } from '../units.js';

export const evictions: Section = {
  title: 'Evictions',
  panels: [
    evictionsOverTime({
      title: 'Evictions by cause',
      description:
        'Pods that kubelets evicted for their storage. Causes with "limit": a pod exceeded one of its limits. node_bytes, node_inodes: a node was low. node_admission: a pod was refused by such a node, and never ran.',
      span: 8,
      expr: nodeEvictions({}, '$__interval'),
    }),
    tablePanel({
      title: 'Evictions by workload',
      description:
        'The 20 workloads and causes with the most evictions within the time range. Click to open the workload. Causes with "limit": raise the limit, or find out what grows. Others: look at the nodes.',
      span: 16,
      noValue: 'none found',
      clusters: true,
      labels: [...workloadLabels, 'cause'],
      link: drillDown('workload', 'row', []),
      columns: [
        {
          title: 'Evictions',
          expr: `topk(20, ${withinRange(workloadEvictions())} > 0)`,
          unit: units.count,
          decimals: 0,
        },
      ],
    }),
    lastEvictions({
      title: 'Last evictions',
      description:
        'The last 20 evictions of the last hour, with the last measured usage and the limit that was exceeded. The status page and top evictions on the command line have older ones too, explain eviction shows more of each. Click to open the pod.',
      span: 24,
      clusters: true,
      details: ['node'],
      link: drillDown('pod', 'row', []),
    }),
  ],
};
