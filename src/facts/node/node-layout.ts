import type { FsStats, NodeSummary } from '../../cluster/kubelet/summary.js';

/** Where a node keeps images and writable layers; undefined where the kubelet does not report enough to decide. */
export interface NodeLayout {
  /** Images live on another filesystem than the kubelet's own files. */
  readonly hasDedicatedImagefs: boolean | undefined;
  /** Writable layers live on another filesystem than images: KEP-4191. */
  readonly hasSplitImagefs: boolean | undefined;
}

/** Two measurements of one filesystem are taken moments apart: this much of it may be written in between. */
const driftRatio = 0.01;
/** So many summaries in a row show two filesystems of one size, as a burst between two looks at one would, too. */
const provenCount = 2;
/** So many in a row overrule what was decided: devices do not change under a kubelet. */
const overruledCount = 3;

/** `apart`: two filesystems, or one that was written to between two looks. */
type Evidence = 'other_size' | 'apart' | 'alike';

/** Whether two filesystems of a node are two, or one that has two names. */
interface FilesystemPair {
  /** Undefined until both have figures to compare. */
  readonly stats: readonly [FsStats, FsStats] | undefined;
  /** Of the last summary in which both were measured again. */
  readonly evidence: Evidence | undefined;
  /** How many summaries in a row said so. */
  readonly count: number;
  /** Undefined until it is decided. */
  readonly areTwo: boolean | undefined;
}

const unseen = { stats: undefined, evidence: undefined, count: 0 };

/** What the summaries of a node have shown of its filesystems. */
export interface LayoutEvidence {
  readonly dedicated: FilesystemPair | undefined;
  readonly split: FilesystemPair | undefined;
}

/** Adds a summary. `isNewLife`: of a kubelet that has started since, which decides again. */
export function layoutEvidence(
  { nodefs, imagefs, containerfs }: NodeSummary,
  known?: LayoutEvidence,
  isNewLife = false,
): LayoutEvidence {
  const holdsMore = isMore(imagefs?.usedBytes, nodefs?.usedBytes) && holdsMoreInodes(imagefs, nodefs);
  const look = { isNewLife, areApart: holdsMore };
  return {
    dedicated: pairOf([nodefs, imagefs], known?.dedicated, look),
    split: pairOf([imagefs, containerfs], known?.split, { isNewLife, areApart: false }),
  };
}

/** Until it is decided, there is one filesystem: limits that are compared with too much warn. */
export function layoutFrom({ dedicated, split }: LayoutEvidence): NodeLayout {
  const isTrue = (pair: FilesystemPair | undefined): boolean | undefined => pair && (pair.areTwo ?? false);
  return { hasDedicatedImagefs: split?.areTwo === true || isTrue(dedicated), hasSplitImagefs: isTrue(split) };
}

/** What a single summary shows. */
export function nodeLayout(summary: NodeSummary): NodeLayout {
  return layoutFrom(layoutEvidence(summary));
}

interface Look {
  readonly isNewLife: boolean;
  /** Whether there is another sign of two. */
  readonly areApart: boolean;
}

function pairOf(
  [a, b]: readonly [FsStats | undefined, FsStats | undefined],
  known: FilesystemPair | undefined,
  look: Look,
): FilesystemPair | undefined {
  const seen = a && b ? (seenPair([a, b], known, look) ?? known ?? unseen) : known;
  return seen && { ...seen, areTwo: decided(seen, look.isNewLife ? undefined : known?.areTwo) };
}

/** Undefined where the values show nothing new. */
function seenPair(
  stats: readonly [FsStats, FsStats],
  known: FilesystemPair | undefined,
  { isNewLife, areApart }: Look,
): Omit<FilesystemPair, 'areTwo'> | undefined {
  if (!isNewLife && !isAnew(stats, known?.stats)) return undefined;
  const bySize = evidenceOf(...stats);
  if (bySize === undefined) return undefined;
  const isOne = bySize === 'alike' && !areApart;
  const evidence = isOne || bySize === 'other_size' ? bySize : apartOrAlike(stats, known?.stats);
  return { stats, evidence, count: 1 + agreeingCount(evidence, known) };
}

function agreeingCount(evidence: Evidence, known: FilesystemPair | undefined): number {
  return known && (known.evidence === 'alike') === (evidence === 'alike') ? known.count : 0;
}

/** Whether both were measured again: a frozen figure is no evidence. */
function isAnew(now: readonly FsStats[], before: FilesystemPair['stats']): boolean {
  return before === undefined || now.every(({ timeMs }, index) => timeMs !== before[index]?.timeMs);
}

/**
 * By the sizes, as the kubelet names no devices. The number of inodes of a filesystem may change as it fills up (XFS), or be
 * unknown (0 on btrfs).
 */
function evidenceOf(a: FsStats, b: FsStats): Evidence | undefined {
  if (a.capacityBytes === undefined || b.capacityBytes === undefined) return undefined;
  if (a.capacityBytes !== b.capacityBytes) return 'other_size';
  const [inodes, otherInodes] = [knownInodes(a), knownInodes(b)];
  if (Math.abs(inodes - otherInodes) > otherInodes * driftRatio) return 'apart';
  const bytes = Math.abs((a.availableBytes ?? NaN) - (b.availableBytes ?? NaN));
  if (Number.isNaN(bytes)) return undefined;
  return bytes > a.capacityBytes * driftRatio ? 'apart' : 'alike';
}

function knownInodes({ inodes }: FsStats): number {
  return inodes === undefined || inodes === 0 ? NaN : inodes;
}

/** Free bytes that have changed by the same amount are those of one filesystem. */
function apartOrAlike(now: readonly FsStats[], before: FilesystemPair['stats']): Evidence {
  const [a, b] = now.map(
    ({ availableBytes = NaN }, index) => availableBytes - (before?.[index]?.availableBytes ?? NaN),
  );
  return a === b && a !== 0 ? 'alike' : 'apart';
}

/**
 * Two disks of one size may be about equally empty: then the runtime has more on imagefs than there is on nodefs. Both in
 * bytes and in inodes, as some runtimes count shared layers several times.
 */
function holdsMoreInodes(imagefs: FsStats | undefined, nodefs: FsStats | undefined): boolean {
  return nodefs?.inodes !== 0 && isMore(imagefs?.inodesUsed, nodefs?.inodesUsed);
}

function isMore(a: number | undefined, b: number | undefined): boolean {
  return a !== undefined && b !== undefined && a > b;
}

function decided(
  { evidence, count }: Pick<FilesystemPair, 'evidence' | 'count'>,
  known: boolean | undefined,
): boolean | undefined {
  if (evidence === undefined) return undefined;
  const saysTwo = evidence !== 'alike';
  if (known !== undefined) return known !== saysTwo && count >= overruledCount ? saysTwo : known;
  return evidence === 'apart' && count < provenCount ? undefined : saysTwo;
}

/** The filesystem that another name stands for, too; undefined for one of its own, or when the summary lacks the other. */
export function sameFilesystem(
  filesystem: 'nodefs' | 'imagefs' | 'containerfs',
  { nodefs, imagefs, containerfs }: Pick<NodeSummary, 'nodefs' | 'imagefs' | 'containerfs'>,
  { hasDedicatedImagefs, hasSplitImagefs }: NodeLayout,
): 'nodefs' | 'imagefs' | undefined {
  if (filesystem === 'nodefs') return undefined;
  if (filesystem === 'containerfs' && imagefs !== undefined && hasSplitImagefs !== true) return 'imagefs';
  const isOwn = filesystem === 'imagefs' ? hasDedicatedImagefs !== false : areDifferent(nodefs, containerfs);
  return nodefs === undefined || isOwn ? undefined : 'nodefs';
}

/** Whether the values of one summary show it. */
export function areDifferent(a: FsStats | undefined, b: FsStats | undefined): boolean {
  const evidence = a && b && evidenceOf(a, b);
  return evidence !== undefined && evidence !== 'alike';
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
