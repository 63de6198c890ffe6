import { largestFirst } from '../base/ranking.js';
import type { Lane } from '../base/scheduler.js';
import type { Config } from '../config/schema.js';
import { formatSelector } from '../kube/selector.js';
import { measuredPodReport, type PodReport } from '../report/pod-report.js';
import { type WorkloadReport, workloadReport } from '../report/workload-report.js';
import type { WorkloadDefinition } from '../workload/label-workloads.js';
import { type Workload, workloadKey } from '../workload/workload.js';
import { emptyPartial, type WorkloadContainerUsage, type WorkloadSnapshot } from '../workload/workload-partial.js';
import type { ClusterReading, KnownPod } from './cluster-reading.js';
import { type NearMiss, NearMisses } from './near-misses.js';
import { knownPodState, unknownPods } from './pod-explanation.js';
import { measuredNodes } from './pod-filter.js';

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
  const key = workloadKey(workload);
  const near = nearMissesOf(workload, settings);
  if (near !== undefined) for (const { pod } of reading.knownPods) near.add(pod);
  return { ...factsOf(reading, workload, settings, near), pods: podReports(reading, key) };
}

/** The same without the pods. Takes the pods of the cluster one by one. */
export async function workloadFacts(
  reading: ClusterReading,
  workload: Workload,
  settings: Config['workloads'],
  lane: Lane,
): Promise<WorkloadFacts> {
  const near = nearMissesOf(workload, settings);
  if (near !== undefined) {
    await lane.each(reading.knownPods, ({ pod }) => {
      near.add(pod);
    });
  }
  return factsOf(reading, workload, settings, near);
}

/** Of a workload of the settings. */
function definitionOf({ origin, name }: Workload, { selectors }: Config['workloads']): WorkloadDefinition | undefined {
  return origin.source === 'configured' ? selectors.find((definition) => definition.name === name) : undefined;
}

function nearMissesOf(workload: Workload, settings: Config['workloads']): NearMisses | undefined {
  const definition = definitionOf(workload, settings);
  return definition && new NearMisses(definition, maxNearMissCount);
}

function factsOf(
  reading: ClusterReading,
  workload: Workload,
  settings: Config['workloads'],
  near: NearMisses | undefined,
): WorkloadFacts {
  const key = workloadKey(workload);
  const collected = reading.snapshot.workloads.find((candidate) => workloadKey(candidate.workload) === key);
  const snapshot = collected ?? notCollected(workload);
  return {
    ...workloadReport(snapshot),
    origin: originReport(workload, definitionOf(workload, settings)),
    containers: snapshot.usage?.containers,
    ...(near && nearMissReport(near)),
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

function nearMissReport(near: NearMisses): Pick<WorkloadExplanation, 'nearMisses' | 'nearMissCount'> {
  const { items, totalCount } = near.ranked();
  return { nearMisses: items, nearMissCount: totalCount };
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
  const known = [...reading.knownPods]
    .filter((pod) => belongs(pod, key))
    .map((pod) => knownPodState(pod, reading).report);
  const bytesOf = (pod: PodReport): number | undefined => (pod.state === 'unmeasured' ? undefined : pod.usedBytes);
  const order = largestFirst(bytesOf, ({ namespace, pod }) => [namespace, pod]);
  const unknown = unknownPods(measuredNodes(reading), (pod) => belongs(pod, key)); // the empty selector matches them
  return [...known, ...unknown.map(measuredPodReport)].sort(
    (a, b) => Number(isMissing(b)) - Number(isMissing(a)) || order(a, b),
  );
}
