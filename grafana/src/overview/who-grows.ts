import type { Section } from '../dashboard.js';
import { drillDown } from '../links.js';
import { inPool, only, podGrowth, podLabels, podsUsed, workloadGrowth } from '../queries.js';
import { tablePanel } from '../tables.js';
import { units } from '../units.js';

const fastestPods = `topk(10, ${inPool(podGrowth())} > 0)`;

export const whoGrows: Section = {
  title: 'Growth',
  panels: [
    tablePanel({
      title: 'Fastest growing workloads',
      description:
        'The 10 fastest growing workloads: the smaller of the growth of the past hour and of its last 15 minutes. New pods count as growth; moments with unmeasured pods are left out. Endless growth means that rotation or clean-up is missing. Click to open the workload.',
      span: 12,
      noValue: 'none found',
      clusters: true,
      labels: ['namespace', 'workload', 'workload_type'],
      link: drillDown('workload', 'row', []),
      columns: [{ title: 'Growth/h', expr: `topk(10, ${workloadGrowth()} > 0)`, unit: units.bytes, cell: 'bar' }],
    }),
    tablePanel({
      title: 'Fastest growing pods',
      description:
        'The 10 fastest growing pods: the smaller of the growth of the past hour and of its last 15 minutes. Pods without a limit grow until the node is full. Click to open the pod.',
      span: 12,
      noValue: 'none found',
      clusters: true,
      labels: ['namespace', 'pod'],
      hidden: ['node'],
      link: drillDown('pod', 'row', []),
      columns: [
        { title: 'Growth/h', expr: fastestPods, unit: units.bytes, cell: 'bar' },
        { title: 'Used', expr: only(podsUsed(), podLabels, fastestPods), unit: units.bytes },
      ],
    }),
  ],
};
