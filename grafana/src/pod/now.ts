import type { Section } from '../dashboard.js';
import { statPanel } from '../panels.js';
import { largest, limitRatios, podGrowth, podLabels, podsUsed, secondsToLimit } from '../queries.js';
import { ratioSteps, thresholds, timeLeftSteps } from '../states.js';
import { units } from '../units.js';
import { itself } from './queries.js';

export const summary: Section = {
  title: 'Now',
  panels: [
    statPanel({
      title: 'Used',
      description: 'What the kubelet holds against the limit of the pod.',
      unit: units.bytes,
      span: 4,
      queries: [{ expr: podsUsed(itself), legend: '{{cluster}} {{node}}' }],
    }),
    statPanel({
      title: 'Limit',
      description:
        'Sum of the limits of its containers, as the kubelet adds them up. None: nothing stops the pod before the node is full; set one.',
      unit: units.bytes,
      span: 4,
      noValue: 'none known',
      queries: [{ expr: largest('pod_limit_bytes', podLabels, itself), legend: '{{cluster}} {{node}}' }],
    }),
    statPanel({
      title: 'Closest limit',
      description: 'Highest usage of one of its limits. Above 100 % the kubelet evicts the pod.',
      unit: units.ratio,
      decimals: 0,
      span: 4,
      noValue: 'none known',
      queries: [{ expr: `max by (cluster) (${limitRatios(itself)})`, legend: '{{cluster}}' }],
      thresholds: thresholds(ratioSteps),
    }),
    statPanel({
      title: 'Limit reached in',
      description:
        'Time until the first of its limits is reached, if the trend of the past hour goes on; not foreseen when nothing grows or it would take more than 30 days.',
      unit: units.seconds,
      decimals: 0,
      span: 4,
      noValue: 'not foreseen',
      queries: [{ expr: `min by (cluster) (${secondsToLimit(itself.matchers)})`, legend: '{{cluster}}' }],
      thresholds: thresholds(timeLeftSteps, 'red'),
    }),
    statPanel({
      title: 'Growth per hour',
      description: 'Slope of a straight line through the past hour. Below 0: it cleans up.',
      unit: units.bytes,
      span: 4,
      queries: [{ expr: podGrowth(itself.matchers), legend: '{{cluster}} {{node}}' }],
    }),
    statPanel({
      title: 'Started',
      description: 'When the pod was started, as the kubelet says. Short-lived pods leave no trend.',
      unit: units.ago,
      span: 4,
      queries: [
        {
          expr: `${largest('pod_start_time_seconds', podLabels, itself)} * 1000`,
          legend: '{{cluster}} {{node}}',
        },
      ],
    }),
  ],
};
