import { countsInodes } from '../../cluster/kubelet/eviction-signals.js';
import { type EvictionRecord, isOutdated } from '../../facts/history/eviction-record.js';
import type { Shortage } from '../../facts/node/disk-verdict.js';

/** What an eviction shows of a shortage of its node. */
interface RememberedEviction extends Pick<EvictionRecord, 'namespace' | 'pod' | 'node' | 'cause' | 'evictedAtMs'> {
  readonly lastUsage?:
    | {
        readonly usedBytes?: number | undefined;
        readonly inodesUsed?: number | undefined;
        /** From the measurement to the eviction. */
        readonly ageMs: number;
      }
    | undefined;
}

export interface RememberedEvictions {
  /** The newest first. */
  readonly evictions: readonly RememberedEviction[];
  /** Wall time, as those of the evictions. */
  readonly readAtMs: number;
}

/** What earlier evictions explain of a node: a shortage that is over, or one that ends when the files of a pod are deleted. */
export interface PastShortage {
  /** Since the last eviction. */
  readonly ageMs: number;
  readonly ofInodes: boolean;
  /** The pod that was evicted first or, where bytes are still missing, the one that has them. */
  readonly first: RememberedEviction;
  readonly otherPodCount: number;
  /** A summary after the last eviction shows it: an older one ends nothing. */
  readonly isOver: boolean;
}

/** More than the kubelet's default of evictionPressureTransitionPeriod. */
const maxAgeMs = 600_000;

/** That default: an eviction that comes later after another one is for another shortage. */
const maxGapMs = 300_000;

/**
 * Undefined where no eviction of the last minutes shows one. A shortage of inodes is another one than of bytes. Clocks of nodes may
 * be ahead. `summaryAgeMs`: of the last summary.
 */
export function pastShortage(
  nodeName: string,
  remembered: RememberedEvictions,
  summaryAgeMs: number,
): PastShortage | undefined {
  const recent = evictionsFor(nodeName, remembered, maxAgeMs);
  const [last] = recent;
  if (last === undefined) return undefined;
  const same = recent.filter(({ cause }) => cause === last.cause);
  const gap = same.findIndex(({ evictedAtMs }, at) => evictedAtMs - (same[at + 1]?.evictedAtMs ?? 0) > maxGapMs);
  const ageMs = remembered.readAtMs - last.evictedAtMs;
  return {
    ageMs,
    ofInodes: last.cause === 'node_inodes',
    first: same[gap] ?? last,
    otherPodCount: gap,
    isOver: ageMs > summaryAgeMs,
  };
}

/** Twice as long as the kubelet waits for an evicted pod to be cleaned up before it evicts the next one. */
const cleanUpMs = 60_000;

/** The eviction of a pod that had what is still missing: its files are deleted only after it. */
export function unfreedEviction(
  nodeName: string,
  { signal, missing }: Shortage,
  remembered: RememberedEvictions,
): PastShortage | undefined {
  const ofInodes = countsInodes(signal);
  const cause = ofInodes ? 'node_inodes' : 'node_bytes';
  const usedBy = (eviction: RememberedEviction): number => usedAtLast(eviction, ofInodes) ?? 0;
  const recent = evictionsFor(nodeName, remembered, cleanUpMs).filter((eviction) => eviction.cause === cause);
  const [first] = recent.toSorted((a, b) => usedBy(b) - usedBy(a));
  if (first === undefined || usedBy(first) < missing) return undefined;
  return { ageMs: remembered.readAtMs - first.evictedAtMs, ofInodes, first, otherPodCount: 0, isOver: false };
}

/** Undefined where it was not measured shortly before its eviction. */
export function usedAtLast({ lastUsage }: RememberedEviction, ofInodes: boolean): number | undefined {
  if (lastUsage === undefined || isOutdated(lastUsage.ageMs)) return undefined;
  return ofInodes ? lastUsage.inodesUsed : lastUsage.usedBytes;
}

function evictionsFor(
  nodeName: string,
  { evictions, readAtMs }: RememberedEvictions,
  ageMs: number,
): readonly RememberedEviction[] {
  return evictions.filter(
    ({ node, cause, evictedAtMs }) =>
      node === nodeName &&
      (cause === 'node_bytes' || cause === 'node_inodes') &&
      Math.abs(readAtMs - evictedAtMs) <= ageMs,
  );
}
