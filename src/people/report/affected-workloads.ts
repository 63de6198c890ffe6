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

/** The workloads that are incomplete for one cause. */
export class AffectedWorkloads {
  readonly #incomplete: IncompleteWorkloads;
  readonly keys = new Set<string>();

  /** `incomplete`: for any cause. */
  constructor(incomplete: IncompleteWorkloads) {
    this.#incomplete = incomplete;
  }

  /** The workloads of a pod, of which those count that are incomplete. */
  add(workloads: readonly Workload[]): void {
    for (const key of workloads.map(workloadKey)) {
      if (this.#incomplete.has(key)) this.keys.add(key);
    }
  }

  report(): AffectedWorkloadsReport {
    const workloads = Array.from(this.keys, (key) => this.#incomplete.get(key)).filter((known) => known !== undefined);
    const sorted = workloads.sort(byNames(({ namespace, name, type }) => [namespace, name, type]));
    return {
      incompleteWorkloadCount: workloads.length,
      exampleWorkloads: workloadReferences(sorted.slice(0, exampleCount)),
    };
  }
}
