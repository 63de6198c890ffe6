/** Evictions as far as series show them. */
import type { Workload } from '../workload/workload.js';

/** Why a kubelet evicts pods for local storage. Closed list: label values. `other`: in words that no known kubelet uses. */
export const evictionCauses = [
  'emptydir_limit',
  'pod_limit',
  'container_limit',
  'node_bytes',
  'node_inodes',
  'node_admission',
  'other',
] as const;
export type EvictionCause = (typeof evictionCauses)[number];

/** What the message of an eviction for local storage names. */
export interface StorageEviction {
  readonly cause: EvictionCause;
  /** The container or the emptyDir that was above its limit; '' for all other causes. */
  readonly container: string;
  readonly volume: string;
  /** The limit that was exceeded, in bytes, rounded up; undefined for a cause without one. */
  readonly limitBytes: number | undefined;
  /** What the kubelet compared, in bytes or inodes; undefined for a limit, and where the message does not name it. */
  readonly shortage?: { readonly threshold: number; readonly available: number } | undefined;
}

/** One eviction of a pod for local storage. */
export interface EvictedPod extends StorageEviction {
  readonly namespace: string;
  readonly pod: string;
  readonly node: string;
  /** Wall time in milliseconds, according to the pod's status. */
  readonly evictedAtMs: number;
  /** What was last measured before: undefined usage where the kubelet reported no total. A text: why nothing is known. */
  readonly lastUsage: string | { readonly usage: { readonly usedBytes: number } | undefined };
}

/** The evictions of one workload or node that this process has seen. Immutable. */
export interface EvictionCounts<T> {
  readonly of: T;
  /** 0 for each cause; `other` is absent until it has been seen. */
  readonly counts: ReadonlyMap<EvictionCause, number>;
}

/** What the log has at one moment. */
export interface EvictionSnapshot {
  /** Of pods that are shown, as long as they have series, the newest eviction first. The same array until it changes. */
  readonly records: readonly EvictedPod[];
  readonly workloads: readonly EvictionCounts<Workload>[];
  /** By node name. */
  readonly nodes: readonly EvictionCounts<string>[];
}

export interface EvictionSnapshotOptions {
  /** Those that are counted also without an eviction. Counters of all others without a record are forgotten. */
  readonly workloads: Iterable<Workload>;
  readonly nodeNames: Iterable<string>;
  /** Whether pods that belong to no workload are shown. */
  readonly showsAllPods: boolean;
}

export const noEvictionsSeen: EvictionSnapshot = { records: [], workloads: [], nodes: [] };
