import { programName } from '../base/text.js';
import type { ClusterReport } from '../report/cluster-report.js';
import { fullRatio } from '../report/filesystem-report.js';
import type { HealthReport, ReadinessCheck } from '../report/health-report.js';
import { limitThresholds, soonMs } from '../report/limit-report.js';
import type { NodePressureReport } from '../report/pressure-report.js';
import type { RankedNodeReport } from '../report/ranked-nodes.js';
import type { PodLimitReport } from '../report/ranked-pods.js';
import { absenceProblems, unlistedProblems } from './absence-problems.js';
import { enforcementProblems } from './enforcement-problems.js';
import { evictionProblems } from './eviction-problems.js';
import { gapProblems } from './gap-problems.js';
import { aboutOne, counted, namesText, timeLeftNote, warning, withExamples } from './problem-texts.js';
import type { Problem, ProblemSubject, ShownEviction, Status } from './status.js';

/** The current problems, the worst first. */
export function problemsOf({
  readinessChecks,
  cluster,
  health,
  evictions,
}: Pick<Status, 'readinessChecks' | 'health'> & {
  readonly cluster: ClusterReport | undefined;
  readonly evictions: readonly ShownEviction[] | undefined;
}): readonly Problem[] {
  const problems = [
    ...notReady(readinessChecks),
    ...unlistedProblems(health, cluster),
    ...(cluster === undefined ? [] : [...limitProblems(cluster), ...pressureProblems(cluster)]),
    ...absenceProblems(health, cluster),
    ...(cluster === undefined ? [] : nodeProblems(cluster)),
    ...(cluster === undefined ? [] : gapProblems(cluster)),
    ...(cluster === undefined ? [] : enforcementProblems(cluster)),
    ...evictionProblems(evictions),
    ...healthProblems(health),
  ];
  return [...problems.filter(isCritical), ...problems.filter((problem) => !isCritical(problem))];
}

function isCritical({ severity }: Problem): boolean {
  return severity === 'critical';
}

function notReady(checks: readonly ReadinessCheck[]): readonly Problem[] {
  const missing = checks.filter(({ isOk, isOptional = false }) => !isOk && !isOptional);
  if (missing.length === 0) return [];
  const names = missing.map(({ name }) => name);
  return [{ severity: 'critical', text: `not ready: ${namesText(names)}`, section: 'trust' }];
}

function limitProblems({ summary, limits }: ClusterReport): readonly Problem[] {
  const { reachedLimitPodCount, nearLimitPodCount } = summary;
  const present = limits.items.filter(({ dataState }) => isPresent(dataState));
  const reached = present.filter(({ ratio }) => ratio >= limitThresholds.reached);
  const near = present.filter((limit) => !reached.includes(limit) && isNear(limit));
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
    ),
  ];
}

function isNear({ ratio, timeToLimitMs = Infinity }: PodLimitReport): boolean {
  return ratio >= limitThresholds.near || timeToLimitMs <= soonMs;
}

function podName({ namespace, pod }: PodLimitReport): string {
  return `${namespace}/${pod}`;
}

function subjectOf({ namespace, pod }: PodLimitReport): ProblemSubject {
  return { namespace, pod };
}

function pressureProblems({ summary, pressure }: ClusterReport): readonly Problem[] {
  const { pressedNodeCount, nearPressureNodeCount } = summary;
  const present = pressure.items.filter(({ dataState }) => isPresent(dataState));
  const pressed = present.filter(({ headroom }) => headroom < 0);
  const near = present.filter(({ headroom }) => headroom >= 0);
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
    ).map((problem) => withVerdict(problem, near[0], nearPressureNodeCount)),
  ];
}

function nodeSubject({ node }: { readonly node: string }): ProblemSubject {
  return { node };
}

/** With what fills the disk of the first node, and the first command for it. */
function withVerdict(problem: Problem, first: NodePressureReport | undefined, count: number): Problem {
  if (first?.verdict === undefined) return problem;
  const { text, commands } = first.verdict;
  const what = count === 1 ? `: ${text}` : `. ${first.node}: ${text}`;
  return { ...problem, detail: `${problem.detail ?? ''}${what}`, hint: commands[0] ?? problem.hint };
}

/** Of nodes and pods that are not shown as they were. */
function isPresent(dataState: NodePressureReport['dataState']): boolean {
  return dataState === 'fresh' || dataState === 'stale';
}

function pressedNodes({ items }: ClusterReport['pressure']): readonly string[] {
  return items.filter(({ dataState, headroom }) => isPresent(dataState) && headroom < 0).map(({ node }) => node);
}

function nodeProblems({ summary, nodes, pressure }: ClusterReport): readonly Problem[] {
  const { staleNodeCount, fullNodeCount, pressedFullNodeCount } = summary;
  const pressed = pressedNodes(pressure);
  const full = nodes.items.filter((node) => isFull(node) && !pressed.includes(node.node));
  const stale = nodes.items.filter(({ state }) => state === 'stale');
  return [
    ...withExamples(
      counted(fullNodeCount - pressedFullNodeCount, 'warning', 'nodes', [
        `node at least ${fullRatio * 100} % full`,
        `nodes at least ${fullRatio * 100} % full`,
      ]),
      {
        names: full.map(({ node }) => node),
        count: fullNodeCount - pressedFullNodeCount,
        hint: (node) => `${programName} explain node ${node} shows what fills its disk.`,
        ...aboutOne(full.map(nodeSubject), fullNodeCount - pressedFullNodeCount),
      },
    ),
    ...withExamples(counted(staleNodeCount, 'warning', 'nodes', ['node with stale data', 'nodes with stale data']), {
      names: stale.map(staleText),
      count: staleNodeCount,
      only: 'unknown',
      ...aboutOne(stale.map(nodeSubject), staleNodeCount),
    }),
    ...(nodes.totalCount === 0 ? [warning('no nodes in scope', 'nodes')] : []),
  ];
}

function isFull(node: RankedNodeReport): boolean {
  if (node.state === 'absent') return false;
  const ratios = node.filesystems.flatMap((one) => [one.fullRatio ?? 0, one.inodesFullRatio ?? 0]);
  return ratios.some((ratio) => ratio >= fullRatio);
}

/** With why the last request failed. */
function staleText({ node, failure }: RankedNodeReport): string {
  return failure === undefined ? node : `${node} (${failure.reason})`;
}

function healthProblems(health: HealthReport): readonly Problem[] {
  const { droppedFamilies, workloadNameClashCount, isLastReloadSuccessful, isKubeletTlsUnverified } = health;
  return [
    ...counted(droppedFamilies.length, 'warning', 'trust', [
      'metric family dropped by metrics.maxSeries',
      'metric families dropped by metrics.maxSeries',
    ]),
    ...counted(workloadNameClashCount, 'warning', 'trust', ['workload name clash', 'workload name clashes']),
    ...(isLastReloadSuccessful === false ? [warning('the last reload of the settings failed', 'trust')] : []),
    ...(isKubeletTlsUnverified ? [warning('kubelet TLS verification is disabled', 'trust')] : []),
  ];
}
