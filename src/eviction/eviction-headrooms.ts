import type { EvictionThresholds, FilesystemThresholds, Threshold } from '../kubelet/eviction-thresholds.js';
import type { FsStats, NodeSummary } from '../kubelet/summary.js';

/** How far one filesystem of a node is from evictions; undefined without a threshold, or when the available space is unknown. */
export interface EvictionHeadroom {
  readonly filesystem: 'nodefs' | 'imagefs';
  readonly thresholdBytes: number | undefined;
  /** Available bytes above the threshold; below 0 the kubelet evicts. */
  readonly headroomBytes: number | undefined;
  readonly thresholdInodes: number | undefined;
  /** Free inodes above the threshold; below 0 the kubelet evicts. */
  readonly headroomInodes: number | undefined;
}

/** Of the filesystems in the summary, from the values in it, which the kubelet compares as well. */
export function evictionHeadrooms(
  { nodefs, imagefs }: NodeSummary,
  thresholds: EvictionThresholds | undefined,
): readonly EvictionHeadroom[] {
  if (thresholds === undefined) return [];
  const headrooms: EvictionHeadroom[] = [];
  if (nodefs !== undefined) headrooms.push(headroomOf('nodefs', nodefs, thresholds.nodefs));
  if (imagefs !== undefined) headrooms.push(headroomOf('imagefs', imagefs, thresholds.imagefs));
  return headrooms;
}

function headroomOf(
  filesystem: EvictionHeadroom['filesystem'],
  { availableBytes, capacityBytes, inodesFree, inodes }: FsStats,
  thresholds: FilesystemThresholds,
): EvictionHeadroom {
  const thresholdBytes = amountOf(thresholds.available, capacityBytes);
  const thresholdInodes = amountOf(thresholds.inodesFree, inodes);
  return {
    filesystem,
    thresholdBytes,
    headroomBytes: difference(availableBytes, thresholdBytes),
    thresholdInodes,
    headroomInodes: difference(inodesFree, thresholdInodes),
  };
}

/** A part of the total is rounded towards zero, as the kubelet does. */
function amountOf(threshold: Threshold | undefined, total: number | undefined): number | undefined {
  if (threshold === undefined) return undefined;
  if ('amount' in threshold) return threshold.amount;
  return total === undefined ? undefined : Math.trunc(total * threshold.ratio);
}

function difference(left: number | undefined, threshold: number | undefined): number | undefined {
  return left === undefined || threshold === undefined ? undefined : left - threshold;
}
