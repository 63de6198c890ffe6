import type { FsStats, NodeSummary } from '../kubelet/summary.js';

/** Where a node keeps images and writable layers; undefined where the kubelet does not report enough to decide. */
export interface NodeLayout {
  /** Images live on another filesystem than the kubelet's own files. */
  readonly hasDedicatedImagefs: boolean | undefined;
  /** Writable layers live on another filesystem than images: KEP-4191. */
  readonly hasSplitImagefs: boolean | undefined;
}

/** Two measurements of one filesystem are taken moments apart: this much of its size may be written in between. */
const driftRatio = 0.01;

/**
 * Derived from the sizes, as the kubelet names no devices: one filesystem, measured twice, has one size, one number of
 * inodes, and about the same number of free bytes.
 */
export function nodeLayout({ nodefs, imagefs, containerfs }: NodeSummary): NodeLayout {
  const hasSplitImagefs = areDifferent(imagefs, containerfs);
  const isElsewhere = hasSplitImagefs === true || holdsMore(imagefs, nodefs);
  return { hasDedicatedImagefs: isElsewhere || areDifferent(nodefs, imagefs), hasSplitImagefs };
}

/**
 * Whether the runtime has more on imagefs than there is on nodefs: two disks of one size may be about equally empty. Both
 * in bytes and in inodes, as some runtimes count shared layers several times.
 */
function holdsMore(imagefs: FsStats | undefined, nodefs: FsStats | undefined): boolean {
  return isMore(imagefs?.usedBytes, nodefs?.usedBytes) && isMore(imagefs?.inodesUsed, nodefs?.inodesUsed);
}

function isMore(a: number | undefined, b: number | undefined): boolean {
  return a !== undefined && b !== undefined && a > b;
}

/** The filesystem that another name stands for, too; undefined for one of its own, or when that is unknown. */
export function sameFilesystem(
  filesystem: 'nodefs' | 'imagefs' | 'containerfs',
  { nodefs, containerfs }: Pick<NodeSummary, 'nodefs' | 'containerfs'>,
  { hasDedicatedImagefs, hasSplitImagefs }: NodeLayout,
): 'nodefs' | 'imagefs' | undefined {
  if (filesystem === 'nodefs') return undefined;
  if (filesystem === 'imagefs') return hasDedicatedImagefs === false ? 'nodefs' : undefined;
  if (hasSplitImagefs === false) return 'imagefs';
  return areDifferent(nodefs, containerfs) === false ? 'nodefs' : undefined;
}

/** With what was not known of the first one; the same object when nothing was missing. */
export function completedLayout(known: NodeLayout, found: NodeLayout): NodeLayout {
  const { hasDedicatedImagefs, hasSplitImagefs } = known;
  if (hasDedicatedImagefs !== undefined && hasSplitImagefs !== undefined) return known;
  return {
    hasDedicatedImagefs: hasDedicatedImagefs ?? found.hasDedicatedImagefs,
    hasSplitImagefs: hasSplitImagefs ?? found.hasSplitImagefs,
  };
}

/** Undefined where the values do not show it. */
export function areDifferent(a: FsStats | undefined, b: FsStats | undefined): boolean | undefined {
  if (a?.capacityBytes === undefined || b?.capacityBytes === undefined) return undefined;
  if (a.capacityBytes !== b.capacityBytes || differ(a.inodes, b.inodes)) return true;
  if (a.availableBytes === undefined || b.availableBytes === undefined) return undefined;
  return Math.abs(a.availableBytes - b.availableBytes) > a.capacityBytes * driftRatio;
}

function differ(a: number | undefined, b: number | undefined): boolean {
  return a !== undefined && b !== undefined && a !== b;
}

/**
 * `shared`: one filesystem for all. `dedicated`: images and writable layers on their own. `split`: images on their own,
 * writable layers with logs and volumes.
 */
export type StorageLayout = 'shared' | 'dedicated' | 'split';

/** Of a node that does not show its layout, the usual one: one filesystem for all. */
export function storageLayout({ hasDedicatedImagefs, hasSplitImagefs }: NodeLayout): StorageLayout {
  if (hasDedicatedImagefs !== true) return 'shared';
  return hasSplitImagefs === true ? 'split' : 'dedicated';
}
