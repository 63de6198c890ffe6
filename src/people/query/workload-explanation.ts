import { formatSelector } from '../../cluster/kube/selector.js';
import type { Config } from '../../config/schema.js';
import type { WorkloadDefinition } from '../../facts/workload/label-workloads.js';
import { type Workload, workloadKey } from '../../facts/workload/workload.js';
import {
  emptyPartial,
  type WorkloadContainerUsage,
  type WorkloadSnapshot,
} from '../../facts/workload/workload-partial.js';
import type { Lane } from '../../lib/base/lane.js';
import type { PodReport } from '../report/pod-report.js';
import { type WorkloadReport, workloadReport } from '../report/workload-report.js';
import type { ClusterReading } from './cluster-reading.js';

/** What the pods of a workload add up to, and how they were found: plain data with exact numbers. */
export interface WorkloadFacts extends WorkloadReport {
  readonly origin: OriginReport;
  /** Absent when it could not be collected. */
  readonly containers?: readonly WorkloadContainerUsage[] | undefined;
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

/** Of a workload of the settings. */
function definitionOf({ origin, name }: Workload, { selectors }: Config['workloads']): WorkloadDefinition | undefined {
  return origin.source === 'configured' ? selectors.find((definition) => definition.name === name) : undefined;
}

export function workloadFacts(
  reading: ClusterReading,
  workload: Workload,
  settings: Config['workloads'],
): WorkloadFacts {
  const key = workloadKey(workload);
  const collected = reading.snapshot.workloads.find((candidate) => workloadKey(candidate.workload) === key);
  const snapshot = collected ?? notCollected(workload);
  return {
    ...workloadReport(snapshot),
    origin: originReport(workload, definitionOf(workload, settings)),
    containers: snapshot.usage?.containers,
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

function originReport({ origin }: Workload, definition: WorkloadDefinition | undefined): OriginReport {
  if (origin.source !== 'configured') return origin;
  const { selector = [], namespaces = [] } = definition ?? {};
  return { source: 'configured', selector: formatSelector(selector), namespaces };
}
