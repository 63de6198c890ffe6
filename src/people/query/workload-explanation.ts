import { formatSelector } from '../../cluster/kube/selector.js';
import { type Workload, type WorkloadDefinition, workloadKey } from '../../facts/workload/workload.js';
import { emptyPartial, type WorkloadSnapshot } from '../../facts/workload/workload-partial.js';
import type { Lane } from '../../lib/base/lane.js';
import type { ShownEviction } from '../report/eviction-report.js';
import type { PodReport } from '../report/pod-report.js';
import { type WorkloadReport, workloadReport } from '../report/workload-report.js';
import type { WorkloadVerdictReport } from '../report/workload-verdict.js';
import type { ClusterReading } from './cluster-reading.js';
import type { ListPage } from './list-page.js';

/** What the pods of a workload add up to, and how they were found: plain data with exact numbers. */
export interface WorkloadFacts extends WorkloadReport {
  readonly origin: OriginReport;
  /** Absent when it could not be collected. */
  readonly containers?: NonNullable<WorkloadSnapshot['usage']>['containers'] | undefined;
}

export interface WorkloadObject {
  readonly workload: WorkloadFacts & { readonly verdict: WorkloadVerdictReport };
  readonly pods: ListPage<PodReport>;
  /** Those that are not measured, or only in part, and why. */
  readonly missing: ListPage<PodReport>;
  readonly evictions: readonly ShownEviction[];
}

export type OriginReport =
  | { readonly source: 'configured'; readonly selector: string; readonly namespaces: readonly string[] }
  | { readonly source: 'labels'; readonly labels: Readonly<Record<string, string>> }
  | { readonly source: 'controller'; readonly kind: string };

/** Returns a workload by its key, also one none of whose pods runs, to which their pages link. */
export async function knownWorkload(
  { snapshot, knownPods }: ClusterReading,
  key: string,
  lane: Lane,
): Promise<Workload | undefined> {
  let found = snapshot.workloads.find(({ workload }) => workloadKey(workload) === key)?.workload;
  if (found !== undefined) return found;
  await lane.each(knownPods, ({ workloads }) => {
    found ??= workloads.find((workload) => workloadKey(workload) === key);
  });
  return found;
}

/** A workload with its pods. */
export interface WorkloadWithPods extends WorkloadFacts {
  readonly verdict: WorkloadVerdictReport;
  /** Those that make it incomplete first, then those that are near a limit, then the largest; there may be more. */
  readonly pods: readonly PodReport[];
  readonly podCount: number;
}

/** Returns what is explained of a view. */
export function workloadWithPods({ workload, pods }: WorkloadObject): WorkloadWithPods {
  const missingFirst = pods.items.toSorted((a, b) => Number(isMissing(b)) - Number(isMissing(a)));
  return { ...workload, pods: missingFirst, podCount: pods.totalCount };
}

export function workloadFacts(
  reading: ClusterReading,
  workload: Workload,
  definitions: readonly WorkloadDefinition[],
): WorkloadFacts {
  const key = workloadKey(workload);
  const collected = reading.snapshot.workloads.find((candidate) => workloadKey(candidate.workload) === key);
  const snapshot = collected ?? notCollected(workload);
  return {
    ...workloadReport(snapshot),
    origin: originReport(workload, definitions),
    containers: snapshot.usage?.containers,
  };
}

/** Whether the pod makes its workloads incomplete. */
export function isMissing(pod: PodReport): boolean {
  return pod.state === 'unmeasured' ? pod.isExpected : pod.state === 'pending';
}

/** A workload none of whose pods is expected or measured. */
export function notCollected(workload: Workload): WorkloadSnapshot {
  const counts = { ...emptyPartial(workload), podsOnAbsentNodes: 0 };
  return { ...counts, complete: false, mayHaveUnlistedPods: false, backoffMs: 0, usage: undefined };
}

function originReport({ origin, name }: Workload, definitions: readonly WorkloadDefinition[]): OriginReport {
  if (origin.source !== 'configured') return origin;
  const { selector = [], namespaces = [] } = definitions.find((definition) => definition.name === name) ?? {};
  return { source: 'configured', selector: formatSelector(selector), namespaces };
}
