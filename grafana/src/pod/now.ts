import type { Section } from '../dashboard.js';
import { largest, limitRatios, podGrowth, podLabels, podsUsed, secondsToFirstLimit } from '../queries.js';
import { dataAge } from '../silence.js';
import { oneSteps, ratioSteps, thresholds, timeLeftSteps, word, words } from '../states.js';
import { statPanel } from '../stats.js';
import { units } from '../units.js';
import { itself, itsNode } from './queries.js';

export const summary: Section = {
  title: 'Now',
  panels: [
    statPanel({
      title: 'Used',
      description: 'Usage that counts towards the limit of the pod.',
      unit: units.bytes,
      span: 6,
      query: { expr: podsUsed(itself) },
    }),
    statPanel({
      title: 'Limit',
      description:
        'Sum of the limits of its containers, as calculated by the kubelet. None: the pod can fill the node; set a limit.',
      unit: units.bytes,
      span: 6,
      noValue: 'none found',
      query: { expr: largest('pod_limit_bytes', podLabels, itself) },
    }),
    statPanel({
      title: 'Closest limit',
      description: 'Highest usage of one of its limits. The kubelet evicts the pod above 100 %.',
      unit: units.ratio,
      decimals: 0,
      span: 6,
      noValue: 'none found',
      query: { expr: `max by (cluster) (${limitRatios(itself)})` },
      thresholds: thresholds(ratioSteps),
    }),
    statPanel({
      title: 'Limit reached in',
      description:
        'Time until the first of its limits is reached at its present growth; not expected without growth or if it would take more than 30 days. Unknown in its first 10 minutes, and without a limit.',
      unit: units.seconds,
      decimals: 0,
      span: 6,
      noValue: 'unknown',
      query: { expr: secondsToFirstLimit(itself.matchers) },
      mappings: [word(-1, 'not expected', 'unknown')],
      thresholds: thresholds(timeLeftSteps, 'critical'),
    }),
    statPanel({
      title: 'Growth per hour',
      description:
        'The smaller of the growth of the past hour and of its last 15 minutes. Below 0: usage shrinks. Unknown in its first 10 minutes.',
      unit: units.bytes,
      span: 8,
      noValue: 'unknown',
      query: { expr: podGrowth(itself.matchers) },
    }),
    statPanel({
      title: 'Data of its node',
      description:
        'Whether the node of the pod has data. None: the last values of the pod end there; open the node for the reason.',
      unit: units.none,
      span: 8,
      query: { expr: largest('node_data_available', ['node'], itsNode), legend: '{{node}}' },
      mappings: words('fresh or stale', 'none'),
      thresholds: thresholds(oneSteps, 'critical'),
    }),
    statPanel({
      title: 'Age of the data',
      description:
        'Time since the last data of its node was fetched from the kubelet; it grows on while there is none. Up to cache.ttl (55 s by default) plus the scrape interval is normal.',
      unit: units.seconds,
      decimals: 0,
      span: 8,
      query: { expr: dataAge(itsNode) },
      thresholds: thresholds([
        [150, 'warning'],
        [300, 'critical'],
      ]),
    }),
  ],
};
