import type { Labels } from '../kube/objects.js';
import type { Workload } from '../workload/workload.js';
import type { StorageEviction } from './eviction-message.js';
import type { LastUsage } from './last-usage.js';

/**
 * Why nothing is known of what an evicted pod used. `before_start`: it was evicted before this exporter's first list.
 * `not_measured`: no summary of the last minutes listed it, as when it was refused at admission, or filled the disk before
 * it was measured.
 * `no_exporter`: only the status of the pod was read.
 */
export type UnknownUsageReason = 'before_start' | 'not_measured' | 'no_exporter';

/** One eviction of a pod for local storage. */
export interface EvictionRecord extends StorageEviction {
  readonly namespace: string;
  readonly pod: string;
  /** Of the API object. */
  readonly uid: string;
  readonly node: string;
  /** The pod's. */
  readonly labels: Labels;
  /** Those that the pod belonged to. */
  readonly workloads: readonly Workload[];
  /** As the kubelet wrote it, at most 2,000 characters. */
  readonly message: string;
  /** Wall times in milliseconds: of the eviction according to the pod's status, and when the exporter saw it. */
  readonly evictedAtMs: number;
  readonly seenAtMs: number;
  /** The exporter saw it happen; otherwise it found the evicted pod at its start. */
  readonly wasSeenLive: boolean;
  /** The node's condition when the eviction was seen; undefined when it was unknown. */
  readonly diskPressure: boolean | undefined;
  readonly lastUsage: LastUsage | UnknownUsageReason;
}
