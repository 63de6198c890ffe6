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
      description: 'Sum over the measured pods. Partial when "Measured" says so.',
      unit: units.bytes,
      span: 4,
      queries: [{ expr: acrossShards('workload_used_bytes', workloadLabels, itself), legend: '{{cluster}}' }],
    }),
    statPanel({
      title: 'Largest pod',
      description:
        'The pod that uses most. Far above the median below: one pod is out of line; open it from the table of pods.',
      unit: units.bytes,
      span: 4,
      queries: [{ expr: largest('workload_pod_max_used_bytes', workloadLabels, itself), legend: '{{cluster}}' }],
    }),
    statPanel({
      title: 'Measured',
      description:
        'Whether all running pods were measured. Partial: some run on a node without data, are missing from its summary, or have volumes that are not measured yet; all sums are then too small.',
      unit: units.none,
      span: 4,
      queries: [{ expr: workloadComplete(itself), legend: '{{cluster}}' }],
      mappings: words('all pods', 'partial'),
      thresholds: thresholds(oneSteps, 'red'),
    }),
    statPanel({
      title: 'Closest limit',
      description:
        'The highest usage of a limit among its pods. Above 100 % the kubelet evicts the pod. See the table of limits for which.',
      unit: units.ratio,
      decimals: 0,
      span: 4,
      noValue: 'none known',
      queries: [{ expr: `max by (cluster) (${ofItsPods(limitRatios(inNamespaces))})`, legend: '{{cluster}}' }],
      thresholds: thresholds(ratioSteps),
    }),
    statPanel({
      title: 'Growth per hour',
      description:
        'Slope of a straight line through the sums of the past hour, of moments at which all pods were measured. Starting and ending pods count.',
      unit: units.bytes,
      span: 4,
      noValue: 'unknown',
      queries: [{ expr: workloadGrowth(itself.matchers), legend: '{{cluster}}' }],
    }),
    statPanel({
      title: 'First limit reached in',
      description:
        'Time until the first of its pods reaches one of its limits, if the trend of the past hour goes on; not foreseen when nothing grows or it would take more than 30 days. Red: less than an hour. Raise the limit or stop the growth before.',
      unit: units.seconds,
      decimals: 0,
      span: 4,
      noValue: 'not foreseen',
      queries: [
        { expr: `min by (cluster) (${ofItsPods(secondsToLimit(inNamespaces.matchers))})`, legend: '{{cluster}}' },
      ],
      thresholds: thresholds(timeLeftSteps, 'red'),
    }),
  ],
};
