import type { ClusterReport } from '../report/cluster-report.js';
import { fullRatio } from '../report/filesystem-report.js';
import type { HealthReport } from '../report/health-report.js';
import { limitThresholds } from '../report/limit-report.js';
import type { RankedNodeReport } from '../report/ranked-nodes.js';
import type { ReadinessCheck } from '../report/readiness-check.js';
import { absenceProblems } from './absence-problems.js';
import { evictionProblems } from './eviction-problems.js';
import { gapProblems } from './gap-problems.js';
import { counted, namesText, warning } from './problem-texts.js';
import type { Problem, ShownEviction } from './status.js';

export interface ProblemsInput {
  readonly readinessChecks: readonly ReadinessCheck[];
  readonly cluster: ClusterReport | undefined;
  readonly evictions: readonly ShownEviction[] | undefined;
  readonly health: HealthReport;
}

/** The current problems, the worst first. */
export function problemsOf({ readinessChecks, cluster, health, evictions }: ProblemsInput): readonly Problem[] {
  const problems = [
    ...notReady(readinessChecks),
    ...(cluster === undefined ? [] : limitProblems(cluster)),
    ...absenceProblems(health, cluster),
    ...(cluster === undefined ? [] : nodeProblems(cluster)),
    ...(cluster === undefined ? [] : gapProblems(cluster)),
    ...evictionProblems(evictions),
    ...healthProblems(health),
  ];
  return [...problems.filter(isCritical), ...problems.filter((problem) => !isCritical(problem))];
}

function isCritical({ severity }: Problem): boolean {
  return severity === 'critical';
}

function notReady(checks: readonly ReadinessCheck[]): readonly Problem[] {
  const missing = checks.filter(({ isOk }) => !isOk);
  if (missing.length === 0) return [];
  const names = missing.map(({ name }) => name);
  return [{ severity: 'critical', text: `not ready: ${namesText(names)}`, section: 'trust' }];
}

function limitProblems({ summary, limits, pressure }: ClusterReport): readonly Problem[] {
  const { near, reached } = limitThresholds;
  const podsBetween = (from: number, to: number): string | undefined => {
    const measured = limits.items.filter(
      ({ dataState, ratio }) => dataState !== 'absent' && dataState !== 'pending' && ratio >= from && ratio < to,
    );
    const names = measured.map(({ namespace, pod }) => `${namespace}/${pod}`);
    return names.length === 0 ? undefined : namesText(names);
  };
  const severity = summary.evictableLimitCount > 0 ? 'critical' : 'warning';
  return [
    ...counted(summary.reachedLimitPodCount, severity, 'next-evictions', [
      'pod at or above a limit',
      'pods at or above a limit',
    ]).map((problem) => ({ ...problem, detail: podsBetween(reached, Infinity) })),
    ...counted(summary.nearLimitPodCount, 'warning', 'next-evictions', ['pod near a limit', 'pods near a limit']).map(
      (problem) => ({ ...problem, detail: podsBetween(near, reached) }),
    ),
    ...counted(summary.pressedNodeCount, 'critical', 'next-evictions', [
      'node below an eviction threshold',
      'nodes below an eviction threshold',
    ]).map((problem) => ({ ...problem, ...pressedNodes(pressure) })),
  ];
}

/** Their kubelets evict pods. */
function pressedNodes({ items }: ClusterReport['pressure']): Pick<Problem, 'detail' | 'hint'> {
  const crossed = items.filter(({ dataState, headroom }) => dataState !== 'absent' && headroom < 0);
  const [first] = crossed;
  if (first === undefined) return {};
  return {
    detail: namesText(crossed.map(({ node, signal }) => `${node} (${signal})`)),
    hint: `explain node ${first.node} shows what fills its disk, and which pods are evicted first.`,
  };
}

function nodeProblems({ summary, nodes }: ClusterReport): readonly Problem[] {
  const stale = nodes.items.filter(({ state }) => state === 'stale');
  return [
    ...counted(summary.fullNodeCount - summary.pressedFullNodeCount, 'warning', 'nodes', [
      `node at least ${fullRatio * 100} % full`,
      `nodes at least ${fullRatio * 100} % full`,
    ]),
    ...counted(summary.staleNodeCount, 'warning', 'nodes', ['node with stale data', 'nodes with stale data']).map(
      (problem) => ({ ...problem, detail: stale.length === 0 ? undefined : namesText(stale.map(staleText)) }),
    ),
    ...(nodes.totalCount === 0 ? [warning('no nodes in scope', 'nodes')] : []),
  ];
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
