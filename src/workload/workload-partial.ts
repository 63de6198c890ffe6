import type { Workload } from './workload.js';

/** The usage of a workload's measured pods. Sums are exact up to 2^53, beyond that rounded. */
export interface WorkloadUsage {
  readonly usedBytes: number;
  /** Undefined without measured pods. */
  readonly podMaxUsedBytes: number | undefined;
  readonly containers: readonly WorkloadContainerUsage[];
}

export interface WorkloadContainerUsage {
  readonly container: string;
  readonly usedBytes: number;
  readonly maxUsedBytes: number;
}

/** The part of a workload that some of its pods make up, those of one node for example. Immutable. */
export interface WorkloadPartial {
  readonly workload: Workload;
  readonly usage: WorkloadUsage;
  /** Sums over all pods that declare one, measured or not; undefined where none does. */
  readonly limitBytes: number | undefined;
  readonly requestBytes: number | undefined;
  /** Pods that summaries must list, and measured ones that are younger. */
  readonly expectedPods: number;
  /** Pods whose usage is in the sums. */
  readonly measuredPods: number;
  /** Measured pods whose volumes the kubelet has not measured yet. */
  readonly pendingPods: number;
}

/** By the workload's key. */
export type WorkloadPartials = ReadonlyMap<string, WorkloadPartial>;

/** A workload without pods. */
export function emptyPartial(workload: Workload): WorkloadPartial {
  return {
    workload,
    usage: noUsage,
    limitBytes: undefined,
    requestBytes: undefined,
    expectedPods: 0,
    measuredPods: 0,
    pendingPods: 0,
  };
}

/** The usage of no pod. */
export const noUsage: WorkloadUsage = { usedBytes: 0, podMaxUsedBytes: undefined, containers: [] };
