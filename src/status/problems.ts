import { joinTruncated } from '../base/text.js';
import { formatAge } from '../base/units.js';
import type { AbsenceReport } from '../report/absence-report.js';
import type { ClusterReport, ClusterSummary } from '../report/cluster-report.js';
import type { EvictionReport } from '../report/eviction-report.js';
import { fullRatio } from '../report/filesystem-report.js';
import type { HealthReport, StoreHealthReport } from '../report/health-report.js';
import { limitThresholds } from '../report/limit-report.js';
import type { ReadinessCheck } from '../report/readiness-check.js';
import type { Problem } from './status.js';

/** Every namespace has its own check. */
const maxNamesCount = 3;

/** Watches end every few minutes and are opened again at once; only a longer gap is a problem. */
const disconnectedAfterMs = 30_000;

/** The API server sends a bookmark about once a minute. */
const silentAfterMs = 300_000;

const recentEvictionMs = 3_600_000;

export interface ProblemsInput {
  readonly readinessChecks: readonly ReadinessCheck[];
  readonly cluster: ClusterReport | undefined;
  readonly evictions: readonly EvictionReport[] | undefined;
  /** Wall time in milliseconds. */
  readonly generatedAtMs: number;
  readonly health: HealthReport;
}

/** The current problems, the worst first. */
export function problemsOf({ readinessChecks, cluster, health, ...input }: ProblemsInput): readonly Problem[] {
  const problems = [
    ...notReady(readinessChecks),
    ...(cluster === undefined ? [] : clusterProblems(cluster)),
    ...evictionProblems(input),
    ...health.stores.flatMap(storeProblem),
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
  return [{ severity: 'critical', text: `not ready: ${joinTruncated(names, maxNamesCount)}`, section: 'trust' }];
}

function clusterProblems(cluster: ClusterReport): readonly Problem[] {
  const { summary, nodes, absences, isPartial } = cluster;
  return [
    ...limitProblems(cluster),
    ...counted(summary.pressedNodeCount, 'critical', 'next-evictions', [
      'node below an eviction threshold',
      'nodes below an eviction threshold',
    ]),
    ...absences.map((absence) => absenceProblem(absence, isPartial)),
    ...counted(summary.fullNodeCount - summary.pressedFullNodeCount, 'warning', 'nodes', [
      `node at least ${fullRatio * 100} % full`,
      `nodes at least ${fullRatio * 100} % full`,
    ]),
    ...coverageProblems(summary, absences),
    ...(nodes.totalCount === 0 ? [warning('no nodes in scope', 'nodes')] : []),
  ];
}

function limitProblems({ summary, limits }: ClusterReport): readonly Problem[] {
  const { near, reached } = limitThresholds;
  const podsBetween = (from: number, to: number): string | undefined => {
    const measured = limits.items.filter(
      ({ dataState, ratio }) => dataState !== 'absent' && ratio >= from && ratio < to,
    );
    const names = measured.map(({ namespace, pod }) => `${namespace}/${pod}`);
    return names.length === 0 ? undefined : joinTruncated(names, maxNamesCount);
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
  ];
}

/** The cause of unmeasured pods and incomplete workloads, which are therefore no problems of their own. */
function absenceProblem(absence: AbsenceReport, isPartial: boolean): Problem {
  const { reason, hint, nodeCount, failedNodeCount, exampleNodes, dataAgeMs } = absence;
  const moreCount = nodeCount - exampleNodes.length;
  const names = `${exampleNodes.join(', ')}${moreCount > 0 ? ` and ${moreCount} more` : ''}`;
  const costs = [
    countedText(absence.expectedPodCount, ['pod not measured', 'pods not measured']),
    countedText(absence.incompleteWorkloadCount, ['workload incomplete', 'workloads incomplete']),
  ].filter((cost) => cost !== '');
  const since =
    dataAgeMs === undefined ? 'no data since the exporter started' : `last data ${formatAge(dataAgeMs)} ago`;
  return {
    severity: isPartial && failedNodeCount === 0 ? 'warning' : 'critical',
    text: `${countedText(nodeCount, ['node without data', 'nodes without data'])} (${reason}): ${names}`,
    detail: [since, costs.join(', ')].filter((part) => part !== '').join('; '),
    hint,
    section: 'nodes',
  };
}

/** Refusals at admission are not evictions of running pods. */
function evictionProblems({
  evictions = [],
  generatedAtMs,
}: Pick<ProblemsInput, 'evictions' | 'generatedAtMs'>): readonly Problem[] {
  const recent = evictions.filter(
    ({ cause, evictedAtMs }) => cause !== 'node_admission' && evictedAtMs > generatedAtMs - recentEvictionMs,
  );
  return counted(recent.length, 'warning', 'evictions', [
    'pod evicted in the last hour',
    'pods evicted in the last hour',
  ]);
}

/** Pods and workloads that lack data although their nodes have some. */
function coverageProblems(summary: ClusterSummary, absences: readonly AbsenceReport[]): readonly Problem[] {
  const { staleNodeCount, expectedPodCount, measuredPodCount, incompleteWorkloadCount, absentWorkloadCount } = summary;
  const absentPodCount = absences.reduce((sum, absence) => sum + absence.expectedPodCount, 0);
  return [
    ...counted(staleNodeCount, 'warning', 'nodes', ['node with stale data', 'nodes with stale data']),
    ...counted(expectedPodCount - measuredPodCount - absentPodCount, 'warning', 'nodes', [
      'pod not measured',
      'pods not measured',
    ]),
    ...counted(incompleteWorkloadCount - absentWorkloadCount, 'warning', 'workloads', [
      'incomplete workload',
      'incomplete workloads',
    ]),
  ];
}

function storeProblem({ resource, isConnected, lastProgressAgeMs }: StoreHealthReport): readonly Problem[] {
  if (lastProgressAgeMs === undefined) return []; // not listed yet: a failing readiness check
  const since = `for ${formatAge(lastProgressAgeMs)}`;
  if (!isConnected && lastProgressAgeMs >= disconnectedAfterMs) {
    return [
      { severity: 'critical', text: `watch of ${resource} is disconnected: no events ${since}`, section: 'trust' },
    ];
  }
  return lastProgressAgeMs >= silentAfterMs ? [warning(`watch of ${resource} had no events ${since}`, 'trust')] : [];
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

function warning(text: string, section: Problem['section']): Problem {
  return { severity: 'warning', text, section };
}

function counted(
  count: number,
  severity: Problem['severity'],
  section: Problem['section'],
  words: readonly [one: string, many: string],
): readonly Problem[] {
  const text = countedText(count, words);
  return text === '' ? [] : [{ severity, text, section }];
}

/** '' for none. */
function countedText(count: number, [one, many]: readonly [one: string, many: string]): string {
  return count <= 0 ? '' : `${count} ${count === 1 ? one : many}`;
}
