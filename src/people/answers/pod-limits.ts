import { capitalised } from '../../lib/base/text.js';
import { formatForecast } from '../../lib/base/units.js';
import { type Block, type BlockOf, bytes, type Curve, type DocumentPart, share } from '../pens/document.js';
import type { LimitExplanation, MeasuredPodExplanation, PodExplanation } from '../query/pod-explanation.js';
import { limitSubject, nearestBinding, ratioTone, unenforcedNames } from '../report/limit-report.js';
import { grewText, growthWithoutForecast } from '../report/pod-growth.js';
import { isLastKnown } from '../report/pod-report.js';
import { isSameLimit } from '../report/pod-verdict.js';
import { section, table, text } from './parts.js';
import { lastKnownNote } from './pod-facts.js';

export function limits(pod: PodExplanation): BlockOf<'section'> {
  return section({ id: 'limits', title: 'Limits', ...lastKnownNote(pod) }, [
    pod.limits.length === 0 ? text(noLimitsText(pod)) : limitTable(pod),
  ]);
}

function noLimitsText({ hasLimits, isKnown, state, hasUnknownUsage }: PodExplanation): string {
  if (!isKnown) return 'Its limits are not known: the API server does not know this pod.';
  if (hasLimits !== true) return 'Neither the pod, nor a container, nor an emptyDir of it has a limit.';
  return state === 'measured' && hasUnknownUsage !== true
    ? 'It has limits, and its kubelet compares none of them.'
    : 'It has limits; what counts towards them is not measured.';
}

/** In the order in which the kubelet checks. */
function limitTable(pod: PodExplanation): Block {
  const { limits: all, next } = pod;
  const coming = next && all.find((limit) => isSameLimit(limit, next));
  const first = coming ?? nearestBinding(all);
  const noteOf = (limit: LimitExplanation): string =>
    [
      ...(limit === first ? ['binds first'] : []),
      ...(limit.unenforced === undefined ? [] : [`not enforced: ${unenforcedNames[limit.unenforced]}`]),
    ].join(', ');
  const time = {
    title: 'Time to limit',
    isNumber: true,
    rank: 3,
    cell: (limit: LimitExplanation) => (limit === coming ? forecastText(next?.timeToLimitMs) : '-'),
  };
  return table(
    { caption: 'Limits' },
    [
      { title: 'Limit of', minWidth: 8, cell: limitSubject },
      { title: 'Counted', minWidth: 8, rank: 5, cell: ({ counted }) => counted },
      { title: 'Used', isNumber: true, rank: 2, cell: ({ usedBytes }) => bytes(usedBytes) },
      {
        title: 'Limit',
        isNumber: true,
        rank: 4,
        cell: ({ limitQuantity, limitBytes }) => limitQuantity ?? bytes(limitBytes),
      },
      {
        title: 'Ratio',
        isNumber: true,
        cell: (limit) => share(limit.ratio, isLastKnown(pod) ? 'unknown' : ratioTone(limit)),
      },
      ...(coming === undefined ? [] : [time]),
      { title: 'Note', minWidth: 42, rank: 1, cell: noteOf },
    ],
    all,
  );
}

function forecastText(timeMs: number | undefined): string {
  return timeMs === undefined ? '-' : timeMs === 0 ? 'at any moment' : formatForecast(timeMs);
}

/** What was measured of late, and of it what the verdict does not say. */
export function growth(pod: MeasuredPodExplanation): readonly DocumentPart[] {
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
  return blocks.length === 0 ? [] : [section({ id: 'growth', title: 'Growth' }, blocks)];
}

function curve(name: string, samples: LimitExplanation['samples'], limit: number | undefined): Curve {
  return { name, samples: samples.map(({ atMs, usedBytes }) => ({ atMs, amount: usedBytes })), limit };
}

function growthText(pod: MeasuredPodExplanation): string {
  const { growthBytesPerSecond: rate = 0, next, dataState, state, limits: all, samples } = pod;
  const grew = rate > 0 ? grewText(rate) : '';
  if (next !== undefined) return grew;
  if (dataState === 'absent') return `${grew} No forecast: the node has no data.`.trim();
  return state === 'pending'
    ? `${grew} No forecast: its volumes are not measured.`.trim()
    : growthWithoutForecast(all, samples);
}
