import type { Section } from '../dashboard.js';
import {
  evictable,
  limitRatios,
  podsUsed,
  secondsToFirstLimit,
  unmeasuredPods,
  withinRange,
  workloadComplete,
  workloadEvictions,
} from '../queries.js';
import { lostInCluster, orLost } from '../silence.js';
import { noneSteps, ratioSteps, thresholds, timeLeftSteps, word } from '../states.js';
import { statPanel } from '../stats.js';
import { units } from '../units.js';
import { itself } from './queries.js';

const unmeasured = orLost({ expr: `sum by (cluster) (${unmeasuredPods(itself)}) > 0`, what: 'unmeasured pods' });
const ratios = evictable(limitRatios(itself));

export const summary: Section = {
  title: 'Now',
  panels: [
    statPanel({
      title: 'Used by pods',
      description: 'Ephemeral storage of all measured pods of the namespace.',
      unit: units.bytes,
      span: 6,
      query: { expr: `sum by (cluster) (${podsUsed(itself)})`, legend: 'used' },
      unknown: unmeasured,
    }),
    statPanel({
      title: 'Closest limit',
      description:
        'The highest usage of a limit among its pods; static and critical pods, which are never evicted, are left out. The kubelet evicts pods above 100 %.',
      unit: units.ratio,
      decimals: 0,
      span: 6,
      noValue: 'none found',
      query: { expr: `max by (cluster) (${ratios})`, legend: 'closest' },
      thresholds: thresholds(ratioSteps),
      unknown: unmeasured,
    }),
    statPanel({
      title: 'Near a limit',
      description:
        'Number of limits whose usage is above the share selected at the top; static and critical pods are left out. Not 0: see the table of limits.',
      unit: units.count,
      decimals: 0,
      span: 6,
      noValue: 'none found',
      query: { expr: `sum by (cluster) (${ratios} >= bool $near)`, legend: 'limits' },
      thresholds: thresholds([[1, 'warning']]),
      unknown: unmeasured,
    }),
    statPanel({
      title: 'First limit reached in',
      description:
        'Time until the first of its pods reaches a limit at its present growth; not expected without growth or if it would take more than 30 days.',
      unit: units.seconds,
      decimals: 0,
      span: 6,
      noValue: 'unknown',
      query: { expr: secondsToFirstLimit(itself.matchers, evictable), legend: 'first' },
      mappings: [word(-1, 'not expected', 'unknown')],
      thresholds: thresholds(timeLeftSteps, 'critical'),
      unknown: unmeasured,
    }),
    statPanel({
      title: 'Measured pods',
      description: 'Pods of the namespace with a usage. Their number falls while a node has no data.',
      unit: units.count,
      decimals: 0,
      span: 6,
      query: { expr: `count by (cluster) (${podsUsed(itself)})`, legend: 'measured' },
      unknown: unmeasured,
    }),
    statPanel({
      title: 'Partial workloads',
      description:
        'Workloads of the namespace with at least one running pod that is not measured: their totals are too low. Open them for the reason.',
      unit: units.count,
      decimals: 0,
      span: 6,
      query: { expr: `sum by (cluster) (1 - ${workloadComplete(itself)})` },
      thresholds: thresholds(noneSteps),
      unknown: lostInCluster,
    }),
    statPanel({
      title: 'Evictions',
      description: 'Pods of the namespace that kubelets evicted for their storage within the time range.',
      unit: units.count,
      decimals: 0,
      span: 6,
      query: {
        expr: `sum by (cluster) (${withinRange(workloadEvictions(itself))}) or 0 * group by (cluster) (${workloadComplete(itself)})`,
      },
      thresholds: thresholds([[1, 'warning']], 'unknown'),
    }),
    statPanel({
      title: 'Workloads',
      description: 'Workloads of the namespace that the exporter knows.',
      unit: units.count,
      decimals: 0,
      span: 6,
      query: { expr: `count by (cluster) (${workloadComplete(itself)})` },
    }),
  ],
};
