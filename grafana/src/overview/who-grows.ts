import type { Section } from '../dashboard.js';
import { drillDown } from '../links.js';
import { barsPanel } from '../panels.js';
import { podGrowth, workloadGrowth } from '../queries.js';
import { units } from '../units.js';

export const whoGrows: Section = {
  title: 'Who grows',
  panels: [
    barsPanel({
      title: 'Fastest growing workloads',
      description:
        'Bytes per hour, as a straight line through the past hour says, of the 15 workloads that grow most. New pods count as growth; moments with unmeasured pods do not. What grows without end has no rotation or no clean-up.',
      unit: units.bytes,
      span: 12,
      query: { expr: `topk(15, ${workloadGrowth()} > 0)`, legend: '{{cluster}} {{workload}}' },
      link: drillDown('workload', 'line'),
    }),
    barsPanel({
      title: 'Fastest growing pods',
      description:
        'Bytes per hour, as a straight line through the past hour says, of the 15 pods that grow most. Those without a limit grow until the node is full.',
      unit: units.bytes,
      span: 12,
      query: { expr: `topk(15, ${podGrowth()} > 0)`, legend: '{{cluster}} {{namespace}}/{{pod}}' },
      link: drillDown('pod', 'line'),
    }),
  ],
};
