import { formatAge, formatForecast } from '../../lib/base/units.js';
import type { Document, DocumentPart, Piece, Tone } from '../pens/document.js';
import type { PodExplanation, PodObject } from '../query/pod-explanation.js';
import type { ShownEviction } from '../report/eviction-report.js';
import { isLastKnown } from '../report/pod-report.js';
import { evictedVerdict, type PodVerdictReport } from '../report/pod-verdict.js';
import { workloadLine } from '../report/workload-report.js';
import { evictionLink, nodeLink, section, text } from './parts.js';
import { podFacts } from './pod-facts.js';
import { growth, limits } from './pod-limits.js';
import { containers, usage, volumes } from './pod-parts.js';

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
    {
      is: 'facts',
      facts: {
        State: 'not in the cluster any longer',
        Node: nodeLink(last.node),
        Workloads: workloadLine(last.workloads),
      },
    },
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
  const items = evictions.map((of) => [
    evictionLink(of),
    ` ${formatAge(of.ageMs)} ago on `,
    nodeLink(of.node),
    `: ${of.verdict?.text ?? of.message.trim()}`,
  ]);
  return [section({ id: 'evictions', title: 'Evictions of this name' }, [{ is: 'list', items }])];
}
