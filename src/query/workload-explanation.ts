import { largestFirst } from '../base/ranking.js';
import type { Config } from '../config/schema.js';
import { formatSelector } from '../kube/selector.js';
import { measuredPodReport, type PodReport } from '../report/pod-report.js';
import { type WorkloadReport, workloadReport } from '../report/workload-report.js';
import type { WorkloadDefinition } from '../workload/label-workloads.js';
import { type Workload, workloadKey } from '../workload/workload.js';
import { emptyPartial, type WorkloadContainerUsage, type WorkloadSnapshot } from '../workload/workload-partial.js';
import type { ClusterReading, KnownPod } from './cluster-reading.js';
import { type NearMiss, nearMisses } from './near-misses.js';
import { knownPodState, unknownPods } from './pod-explanation.js';

/** Which pods a workload has and what they add up to: plain data with exact numbers. */
export interface WorkloadExplanation extends WorkloadFacts {
  /** Those that make it incomplete first, then the largest first. */
  readonly pods: readonly PodReport[];
}

export interface WorkloadFacts extends WorkloadReport {
  readonly origin: OriginReport;
  /** Absent when it could not be collected. */
  readonly containers?: readonly WorkloadContainerUsage[] | undefined;
  /** Of a configured workload: the first of them, and how many there are. */
  readonly nearMisses?: readonly NearMiss[];
  readonly nearMissCount?: number;
}

export type OriginReport =
  | { readonly source: 'configured'; readonly selector: string; readonly namespaces: readonly string[] }
  | { readonly source: 'labels'; readonly labels: Readonly<Record<string, string>> }
  | { readonly source: 'controller'; readonly kind: string };

const maxNearMissCount = 10;

export function workloadExplanation(
  reading: ClusterReading,
  workload: Workload,
  settings: Config['workloads'],
): WorkloadExplanation {
  return { ...workloadFacts(reading, workload, settings), pods: podReports(reading, workloadKey(workload)) };
}

export function workloadFacts(
  reading: ClusterReading,
  workload: Workload,
  { selectors }: Config['workloads'],
): WorkloadFacts {
  const key = workloadKey(workload);
  const collected = reading.snapshot.workloads.find((candidate) => workloadKey(candidate.workload) === key);
  const snapshot = collected ?? notCollected(workload);
  const isConfigured = workload.origin.source === 'configured';
  const definition = isConfigured ? selectors.find(({ name }) => name === workload.name) : undefined;
  return {
    ...workloadReport(snapshot),
    origin: originReport(workload, definition),
    containers: snapshot.usage?.containers,
    ...(definition && nearMissReport(definition, { reading, key })),
  };
}

/** Whether the pod makes its workloads incomplete. */
export function isMissing(pod: PodReport): boolean {
  return pod.state === 'unmeasured' ? pod.isExpected : pod.state === 'pending';
}

/** A workload none of whose pods is expected or measured. */
function notCollected(workload: Workload): WorkloadSnapshot {
  const counts = { ...emptyPartial(workload), podsOnAbsentNodes: 0 };
  return { ...counts, complete: false, mayHaveUnlistedPods: false, backoffMs: 0, usage: undefined };
}

function nearMissReport(
  definition: WorkloadDefinition,
  { reading, key }: { readonly reading: ClusterReading; readonly key: string },
): Pick<WorkloadExplanation, 'nearMisses' | 'nearMissCount'> {
  const others = reading.knownPods.filter((known) => !belongs(known, key)).map(({ pod }) => pod);
  const misses = nearMisses(definition, others);
  return { nearMisses: misses.slice(0, maxNearMissCount), nearMissCount: misses.length };
}

function belongs({ workloads }: Pick<KnownPod, 'workloads'>, key: string): boolean {
  return workloads.some((workload) => workloadKey(workload) === key);
}

function originReport({ origin }: Workload, definition: WorkloadDefinition | undefined): OriginReport {
  if (origin.source !== 'configured') return origin;
  const { selector = [], namespaces = [] } = definition ?? {};
  return { source: 'configured', selector: formatSelector(selector), namespaces };
}

function podReports(reading: ClusterReading, key: string): readonly PodReport[] {
  const known = reading.knownPods.filter((pod) => belongs(pod, key)).map((pod) => knownPodState(pod, reading).report);
  const bytesOf = (pod: PodReport): number | undefined => (pod.state === 'unmeasured' ? undefined : pod.usedBytes);
  const order = largestFirst(bytesOf, ({ namespace, pod }) => [namespace, pod]);
  const unknown = unknownPods(reading, (pod) => belongs(pod, key)); // the empty selector matches them
  return [...known, ...unknown.map(measuredPodReport)].sort(
    (a, b) => Number(isMissing(b)) - Number(isMissing(a)) || order(a, b),
  );
}
