import type { Section } from '../dashboard.js';
import { drillDown } from '../links.js';
import { barsPanel } from '../panels.js';
import { podGrowth, workloadGrowth, workloadLegend } from '../queries.js';
import { units } from '../units.js';

export const whoGrows: Section = {
  title: 'Growth',
  panels: [
    barsPanel({
      title: 'Fastest growing workloads',
      description:
        'Bytes per hour of the 15 fastest growing workloads, from a straight line through the past hour. New pods count as growth; moments with unmeasured pods are left out. Endless growth means that rotation or clean-up is missing.',
      unit: units.bytes,
      span: 12,
      query: { expr: `topk(15, ${workloadGrowth()} > 0)`, legend: workloadLegend },
      link: drillDown('workload', 'line'),
    }),
    barsPanel({
      title: 'Fastest growing pods',
      description:
        'Bytes per hour of the 15 fastest growing pods, from a straight line through the past hour. Pods without a limit grow until the node is full.',
      unit: units.bytes,
      span: 12,
      query: { expr: `topk(15, ${podGrowth()} > 0)`, legend: '{{cluster}} {{namespace}}/{{pod}}' },
      link: drillDown('pod', 'line'),
    }),
  ],
};
