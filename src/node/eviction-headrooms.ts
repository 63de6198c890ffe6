import { countsInodes, filesystemOf } from '../kubelet/eviction-signals.js';
import type { NodeThreshold } from './node-thresholds.js';

/**
 * How far a filesystem of a node is from evictions at once, by its own signals; undefined without a threshold, or when the
 * available space is unknown.
 */
export interface EvictionHeadroom {
  readonly filesystem: 'nodefs' | 'imagefs';
  readonly thresholdBytes: number | undefined;
  /** Available bytes above the threshold; below 0 the kubelet evicts. */
  readonly headroomBytes: number | undefined;
  readonly thresholdInodes: number | undefined;
  /** Free inodes above the threshold; below 0 the kubelet evicts. */
  readonly headroomInodes: number | undefined;
}

/** Of the hard thresholds that are known. None of containerfs: it has those of nodefs or imagefs. */
export function evictionHeadrooms(thresholds: readonly NodeThreshold[]): readonly EvictionHeadroom[] {
  const hard = thresholds.filter(({ gracePeriodMs, isAssumed }) => gracePeriodMs === 0 && !isAssumed);
  return (['nodefs', 'imagefs'] as const).flatMap((filesystem) => {
    const ofFilesystem = hard.filter(({ signal }) => filesystemOf(signal) === filesystem);
    const bytes = firstCrossed(ofFilesystem.filter(({ signal }) => !countsInodes(signal)));
    const inodes = firstCrossed(ofFilesystem.filter(({ signal }) => countsInodes(signal)));
    if (bytes === undefined && inodes === undefined) return [];
    return [
      {
        filesystem,
        thresholdBytes: bytes?.threshold,
        headroomBytes: bytes?.headroom,
        thresholdInodes: inodes?.threshold,
        headroomInodes: inodes?.headroom,
      },
    ];
  });
}

/** Of several thresholds of one signal, the highest: the other ones change nothing before it. */
function firstCrossed(thresholds: readonly NodeThreshold[]): NodeThreshold | undefined {
  return thresholds.toSorted((a, b) => (b.threshold ?? 0) - (a.threshold ?? 0))[0];
}
