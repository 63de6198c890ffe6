import { capitalised } from '../../lib/base/text.js';
import { formatForecast } from '../../lib/base/units.js';
import {
  type Block,
  type BlockOf,
  bytes,
  type Curve,
  type Document,
  type DocumentPart,
  type Piece,
  share,
  type Tone,
} from '../pens/document.js';
import type { LimitExplanation, MeasuredPodExplanation, PodExplanation, PodObject } from '../query/pod-explanation.js';
import type { ShownEviction } from '../report/eviction-report.js';
import { limitSubject, nearestBinding, ratioTone, unenforcedNames } from '../report/limit-report.js';
import { grewText, growthWithoutForecast } from '../report/pod-growth.js';
import { isLastKnown } from '../report/pod-report.js';
import { evictedVerdict, isSameLimit, type PodVerdictReport } from '../report/pod-verdict.js';
import { workloadLine } from '../report/workload-report.js';
import { evictionLine, factList, nodeLink, section, table, text } from './parts.js';
import { containers, lastKnownNote, podFacts, usage, volumes } from './pod-parts.js';

/** How a pod stands to its limits and of what its usage consists; of one that is known by its evictions alone, these. */
export function podDocument({ pods: [first, ...others], evictions }: PodObject): Document {
  const [last] = evictions;
  const { namespace = '', pod = '' } = first ?? last ?? {};
  return {
    title: ['Pod', `${namespace}/${pod}`],
    blocks: [
      ...(first === undefined ? goneBlocks(last) : podBlocks(first)),
      ...others.map(otherPod),
      ...evictionBlocks(evictions),
    ],
  };
}

function podBlocks(pod: PodExplanation): readonly DocumentPart[] {
  return [
    verdict(pod),
    podFacts(pod),
    ...(pod.state === 'unmeasured' ? [] : [usage(pod)]),
    limits(pod),
    ...(pod.state === 'unmeasured' ? [] : [...growth(pod), containers(pod), ...volumes(pod)]),
    ...warnings(pod),
  ];
}

const tones: Readonly<Record<PodVerdictReport['kind'], Tone>> = {
  evicted: 'critical',
  above: 'critical',
  near: 'warning',
  within: 'ok',
  unenforced: 'unknown',
  unbounded: 'unknown',
  ended: 'unknown',
  unknown: 'unknown',
};

/** What is only last known is in no colour of a state. */
function verdict(pod: PodExplanation): DocumentPart {
  const { kind, text: sentence, commands } = pod.verdict;
  return {
    is: 'verdict',
    tone: isLastKnown(pod) ? 'unknown' : tones[kind],
    lines: [sentence, ...pressure(pod)],
    commands,
  };
}

/** Whatever its own limits are: the kubelet may evict it for the disk of its node before. */
function pressure({ nodePressure }: PodExplanation): readonly (readonly Piece[])[] {
  if (nodePressure === undefined) return [];
  const { node, signal, headroom, timeToEvictionMs: timeMs, rank } = nodePressure;
  const close =
    timeMs === undefined
      ? `is close to its threshold of ${signal}`
      : `crosses its threshold of ${signal} in ${formatForecast(timeMs)} if its disk goes on to fill`;
  const state = headroom < 0 ? `is below its threshold of ${signal}` : close;
  return [['Node ', nodeLink(node), ` ${state}: this pod is number ${rank} of those that it evicts.`]];
}

function goneBlocks(last: ShownEviction | undefined): readonly DocumentPart[] {
  if (last === undefined) return [];
  const { text: sentence, commands } = evictedVerdict(last);
  return [
    { is: 'verdict', tone: 'unknown', lines: [sentence], commands },
    factList({
      State: 'not in the cluster any longer',
      Node: nodeLink(last.node),
      Workloads: workloadLine(last.workloads),
    }),
  ];
}

/** Several pods have one name where kubelets still report former ones. */
function otherPod(pod: PodExplanation, index: number): DocumentPart {
  const parts = [...(pod.state === 'unmeasured' ? [] : [usage(pod)]), limits(pod)];
  return section({ id: `other-${index + 1}`, title: 'Another pod of this name' }, [
    verdict(pod),
    podFacts(pod),
    ...parts.flatMap(({ blocks }) => blocks),
  ]);
}

function warnings({ findings, isKnown }: PodExplanation): readonly DocumentPart[] {
  if (findings.length === 0 && isKnown) return [];
  const items = findings.map(({ what, fix }) => [`${what}. `, { text: fix, isMuted: true }]);
  const unknown = text('Not checked: its specification is not known.');
  return [section({ id: 'findings', title: 'Warnings' }, isKnown ? [{ is: 'list', items }] : [unknown])];
}

function evictionBlocks(evictions: PodObject['evictions']): readonly DocumentPart[] {
  if (evictions.length === 0) return [];
  const items = evictions.map((of) => evictionLine(of, { withNode: true }));
  return [section({ id: 'evictions', title: 'Evictions of this name' }, [{ is: 'list', items }])];
}

function limits(pod: PodExplanation): BlockOf<'section'> {
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
    cell: (limit: LimitExplanation) => {
      if (limit !== coming || next === undefined) return '-';
      return next.timeToLimitMs === 0 ? 'at any moment' : formatForecast(next.timeToLimitMs);
    },
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

/** What was measured of late, and of it what the verdict does not say. */
function growth(pod: MeasuredPodExplanation): readonly DocumentPart[] {
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
