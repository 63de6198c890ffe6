import type { Workload } from './workload.js';

/** The figures of one workload; undefined where nothing is known. Sums are exact up to 2^53, beyond that rounded. */
export interface WorkloadFigures {
  readonly usedBytes: number;
  readonly podMaxUsedBytes: number | undefined;
  /** Sums over the pods that declare one. */
  readonly limitBytes: number | undefined;
  readonly requestBytes: number | undefined;
  readonly containers: readonly WorkloadContainerFigures[];
}

/** Of no pod. */
export const noFigures: WorkloadFigures = {
  usedBytes: 0,
  podMaxUsedBytes: undefined,
  limitBytes: undefined,
  requestBytes: undefined,
  containers: [],
};

export interface WorkloadContainerFigures {
  readonly container: string;
  readonly usedBytes: number;
  readonly maxUsedBytes: number;
}

/** What some pods give to one workload, those of one node for example. Immutable: it may be kept with what it came from. */
export interface WorkloadPartial {
  readonly workload: Workload;
  readonly figures: WorkloadFigures;
  /** Pods that summaries must have, and those of them that they do have. */
  readonly expectedPods: number;
  readonly measuredPods: number;
  /** Pods whose volumes the kubelet has not measured yet. */
  readonly pendingPods: number;
}

/** By the workload's key. */
export type WorkloadPartials = ReadonlyMap<string, WorkloadPartial>;
