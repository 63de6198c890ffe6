import type { Node, Pod, Volume } from '../../cluster/kube/objects.js';
import { checkedVolumes } from '../../cluster/kube/pod-rest.js';
import { type Amount, isAbove, roundUp } from '../../cluster/kube/quantity.js';
import type { PodSummary, VolumeSummary } from '../../cluster/kubelet/summary.js';
import { finderByName } from '../../lib/base/maps.js';
import { minorVersion } from './kubelet-version.js';
import type { NodeLayout } from './node-layout.js';
import { podGraceMs } from './young-pods.js';

/**
 * Why a limit does not do what it seems to do, the widest first. Closed list: the values become label values.
 *
 * The kubelet evicts for no limit (`isolation_disabled`), not this pod (`exempt`: static or critical), or not for this
 * emptyDir, because its tmpfs cannot hold more than the limit (`memory_medium`). It compares only a part of what the container
 * writes: without the writable layer, which nobody measures (`rootfs_not_measured`) or which is on the image filesystem
 * (`dedicated_imagefs`).
 */
export type UnenforcedReason =
  'isolation_disabled' | 'exempt' | 'rootfs_not_measured' | 'dedicated_imagefs' | 'memory_medium';

const partlyCompared: ReadonlySet<UnenforcedReason> = new Set(['rootfs_not_measured', 'dedicated_imagefs']);

/**
 * Whether the kubelet evicts when the usage exceeds the limit. What it compares may still be a part of what is written: such a
 * ratio is no sign that all is well.
 */
export function canBind({ unenforced }: Reasoned): boolean {
  return unenforced === undefined || partlyCompared.has(unenforced);
}

const ofPods = [
  { rule: 'all', reason: 'exempt' },
  { rule: 'pod', reason: 'rootfs_not_measured' },
  { rule: 'emptydir', reason: 'memory_medium' },
] as const;

/** The limits of a pod that have the reason. `all`: of each rule. */
export type UnenforcedLimits = (typeof ofPods)[number];

interface Reasoned {
  readonly unenforced?: UnenforcedReason | undefined;
}

/**
 * What is to be said of a pod alone, one thing at most, the widest: the same object for all pods. `isUnmeasured`: whether what
 * its containers write has been missing for longer than the grace period, and is not missing on the whole node.
 */
export function podUnenforced(ratios: readonly Reasoned[], isUnmeasured: boolean): UnenforcedLimits | undefined {
  if (ratios.every(({ unenforced }) => unenforced === undefined)) return undefined;
  return ofPods.find(
    ({ reason }) =>
      (reason !== 'rootfs_not_measured' || isUnmeasured) && ratios.some(({ unenforced }) => unenforced === reason),
  );
}

/** The rules that the reason concerns where it is that of a whole node. */
const rulesOnNode = {
  isolation_disabled: ['emptydir', 'pod', 'container'],
  rootfs_not_measured: ['pod', 'container'],
  dedicated_imagefs: ['container'],
} as const satisfies Partial<Record<UnenforcedReason, readonly string[]>>;

export type NodeUnenforcedReason = keyof typeof rulesOnNode;

export function unenforcedRules(reason: NodeUnenforcedReason): (typeof rulesOnNode)[NodeUnenforcedReason] {
  return rulesOnNode[reason];
}

/** Whether the summary has the size of the writable layer of one of the containers. */
export function hasRootfs({ containers }: PodSummary): boolean {
  return containers.some(({ rootfs }) => rootfs?.usedBytes !== undefined);
}

/** Whether it lacks that of one of them: remote snapshotters and virtual machines keep it out of the kubelet's sight. */
export function lacksRootfs({ containers }: PodSummary): boolean {
  return containers.some(({ rootfs }) => rootfs?.usedBytes === undefined);
}

/**
 * The same, since longer than the grace period: no container of the pod has started or ended in that time. Both times are by
 * the clock of the node.
 */
export function lacksRootfsLastingly(
  summary: PodSummary,
  { runsChangedAtMs, runningSinceMs }: Pick<Pod, 'runsChangedAtMs' | 'runningSinceMs'>,
  measuredAtMs: number,
): boolean {
  if (runningSinceMs === undefined || !lacksRootfs(summary)) return false;
  return measuredAtMs - Math.max(runningSinceMs, runsChangedAtMs ?? runningSinceMs) > podGraceMs;
}

/** What a summary shows of writable layers. */
export interface LayerSight {
  /** By the clock of the node. */
  readonly measuredAtMs: number;
  /** Whether that of one container of the node is measured. */
  readonly hasRootfs: boolean;
}

/** Whether time alone, or the other pods of the node, may change what is said of a pod: see {@link podUnenforced}. */
export function mayChange(
  { summary, unenforced }: { readonly summary: PodSummary; readonly unenforced: UnenforcedLimits | undefined },
  isMeasuredHere: boolean,
): boolean {
  if (unenforced?.reason === 'rootfs_not_measured') return !isMeasuredHere;
  return isMeasuredHere && unenforced?.reason !== 'exempt' && lacksRootfs(summary);
}

/** What is to be said of all limits on a node, the widest. `pods`: the entries of its summary, with their objects. */
export function nodeUnenforced(
  { node, layout }: { readonly node: Pick<Node, 'enforcesStorageLimits'>; readonly layout: NodeLayout },
  sight: LayerSight & { readonly pods: Iterable<readonly [PodSummary, Pod | undefined]> },
): NodeUnenforcedReason | undefined {
  if (!node.enforcesStorageLimits) return 'isolation_disabled';
  if (!sight.hasRootfs) {
    for (const [summary, pod] of sight.pods) {
      if (pod !== undefined && lacksRootfsLastingly(summary, pod, sight.measuredAtMs)) return 'rootfs_not_measured';
    }
  }
  return layout.hasDedicatedImagefs === true ? 'dedicated_imagefs' : undefined;
}

/** A tmpfs holds whole pages. Most kernels have the smaller ones. */
const pageBytes = 4_096;
const largestPageBytes = 65_536;

/** The first kubelet that may resize an emptyDir in memory: KEP-6030. */
const firstMinorThatResizes = 37;

/** Whether the kubelet compares with the size of a tmpfs that it has resized. One of unknown version does not. */
export function resizesMemoryVolumes(kubeletVersion: string | undefined): boolean {
  return (minorVersion(kubeletVersion) ?? 0) >= firstMinorThatResizes;
}

/**
 * The limit that the kubelet compares the usage of an emptyDir with: its size limit. That of a tmpfs which is larger by more
 * than rounding is the size of the tmpfs, as the limit was lowered and the tmpfs has not followed. One that is smaller is that
 * of the containers' memory, which changes nothing in the comparison.
 */
export function comparedSizeLimit(
  { medium, sizeLimitBytes }: Pick<Volume, 'medium' | 'sizeLimitBytes'>,
  capacityBytes: number | undefined,
  hasResize: boolean,
): Amount | undefined {
  if (medium !== 'Memory' || !hasResize || capacityBytes === undefined || sizeLimitBytes === undefined)
    return sizeLimitBytes;
  return capacityBytes - roundUp(sizeLimitBytes) >= largestPageBytes ? capacityBytes : sizeLimitBytes;
}

/**
 * Whether a volume cannot hold more than its limit, because it is a tmpfs of that size: writes fail there, and nobody is
 * evicted. One whose limit is no multiple of the page size, such as 30M, is larger than its limit.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/volume/emptydir/empty_dir.go (generateTmpfsMountOptions)
 */
export function cannotExceed(
  { medium }: Pick<Volume, 'medium'>,
  limit: Amount,
  capacityBytes: number | undefined,
): boolean {
  if (medium !== 'Memory') return false;
  if (capacityBytes !== undefined) return !isAbove(capacityBytes, limit);
  return typeof limit === 'number' && limit % pageBytes === 0;
}

/** From here on a tmpfs counts as full: the next write of any size may fail. */
const fullRatio = 0.95;

/** An emptyDir in memory that is full before the kubelet evicts anybody for it. */
export interface FullVolume {
  readonly volume: string;
  readonly usedBytes: number;
  readonly capacityBytes: number;
  /** Rounded up. Above the capacity where the containers' memory limit is smaller. */
  readonly sizeLimitBytes: number | undefined;
}

/** The emptyDirs in memory of a pod that are full, with a size limit or without. */
export function fullVolumes(
  { volumes = [] }: Pick<PodSummary, 'volumes'>,
  pod: Pod,
  hasResize: boolean,
): readonly FullVolume[] {
  const inMemory = checkedVolumes(pod).filter(({ medium }) => medium === 'Memory');
  if (inMemory.length === 0) return [];
  const find = finderByName(volumes);
  return inMemory.flatMap((volume) => fullVolume(volume, find(volume.name), hasResize) ?? []);
}

function fullVolume(
  volume: Volume,
  { usedBytes, capacityBytes }: Partial<VolumeSummary> = {},
  hasResize: boolean,
): FullVolume | undefined {
  if (typeof usedBytes !== 'number' || capacityBytes === undefined || capacityBytes === 0) return undefined;
  if (usedBytes < capacityBytes * fullRatio) return undefined;
  const limit = comparedSizeLimit(volume, capacityBytes, hasResize);
  if (limit !== undefined && !cannotExceed(volume, limit, capacityBytes)) return undefined;
  return { volume: volume.name, usedBytes, capacityBytes, sizeLimitBytes: limit && roundUp(limit) };
}
