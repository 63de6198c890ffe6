import type { Section } from '../dashboard.js';
import { limitsTable } from '../limits.js';
import { drillDown } from '../links.js';
import { timeSeriesPanel } from '../panels.js';
import { largest, only, podLabels, podsUsed, topAtEnd } from '../queries.js';
import { tablePanel } from '../tables.js';
import { units } from '../units.js';
import { inNamespaces, ofItsPods } from './queries.js';

const pods = ofItsPods(podsUsed(inNamespaces));
const biggestPods = `topk(20, ${pods})`;

export const itsPods: Section = {
  title: 'Pods',
  panels: [
    timeSeriesPanel({
      title: 'Distribution over pods',
      description:
        'Smallest, median, 95th percentile and largest pod. If all rise together, the workload grows; if only the largest rises, one pod does.',
      unit: units.bytes,
      span: 24,
      queries: [
        { expr: `max by (cluster) (${pods})`, legend: 'Largest' },
        { expr: `quantile by (cluster) (0.95, ${pods})`, legend: '95 % are below' },
        { expr: `quantile by (cluster) (0.5, ${pods})`, legend: 'Median' },
        { expr: `min by (cluster) (${pods})`, legend: 'Smallest' },
      ],
    }),
    tablePanel({
      title: 'Biggest pods',
      description: 'The 20 pods with the highest usage. Click to open the pod.',
      span: 10,
      noValue: 'none found',
      labels: ['pod'],
      details: ['namespace'],
      hidden: ['node'],
      link: drillDown('pod', 'row'),
      columns: [
        { title: 'Used', expr: biggestPods, unit: units.bytes },
        {
          title: 'Limit',
          expr: only(largest('pod_limit_bytes', podLabels, inNamespaces), podLabels, biggestPods),
          unit: units.bytes,
        },
      ],
    }),
    limitsTable({
      title: 'Closest to a limit',
      description:
        'The 20 limits of its pods with the highest usage. The kubelet evicts pods above 100 %. Raise the limit, or find out what grows.',
      span: 14,
      labels: ['pod', 'limit'],
      details: ['namespace'],
      hidden: ['node'],
      link: drillDown('pod', 'row'),
      matchers: inNamespaces.matchers,
      restrict: ofItsPods,
      near: '0',
      count: 20,
    }),
    timeSeriesPanel({
      title: 'Biggest pods over time',
      description: 'The 10 pods with the highest usage at the end of the time range.',
      unit: units.bytes,
      span: 24,
      queries: [
        {
          expr: topAtEnd(10, podLabels, (at) => ofItsPods(podsUsed({ ...inNamespaces, ...at }), at)),
          legend: '{{namespace}}/{{pod}}',
        },
      ],
      link: drillDown('pod', 'line'),
    }),
  ],
};
