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
      description: 'Usage that counts towards the limit of the pod.',
      unit: units.bytes,
      span: 4,
      queries: [{ expr: podsUsed(itself), legend: '{{cluster}} {{node}}' }],
    }),
    statPanel({
      title: 'Limit',
      description:
        'Sum of the limits of its containers, as calculated by the kubelet. None: the pod can fill the node; set a limit.',
      unit: units.bytes,
      span: 4,
      noValue: 'none found',
      queries: [{ expr: largest('pod_limit_bytes', podLabels, itself), legend: '{{cluster}} {{node}}' }],
    }),
    statPanel({
      title: 'Closest limit',
      description: 'Highest usage of one of its limits. The kubelet evicts the pod above 100 %.',
      unit: units.ratio,
      decimals: 0,
      span: 4,
      noValue: 'none found',
      queries: [{ expr: `max by (cluster) (${limitRatios(itself)})`, legend: '{{cluster}}' }],
      thresholds: thresholds(ratioSteps),
    }),
    statPanel({
      title: 'Limit reached in',
      description:
        'Time until the first of its limits is reached at the growth of the past hour; not expected without growth or if it would take more than 30 days.',
      unit: units.seconds,
      decimals: 0,
      span: 4,
      noValue: 'not expected',
      queries: [{ expr: `min by (cluster) (${secondsToLimit(itself.matchers)})`, legend: '{{cluster}}' }],
      thresholds: thresholds(timeLeftSteps, 'red'),
    }),
    statPanel({
      title: 'Growth per hour',
      description: 'Slope of a straight line through the past hour. Below 0: usage shrinks.',
      unit: units.bytes,
      span: 4,
      queries: [{ expr: podGrowth(itself.matchers), legend: '{{cluster}} {{node}}' }],
    }),
    statPanel({
      title: 'Started',
      description:
        'Start of the pod, as reported by the kubelet. Pods younger than an hour have no reliable growth. Needs metrics.profile: full.',
      unit: units.ago,
      span: 4,
      noValue: 'only with metrics.profile: full',
      queries: [
        {
          expr: `${largest('pod_start_time_seconds', podLabels, itself)} * 1000`,
          legend: '{{cluster}} {{node}}',
        },
      ],
    }),
  ],
};
