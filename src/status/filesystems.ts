import { areDifferent, type NodeLayout } from '../eviction/node-layout.js';
import type { FsStats, NodeSummary } from '../kubelet/summary.js';
import type { NodeSnapshot } from '../scrape/snapshot.js';
import type { FilesystemStatus } from './status.js';

/** What the pods of a node use: in all, and in writable layers. */
export interface PodBytes {
  readonly usedBytes: number;
  readonly rootfsBytes: number;
}

/** The filesystems that the summary has. */
export function filesystemsOf(
  { summary, layout, headrooms }: NodeSnapshot,
  pods: PodBytes,
): readonly FilesystemStatus[] {
  const thresholdOf = (filesystem: string): number | undefined =>
    headrooms.find((headroom) => headroom.filesystem === filesystem)?.thresholdBytes;
  const { nodefs, imagefs, containerfs } = summary;
  const filesystems: FilesystemStatus[] = [];
  if (nodefs !== undefined) {
    const podsUsedBytes =
      areLayersElsewhere(summary, layout) === true ? pods.usedBytes - pods.rootfsBytes : pods.usedBytes;
    filesystems.push({ ...figuresOf('nodefs', nodefs), podsUsedBytes, evictionThresholdBytes: thresholdOf('nodefs') });
  }
  if (imagefs !== undefined) {
    const sameAs = layout.hasDedicatedImagefs === false ? 'nodefs' : undefined;
    filesystems.push({ ...figuresOf('imagefs', imagefs), sameAs, evictionThresholdBytes: thresholdOf('imagefs') });
  }
  if (containerfs !== undefined) {
    filesystems.push({ ...figuresOf('containerfs', containerfs), sameAs: containerfsOf(summary, layout) });
  }
  return filesystems;
}

/** Whether writable layers are on another filesystem than nodefs: with the images, unless those have one for themselves. */
function areLayersElsewhere({ nodefs, containerfs }: NodeSummary, layout: NodeLayout): boolean | undefined {
  return layout.hasSplitImagefs === true ? areDifferent(nodefs, containerfs) : layout.hasDedicatedImagefs;
}

function containerfsOf({ nodefs, containerfs }: NodeSummary, layout: NodeLayout): FilesystemStatus['sameAs'] {
  if (layout.hasSplitImagefs === false) return 'imagefs';
  return layout.hasSplitImagefs === true && areDifferent(nodefs, containerfs) === false ? 'nodefs' : undefined;
}

/** The fullest filesystem's part of bytes or inodes that is not free; undefined when none is known. */
export function fullestRatio({ summary: { nodefs, imagefs, containerfs } }: NodeSnapshot): number | undefined {
  const ratios = [nodefs, imagefs, containerfs].flatMap((stats) =>
    stats === undefined ? [] : [bytesFullRatio(stats), inodesFullRatio(stats)],
  );
  const known = ratios.filter((ratio) => ratio !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

function figuresOf(filesystem: FilesystemStatus['filesystem'], stats: FsStats): FilesystemStatus {
  const { usedBytes, availableBytes, capacityBytes, inodes, inodesFree } = stats;
  return {
    filesystem,
    usedBytes,
    availableBytes,
    capacityBytes,
    inodes,
    inodesFree,
    fullRatio: bytesFullRatio(stats),
    inodesFullRatio: inodesFullRatio(stats),
  };
}

function bytesFullRatio({ availableBytes, capacityBytes }: FsStats): number | undefined {
  return takenRatio(availableBytes, capacityBytes);
}

function inodesFullRatio({ inodesFree, inodes }: FsStats): number | undefined {
  return takenRatio(inodesFree, inodes);
}

function takenRatio(free: number | undefined, total: number | undefined): number | undefined {
  return free === undefined || total === undefined || total === 0 ? undefined : Math.max(0, 1 - free / total);
}
