import type { FailureReason } from '../../lib/base/errors.js';
import type { KubeletConfiguration } from './kubelet-configuration.js';
import type { NodeSummary, PodSummary } from './summary.js';

/** A summary is served for two TTLs: fresh for one, stale for another. */
export function servedMs(ttlMs: number): number {
  return 2 * ttlMs;
}

/** A summary that may be served. */
export interface FoundLookup {
  readonly state: 'fresh' | 'stale';
  readonly summary: NodeSummary;
  /** Monotonic time in milliseconds at which the summary arrived. */
  readonly arrivedAtMs: number;
  /** Wall time in milliseconds at which the summary was fetched: the same until the next fetch. */
  readonly fetchedAtMs: number;
  /** The same object until it changes; undefined while it is not known. */
  readonly configuration: KubeletConfiguration | undefined;
}

export interface AbsentLookup {
  readonly state: 'absent';
  readonly reason: FailureReason;
  /** See `isIsolationFailure`: for so long that it is no passing failure. */
  readonly isIsolationOff?: boolean;
}

/** What is known of a node from its kubelet. */
export type CacheLookup = FoundLookup | AbsentLookup;

/** The last summary of a node, however old. */
export interface LastSummary {
  readonly summary: NodeSummary;
  readonly ageMs: number;
  readonly configuration: KubeletConfiguration | undefined;
}

/** What a pod used, according to one summary. */
export interface UsageSample {
  /**
   * Time in milliseconds at which the summary was fetched, or the kubelet measured: wall time that never jumps, so that growth
   * can be derived.
   */
  readonly atMs: number;
  readonly usedBytes: number;
}

/** What was last measured of a pod. */
export interface LastMeasurement {
  /** Of the last summary that listed the pod. */
  readonly summary: PodSummary;
  /** When that summary was fetched, as in {@link UsageSample}. */
  readonly fetchedAtMs: number;
  /**
   * At most ten, the oldest first: the last four as they came, older ones at least 45 s apart. The last one is that of `summary`. None for summaries without a total of the pod, or
   * with one that lacks volumes which others have: the difference is no growth.
   */
  readonly samples: readonly UsageSample[];
}
