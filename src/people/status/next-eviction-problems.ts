import { soonMs } from '../../facts/forecast/forecast.js';
import { isNear } from '../../facts/node/standing.js';
import { programName } from '../../lib/base/text.js';
import type { ClusterReport } from '../report/cluster-report.js';
import { limitThresholds } from '../report/limit-report.js';
import type { NodePressureReport } from '../report/pressure-report.js';
import type { RankedNodeReport } from '../report/ranked-nodes.js';
import type { PodLimitReport } from '../report/ranked-pods.js';
import { aboutOne, counted, timeLeftNote, withExamples } from './problem-texts.js';
import type { Problem, ProblemSubject } from './status.js';

/** Pods at or near a limit. */
export function limitProblems({ summary, limits }: ClusterReport): readonly Problem[] {
  const { reachedLimitPodCount, nearLimitPodCount } = summary;
  const present = limits.items.filter(({ dataState }) => isPresent(dataState));
  const reached = present.filter(({ ratio }) => ratio >= limitThresholds.reached);
  const near = present.filter((limit) => !reached.includes(limit) && isNear(limit.standing));
  const timesMs = new Map(near.map((limit) => [podName(limit), limit.timeToLimitMs]));
  const hint = (pod: string): string => `${programName} explain pod ${pod} shows what adds up to its usage.`;
  return [
    ...withExamples(
      counted(reachedLimitPodCount, 'critical', 'next-evictions', [
        'pod at or above a limit',
        'pods at or above a limit',
      ]),
      {
        names: reached.map(podName),
        count: reachedLimitPodCount,
        hint,
        ...aboutOne(reached.map(subjectOf), reachedLimitPodCount),
      },
    ),
    ...withExamples(
      counted(nearLimitPodCount, 'warning', 'next-evictions', ['pod near a limit', 'pods near a limit']),
      {
        names: near.map(podName),
        count: nearLimitPodCount,
        hint,
        noteOf: (pod) => timeLeftNote(timesMs.get(pod)),
        ...aboutOne(near.map(subjectOf), nearLimitPodCount),
      },
    ).map((problem) => withTime(problem, timesMs.values())),
  ];
}

function podName({ namespace, pod }: PodLimitReport): string {
  return `${namespace}/${pod}`;
}

function subjectOf({ namespace, pod }: PodLimitReport): ProblemSubject {
  return { namespace, pod };
}

/** Nodes below a threshold, or close to one. */
export function pressureProblems({ summary, pressure }: ClusterReport): readonly Problem[] {
  const { pressedNodeCount, nearPressureNodeCount } = summary;
  const present = pressure.items.filter(({ dataState }) => isPresent(dataState));
  const pressed = present.filter(({ headroom = 0 }) => headroom < 0);
  const near = present.filter(({ headroom = 0 }) => headroom >= 0);
  const timesMs = new Map(near.map(({ node, timeToEvictionMs }) => [node, timeToEvictionMs]));
  const hint = (node: string): string =>
    `${programName} explain node ${node} shows what fills its disk, and which pods are evicted first.`;
  return [
    ...withExamples(
      counted(pressedNodeCount, 'critical', 'next-evictions', [
        'node below an eviction threshold',
        'nodes below an eviction threshold',
      ]),
      {
        names: pressed.map(({ node }) => node),
        count: pressedNodeCount,
        hint,
        ...aboutOne(pressed.map(nodeSubject), pressedNodeCount),
      },
    ).map((problem) => withVerdict(problem, pressed[0], pressedNodeCount)),
    ...withExamples(
      counted(nearPressureNodeCount, 'warning', 'next-evictions', [
        'node close to an eviction threshold or under DiskPressure',
        'nodes close to an eviction threshold or under DiskPressure',
      ]),
      {
        names: near.map(({ node }) => node),
        count: nearPressureNodeCount,
        hint,
        noteOf: (node) => timeLeftNote(timesMs.get(node)),
        ...aboutOne(near.map(nodeSubject), nearPressureNodeCount),
      },
    ).map((problem) => withTime(withVerdict(problem, near[0], nearPressureNodeCount), timesMs.values())),
  ];
}

/** Nodes without space whose kubelets evict nobody for it. */
export function noSpaceProblem({ summary: { noSpaceNodeCount: count }, nodes }: ClusterReport): readonly Problem[] {
  const full = nodes.items.filter(hasNoSpace);
  return withExamples(
    counted(count, 'critical', 'nodes', [
      'node with a disk that fills up and no eviction threshold',
      'nodes with a disk that fills up and no eviction threshold',
    ]),
    { names: full.map(({ node }) => node), count, only: 'unenforced', ...aboutOne(full.map(nodeSubject), count) },
  ).map((problem) => withVerdict(problem, full[0], count));
}

export function hasNoSpace({ state, verdict }: RankedNodeReport): boolean {
  return state !== 'absent' && verdict?.kind === 'no_space';
}

/** With that of the soonest, where it is within minutes. */
function withTime(problem: Problem, timesMs: Iterable<number | undefined>): Problem {
  const soonestMs = Math.min(...Array.from(timesMs, (timeMs = Infinity) => timeMs));
  return soonestMs <= soonMs ? { ...problem, timeToEvictionMs: soonestMs } : problem;
}

export function nodeSubject({ node }: { readonly node: string }): ProblemSubject {
  return { node };
}

/** With what fills the disk of the first node, and the first command for it. */
function withVerdict(
  problem: Problem,
  first: Pick<NodePressureReport, 'node' | 'verdict'> | undefined,
  count: number,
): Problem {
  if (first?.verdict === undefined) return problem;
  const { text, commands } = first.verdict;
  const what = count === 1 ? `: ${text}` : `. ${first.node}: ${text}`;
  return { ...problem, detail: `${problem.detail ?? ''}${what}`, hint: commands[0] ?? problem.hint };
}

/** Of nodes and pods that are not shown as they were. */
export function isPresent(dataState: NodePressureReport['dataState']): boolean {
  return dataState === 'fresh' || dataState === 'stale';
}
