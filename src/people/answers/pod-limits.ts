import { capitalised } from '../../lib/base/text.js';
import { formatForecast } from '../../lib/base/units.js';
import { type Block, type BlockOf, bytes, type Curve, type DocumentPart, type Row, share } from '../pens/document.js';
import type { LimitExplanation } from '../query/pod-explanation.js';
import type { MeasuredPodWithOutlook, PodWithOutlook } from '../query/pod-outlook.js';
import { limitSubject, nearestBinding, unenforcedNames } from '../report/limit-report.js';
import { grewText, growthWithoutForecast } from '../report/pod-growth.js';
import { isLastKnown } from '../report/pod-report.js';
import { isSameLimit } from '../report/pod-verdict.js';
import { ratioTone, text } from './parts.js';
import { lastKnownNote } from './pod-facts.js';

export function limits(pod: PodWithOutlook): BlockOf<'section'> {
  return {
    is: 'section',
    id: 'limits',
    title: 'Limits',
    ...lastKnownNote(pod),
    blocks: [pod.limits.length === 0 ? text(noLimitsText(pod)) : limitTable(pod)],
  };
}

function noLimitsText({ hasLimits, isKnown, state, hasUnknownUsage }: PodWithOutlook): string {
  if (!isKnown) return 'Its limits are not known: the API server does not know this pod.';
  if (hasLimits !== true) return 'Neither the pod, nor a container, nor an emptyDir of it has a limit.';
  return state === 'measured' && hasUnknownUsage !== true
    ? 'It has limits, and its kubelet compares none of them.'
    : 'It has limits; what counts towards them is not measured.';
}

/** In the order in which the kubelet checks. */
function limitTable(pod: PodWithOutlook): Block {
  const { limits: all, next } = pod;
  const coming = next && all.find((limit) => isSameLimit(limit, next));
  const first = coming ?? nearestBinding(all);
  const row = (limit: LimitExplanation): Row => ({
    cells: [
      limitSubject(limit),
      limit.counted,
      bytes(limit.usedBytes),
      limit.limitQuantity ?? bytes(limit.limitBytes),
      share(limit.ratio, isLastKnown(pod) ? 'unknown' : ratioTone(limit)),
      ...(coming === undefined ? [] : [limit === coming ? forecastText(next?.timeToLimitMs) : '-']),
      [
        ...(limit === first ? ['binds first'] : []),
        ...(limit.unenforced === undefined ? [] : [`not enforced: ${unenforcedNames[limit.unenforced]}`]),
      ].join(', '),
    ],
  });
  return {
    is: 'table',
    caption: 'Limits',
    columns: [
      { title: 'Limit of', minWidth: 8 },
      { title: 'Counted', minWidth: 8, rank: 5 },
      { title: 'Used', isNumber: true, rank: 2 },
      { title: 'Limit', isNumber: true, rank: 4 },
      { title: 'Ratio', isNumber: true },
      ...(coming === undefined ? [] : [{ title: 'Time to limit', isNumber: true, rank: 3 }]),
      { title: 'Note', minWidth: 36, rank: 1 },
    ],
    rows: all.map(row),
  };
}

function forecastText(timeMs: number | undefined): string {
  return timeMs === undefined ? '-' : timeMs === 0 ? 'at any moment' : formatForecast(timeMs);
}

/** What was measured of late, and of it what the verdict does not say. */
export function growth(pod: MeasuredPodWithOutlook): readonly DocumentPart[] {
  const words = growthText(pod);
  const total = { samples: pod.samples, limit: pod.limits.find(({ rule }) => rule === 'pod')?.limitBytes };
  const ofLimits = pod.limits.filter(({ rule }) => rule !== 'pod');
  const curves = [
    curve('Total', total.samples, total.limit),
    ...ofLimits.map((limit) => curve(capitalised(limitSubject(limit)), limit.samples, limit.limitBytes)),
  ].filter(({ samples }) => samples.length > 1);
  const blocks: readonly Block[] = [
    ...(curves.length === 0 ? [] : [{ is: 'curves', unit: 'bytes', curves } as const]),
    ...(words === '' || pod.verdict.text.includes(words) ? [] : [text(words)]),
  ];
  return blocks.length === 0 ? [] : [{ is: 'section', id: 'growth', title: 'Growth', blocks }];
}

function curve(name: string, samples: LimitExplanation['samples'], limit: number | undefined): Curve {
  return { name, samples: samples.map(({ atMs, usedBytes }) => ({ atMs, amount: usedBytes })), limit };
}

function growthText(pod: MeasuredPodWithOutlook): string {
  const { growthBytesPerSecond: rate = 0, next, dataState, state, limits: all, samples } = pod;
  const grew = rate > 0 ? grewText(rate) : '';
  if (next !== undefined) return grew;
  if (dataState === 'absent') return `${grew} No forecast: the node has no data.`.trim();
  return state === 'pending'
    ? `${grew} No forecast: its volumes are not measured.`.trim()
    : growthWithoutForecast(all, samples);
}
