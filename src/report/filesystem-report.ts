import { areDifferent, type NodeLayout } from '../eviction/node-layout.js';
import type { FsStats, NodeSummary } from '../kubelet/summary.js';
import type { NodeSnapshot, PodSnapshot } from '../scrape/snapshot.js';

export interface FilesystemReport {
  readonly filesystem: 'nodefs' | 'imagefs' | 'containerfs';
  /** The other filesystem of the node that it is the same as, judged by sizes and free space. */
  readonly sameAs?: 'nodefs' | 'imagefs' | undefined;
  /** Of nodefs everything; of imagefs and containerfs, images and writable layers. */
  readonly usedBytes?: number | undefined;
  readonly availableBytes?: number | undefined;
  readonly capacityBytes?: number | undefined;
  /** Of nodefs: what the pods use there. */
  readonly podsUsedBytes?: number | undefined;
  /** Hard eviction threshold, where it is known. */
  readonly evictionThresholdBytes?: number | undefined;
  readonly inodes?: number | undefined;
  readonly inodesFree?: number | undefined;
  /** 1 less the free part. */
  readonly fullRatio?: number | undefined;
  readonly inodesFullRatio?: number | undefined;
}

/** From here on a filesystem is shown as full: the kubelet's own thresholds are at 85 % (images) and 90 %. */
export const fullRatio = 0.85;

/** Pods of a node: how many, what they use, and what of it is in writable layers. */
export interface PodBytes {
  readonly podCount: number;
  readonly usedBytes: number;
  readonly rootfsBytes: number;
}

export function podBytes(pods: readonly PodSnapshot[]): PodBytes {
  let usedBytes = 0;
  let rootfsBytes = 0;
  for (const { usage } of pods) {
    usedBytes += usage.usedBytes;
    rootfsBytes += usage.components.rootfs;
  }
  return { podCount: pods.length, usedBytes, rootfsBytes };
}

/** The filesystems that the summary has. */
export function filesystemReports(
  { summary, layout, headrooms }: NodeSnapshot,
  pods: PodBytes,
): readonly FilesystemReport[] {
  const thresholdOf = (filesystem: string): number | undefined =>
    headrooms.find((headroom) => headroom.filesystem === filesystem)?.thresholdBytes;
  const { nodefs, imagefs, containerfs } = summary;
  const filesystems: FilesystemReport[] = [];
  if (nodefs !== undefined) {
    const podsUsedBytes =
      areLayersElsewhere(summary, layout) === true ? pods.usedBytes - pods.rootfsBytes : pods.usedBytes;
    filesystems.push({ ...valuesOf('nodefs', nodefs), podsUsedBytes, evictionThresholdBytes: thresholdOf('nodefs') });
  }
  if (imagefs !== undefined) {
    const sameAs = layout.hasDedicatedImagefs === false ? 'nodefs' : undefined;
    filesystems.push({ ...valuesOf('imagefs', imagefs), sameAs, evictionThresholdBytes: thresholdOf('imagefs') });
  }
  if (containerfs !== undefined) {
    filesystems.push({ ...valuesOf('containerfs', containerfs), sameAs: containerfsOf(summary, layout) });
  }
  return filesystems;
}

/** Whether writable layers are on another filesystem than nodefs: the one of the images, unless that holds images only. */
function areLayersElsewhere({ nodefs, containerfs }: NodeSummary, layout: NodeLayout): boolean | undefined {
  return layout.hasSplitImagefs === true ? areDifferent(nodefs, containerfs) : layout.hasDedicatedImagefs;
}

function containerfsOf({ nodefs, containerfs }: NodeSummary, layout: NodeLayout): FilesystemReport['sameAs'] {
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

function valuesOf(filesystem: FilesystemReport['filesystem'], stats: FsStats): FilesystemReport {
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
