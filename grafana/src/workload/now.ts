import type { Section } from '../dashboard.js';
import { statPanel } from '../panels.js';
import {
  acrossShards,
  largest,
  limitRatios,
  secondsToLimit,
  workloadComplete,
  workloadGrowth,
  workloadLabels,
} from '../queries.js';
import { oneSteps, ratioSteps, thresholds, timeLeftSteps, words } from '../states.js';
import { units } from '../units.js';
import { inNamespaces, itself, ofItsPods } from './queries.js';

export const summary: Section = {
  title: 'Now',
  panels: [
    statPanel({
      title: 'Used',
      description: 'Sum over the measured pods. Too low while "Measured" is partial.',
      unit: units.bytes,
      span: 4,
      queries: [{ expr: acrossShards('workload_used_bytes', workloadLabels, itself), legend: '{{cluster}}' }],
    }),
    statPanel({
      title: 'Largest pod',
      description:
        'The pod with the highest usage. If it is far above the median below, open it from the table of pods.',
      unit: units.bytes,
      span: 4,
      queries: [{ expr: largest('workload_pod_max_used_bytes', workloadLabels, itself), legend: '{{cluster}}' }],
    }),
    statPanel({
      title: 'Measured',
      description:
        'Whether all running pods are measured. Partial: some run on a node without data, are missing from its summary, or have volumes that are not measured yet. All totals are too low then.',
      unit: units.none,
      span: 4,
      queries: [{ expr: workloadComplete(itself), legend: '{{cluster}}' }],
      mappings: words('all pods', 'partial'),
      thresholds: thresholds(oneSteps, 'red'),
    }),
    statPanel({
      title: 'Closest limit',
      description:
        'The highest usage of a limit among its pods. The kubelet evicts pods above 100 %. The table of limits shows which one it is.',
      unit: units.ratio,
      decimals: 0,
      span: 4,
      noValue: 'none found',
      queries: [{ expr: `max by (cluster) (${ofItsPods(limitRatios(inNamespaces))})`, legend: '{{cluster}}' }],
      thresholds: thresholds(ratioSteps),
    }),
    statPanel({
      title: 'Growth per hour',
      description:
        'Slope of a straight line through the totals of the past hour, at moments with all pods measured. Pods that start and end count too.',
      unit: units.bytes,
      span: 4,
      noValue: 'unknown',
      queries: [{ expr: workloadGrowth(itself.matchers), legend: '{{cluster}}' }],
    }),
    statPanel({
      title: 'First limit reached in',
      description:
        'Time until the first of its pods reaches a limit at the growth of the past hour; not expected without growth or if it would take more than 30 days. Red: less than an hour. Raise the limit or stop the growth.',
      unit: units.seconds,
      decimals: 0,
      span: 4,
      noValue: 'not expected',
      queries: [
        { expr: `min by (cluster) (${ofItsPods(secondsToLimit(inNamespaces.matchers))})`, legend: '{{cluster}}' },
      ],
      thresholds: thresholds(timeLeftSteps, 'red'),
    }),
  ],
};
