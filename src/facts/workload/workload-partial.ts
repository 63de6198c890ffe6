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
  /** Undefined where that of one of them is unknown. */
  readonly usedBytes: number | undefined;
  readonly maxUsedBytes: number | undefined;
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

/** A node's part of the workloads. */
export interface NodePart {
  readonly nodeName: string;
  readonly hasData: boolean;
  /** False when it has left the cluster and its pods have not. */
  readonly isInCluster: boolean;
  /** The same object as long as nothing in it changes. */
  readonly workloads: WorkloadPartials;
}

export interface WorkloadSnapshot {
  readonly workload: Workload;
  /** Pods that summaries must list, and measured ones that are younger. */
  readonly expectedPods: number;
  /** Pods whose usage is in the sums. */
  readonly measuredPods: number;
  /** Expected pods on nodes of the cluster without data. */
  readonly podsOnAbsentNodes: number;
  readonly complete: boolean;
  /** It may have pods in namespaces whose pods are not known: it is not complete. */
  readonly mayHaveUnlistedPods: boolean;
  /** Time until the workload is collected again, in milliseconds; 0 when it is not backing off. */
  readonly backoffMs: number;
  /** Sums over all expected pods that declare one, measured or not. */
  readonly limitBytes: number | undefined;
  readonly requestBytes: number | undefined;
  /** Undefined when the collection failed or the workload is backing off. */
  readonly usage: WorkloadUsage | undefined;
}

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
