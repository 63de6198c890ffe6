import { type Workload, workloadKey } from '../../facts/workload/workload.js';
import { byNames } from '../../lib/base/ranking.js';
import { type WorkloadReference, workloadReferences } from './workload-report.js';

export interface AffectedWorkloadsReport {
  /** Workloads whose sums lack these pods, or volumes of them. */
  readonly incompleteWorkloadCount: number;
  /** The first of them by name. */
  readonly exampleWorkloads: readonly WorkloadReference[];
}

/** How many of what is affected are named. */
export const exampleCount = 3;

/** Incomplete workloads by their keys. */
export type IncompleteWorkloads = ReadonlyMap<string, Workload>;

/** Returns those of the workloads that are incomplete, each once. */
export function incompleteOf(workloads: Iterable<Workload>, incomplete: IncompleteWorkloads): IncompleteWorkloads {
  const found = new Map<string, Workload>();
  for (const workload of workloads) {
    const known = incomplete.get(workloadKey(workload));
    if (known !== undefined) found.set(workloadKey(workload), known);
  }
  return found;
}

/** Returns the report of all of them together, each workload once. */
export function affectedReport(affected: readonly IncompleteWorkloads[]): AffectedWorkloadsReport {
  const all = new Map<string, Workload>();
  for (const workloads of affected) for (const [key, workload] of workloads) all.set(key, workload);
  const sorted = [...all.values()].sort(byNames(({ namespace, name, type }) => [namespace, name, type]));
  return {
    incompleteWorkloadCount: sorted.length,
    exampleWorkloads: workloadReferences(sorted.slice(0, exampleCount)),
  };
}
