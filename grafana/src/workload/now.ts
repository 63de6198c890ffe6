import type { Section } from '../dashboard.js';
import {
  acrossShards,
  largest,
  limitRatios,
  secondsToFirstLimit,
  unmeasuredPods,
  withinRange,
  workloadComplete,
  workloadEvictions,
  workloadGrowth,
  workloadLabels,
} from '../queries.js';
import { lostInCluster, orLost, workloadWhole } from '../silence.js';
import { oneSteps, ratioSteps, thresholds, timeLeftSteps, word, words } from '../states.js';
import { statPanel } from '../stats.js';
import { units } from '../units.js';
import { inNamespaces, itself, ofItsPods } from './queries.js';

const unmeasured = orLost({ expr: `sum by (cluster) (${unmeasuredPods(itself)}) > 0`, what: 'unmeasured pods' });

export const summary: Section = {
  title: 'Now',
  panels: [
    statPanel({
      title: 'Used',
      description: 'Sum over the measured pods. Too low while "Measured" is partial.',
      unit: units.bytes,
      span: 6,
      query: { expr: acrossShards('workload_used_bytes', workloadLabels, itself) },
      unknown: unmeasured,
    }),
    statPanel({
      title: 'Largest pod',
      description:
        'The pod with the highest usage. If it is far above the median below, open it from the table of pods.',
      unit: units.bytes,
      span: 6,
      query: { expr: largest('workload_pod_max_used_bytes', workloadLabels, itself) },
      unknown: unmeasured,
    }),
    statPanel({
      title: 'Measured',
      description:
        'Whether all running pods are measured. Partial: some run on a node without data, are missing from its summary, or have volumes that are not measured yet. All totals are too low then. Unknown: an exporter of the cluster is not scraped.',
      unit: units.none,
      span: 6,
      noValue: 'unknown',
      query: { expr: workloadWhole(itself) },
      mappings: words('all pods', 'partial'),
      thresholds: thresholds(oneSteps, 'critical'),
    }),
    statPanel({
      title: 'Closest limit',
      description:
        'The highest usage of a limit among its pods. The kubelet evicts pods above 100 %. The table of limits shows which one it is.',
      unit: units.ratio,
      decimals: 0,
      span: 6,
      noValue: 'none found',
      query: { expr: `max by (cluster) (${ofItsPods(limitRatios(inNamespaces))})`, legend: 'closest' },
      thresholds: thresholds(ratioSteps),
      unknown: unmeasured,
    }),
    statPanel({
      title: 'Growth per hour',
      description:
        'The smaller of the growth of the past hour and of its last 15 minutes, at moments with all pods measured. Pods that start and end count too.',
      unit: units.bytes,
      span: 6,
      noValue: 'unknown',
      query: { expr: workloadGrowth(itself.matchers) },
    }),
    statPanel({
      title: 'First limit reached in',
      description:
        'Time until the first of its pods reaches a limit at its present growth; not expected without growth or if it would take more than 30 days. Red: less than an hour. Raise the limit or stop the growth.',
      unit: units.seconds,
      decimals: 0,
      span: 6,
      noValue: 'unknown',
      query: { expr: secondsToFirstLimit(inNamespaces.matchers, ofItsPods), legend: 'first' },
      mappings: [word(-1, 'not expected', 'unknown')],
      thresholds: thresholds(timeLeftSteps, 'critical'),
      unknown: unmeasured,
    }),
    statPanel({
      title: 'Unmeasured pods',
      description:
        'Running pods that are not measured: their node has no data, or they are missing from its summary. All totals are too low by them.',
      unit: units.count,
      decimals: 0,
      span: 6,
      query: { expr: `sum by (cluster) (${unmeasuredPods(itself)})` },
      thresholds: thresholds([[1, 'critical']]),
      unknown: lostInCluster,
    }),
    statPanel({
      title: 'Evictions',
      description:
        'Its pods that kubelets evicted for their storage within the time range. The last ones are listed below.',
      unit: units.count,
      decimals: 0,
      span: 6,
      query: {
        expr: `sum by (cluster) (${withinRange(workloadEvictions(itself))}) or 0 * group by (cluster) (${workloadComplete(itself)})`,
      },
      thresholds: thresholds([[1, 'warning']], 'unknown'),
    }),
  ],
};
