import type { EvictionCause } from '../history/eviction-record.js';

/** What an eviction shows of a shortage of its node. */
interface RememberedEviction {
  readonly namespace: string;
  readonly pod: string;
  readonly node: string;
  readonly cause: EvictionCause;
  readonly evictedAtMs: number;
  readonly lastUsage?:
    { readonly usedBytes?: number | undefined; readonly inodesUsed?: number | undefined } | undefined;
}

export interface RememberedEvictions {
  /** The newest first. */
  readonly evictions: readonly RememberedEviction[];
  /** Wall time, as those of the evictions. */
  readonly readAtMs: number;
}

/** A shortage of a node that is over, by the evictions for it. */
export interface PastShortage {
  /** Since the last eviction. */
  readonly ageMs: number;
  readonly ofInodes: boolean;
  /** The pod that was evicted first. */
  readonly first: RememberedEviction;
  readonly otherPodCount: number;
}

/** More than the kubelet's default of evictionPressureTransitionPeriod. */
const maxAgeMs = 600_000;

/** Undefined where no eviction of the last minutes shows one. Clocks of nodes may be ahead. */
export function pastShortage(nodeName: string, { evictions, readAtMs }: RememberedEvictions): PastShortage | undefined {
  const recent = evictions.filter(
    ({ node, cause, evictedAtMs }) =>
      node === nodeName &&
      (cause === 'node_bytes' || cause === 'node_inodes') &&
      Math.abs(readAtMs - evictedAtMs) <= maxAgeMs,
  );
  const [last, first] = [recent[0], recent.at(-1)];
  if (last === undefined || first === undefined) return undefined;
  return {
    ageMs: readAtMs - last.evictedAtMs,
    ofInodes: first.cause === 'node_inodes',
    first,
    otherPodCount: recent.length - 1,
  };
}
