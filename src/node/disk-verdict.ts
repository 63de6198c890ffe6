import { countsInodes, type EvictionSignal, filesystemOf, type SignalFilesystem } from '../kubelet/eviction-signals.js';
import type { UsageSample } from '../kubelet/lookup.js';
import { type FilesystemOwners, filesystemOwners } from './filesystem-owners.js';
import { type FirstWorkload, firstWorkload, soonBytes } from './first-workload.js';
import { type FullDisk, fullDisk } from './full-disks.js';
import type { NodeImages } from './node-images.js';
import { type StorageLayout, storageLayout } from './node-layout.js';
import { isNearThreshold, type KnownThreshold, nearestThreshold } from './node-thresholds.js';
import type { NodeSnapshot } from './node-view.js';
import { type Victim, victimRanking } from './victims.js';

/**
 * What fills a disk. `pods`, of a node that is near: a workload does. `other`: neither evictions nor image collection free enough.
 * `no_space`: it is full, and nobody is evicted. Closed list.
 */
export const verdictKinds = ['pods', 'images', 'pods_and_images', 'other', 'inodes', 'no_space', 'unknown'] as const;
export type VerdictKind = (typeof verdictKinds)[number];

/** An amount that may not be known exactly. */
export interface Bounds {
  readonly least: number;
  readonly most: number;
}

/** How a node stands to the threshold that decides. Bytes, or inodes where the signal counts those. */
export interface Shortage {
  readonly signal: EvictionSignal;
  /** Where its bytes are: a signal of imagefs may be about nodefs. */
  readonly filesystem: SignalFilesystem;
  /** `waiting`: below a soft threshold alone, for its grace period; `near`: above, but close to one; `no_space`: without one. */
  readonly state: 'evicting' | 'waiting' | 'near' | 'no_space';
  readonly gracePeriodMs: number;
  readonly threshold: number;
  readonly available: number;
  /** Until the kubelet stops evicting; of a node that is near, as much as the threshold; 0 without one. */
  readonly missing: number;
  readonly capacity: number | undefined;
  readonly isAssumed: boolean;
}

/** What is left after all evictions and image collection: the largest part. `exempt`: static and critical pods. */
export interface Remainder {
  readonly holder: 'other' | 'images' | 'exempt';
  readonly bytes: number;
}

/** Why the kind is unknown. `condition`: the node reports DiskPressure, and no threshold that is known is near. */
type UnknownPart = 'unread_pods' | 'unmeasured_pods' | 'images' | 'owners' | 'condition';

export interface DiskVerdict {
  readonly kind: VerdictKind;
  /** Undefined where no threshold is known. */
  readonly shortage: Shortage | undefined;
  /** What evicting every pod that may be evicted frees. */
  readonly pods?: Bounds;
  /** What image collection frees. */
  readonly images?: Bounds;
  readonly first?: FirstWorkload | undefined;
  readonly remainder?: Remainder;
  readonly unknownPart?: UnknownPart;
  readonly unreadPodCount?: number | undefined;
  /** Thresholds that are crossed too, of another filesystem or unit. */
  readonly alsoBelow: readonly EvictionSignal[];
  /** From the summary to the eviction that it explains. */
  readonly ageMs?: number | undefined;
}

export interface VerdictSources {
  /** The totals of a pod in the last summaries, the oldest first. `uid`: as the kubelet reports it. */
  readonly samplesOf: (uid: string) => readonly UsageSample[];
  /** The threshold that the node is forecast to cross within minutes. */
  readonly soon?: EvictionSignal | undefined;
  /** A pod was evicted: what the kubelet could free of images before was not enough. */
  readonly hasEvicted?: boolean;
}

/** The cause of what a node is short of; undefined for a node that is not close to evicting pods and has space. */
export function nodeVerdict(snapshot: NodeSnapshot, sources: VerdictSources): DiskVerdict | undefined {
  const { thresholds, node } = snapshot;
  const full = fullDisk(snapshot);
  if (full !== undefined) return { ...verdictOn(snapshot, noSpace(full, snapshot), sources), kind: 'no_space' };
  const soon = nearestThreshold(thresholds.filter(({ signal }) => signal === sources.soon));
  const nearest = soon ?? nearestThreshold(thresholds);
  if (nearest !== undefined && (soon !== undefined || isNearThreshold(thresholds)))
    return verdictOn(snapshot, shortageOf(nearest, snapshot), sources);
  if (node.diskPressure !== true) return undefined;
  const shortage = nearest && shortageOf(nearest, snapshot);
  return { kind: 'unknown', unknownPart: 'condition', shortage, alsoBelow: [] };
}

/** What the message of an eviction names: what the kubelet itself compared. */
export interface NamedShortage {
  readonly threshold: number;
  readonly available: number;
}

/** The cause of an eviction for the node's sake; undefined where neither the message nor the last summary shows a shortage. */
export function evictionVerdict(
  snapshot: NodeSnapshot,
  { ofInodes, named }: { readonly ofInodes: boolean; readonly named: NamedShortage | undefined },
  sources: VerdictSources,
): DiskVerdict | undefined {
  const ofUnit = snapshot.thresholds.filter(({ signal }) => countsInodes(signal) === ofInodes);
  const meant = ofUnit.filter(({ threshold }) => threshold === named?.threshold);
  const nearest = nearestThreshold(meant) ?? nearestThreshold(ofUnit);
  if (nearest === undefined) return undefined;
  const { threshold, available } = named ?? nearest;
  const missing = Math.max(0, threshold + (nearest.minReclaim ?? 0) - available);
  if (missing === 0) return undefined;
  const isAssumed = named === undefined && nearest.isAssumed;
  const shortage = { ...shortageOf(nearest, snapshot), threshold, available, missing, isAssumed };
  return verdictOn(snapshot, { ...shortage, state: 'evicting' }, { ...sources, hasEvicted: true });
}

function shortageOf(nearest: KnownThreshold, snapshot: NodeSnapshot): Shortage {
  const { signal, gracePeriodMs, threshold, minReclaim = 0, available, isCrossed, isAssumed } = nearest;
  const stats = snapshot.summary[filesystemOf(signal)];
  return {
    signal,
    filesystem: placeOf(signal, snapshot),
    state: isCrossed ? (gracePeriodMs > 0 ? 'waiting' : 'evicting') : 'near',
    gracePeriodMs,
    threshold,
    available,
    missing: isCrossed ? threshold + minReclaim - available : threshold,
    capacity: countsInodes(signal) ? stats?.inodes : stats?.capacityBytes,
    isAssumed,
  };
}

function noSpace(full: FullDisk, snapshot: NodeSnapshot): Shortage {
  const filesystem = placeOf(full.signal, snapshot);
  return { ...full, filesystem, state: 'no_space', gracePeriodMs: 0, threshold: 0, missing: 0, isAssumed: false };
}

function verdictOn(snapshot: NodeSnapshot, shortage: Shortage, sources: VerdictSources): DiskVerdict {
  const { signal } = shortage;
  const victims = victimRanking(snapshot)?.(signal) ?? [];
  const owners = filesystemOwners(snapshot).find(({ filesystem }) => filesystem === shortage.filesystem);
  const pods = freedByPods(victims, owners, snapshot);
  const samplesOf = countsInodes(signal) ? () => [] : sources.samplesOf;
  const first = firstWorkload(victims, snapshot, { samplesOf, diskBytes: shortage.capacity });
  const common = {
    shortage,
    pods,
    first,
    unreadPodCount: snapshot.unreadPodCount,
    alsoBelow: alsoBelow(shortage, snapshot),
  };
  if (countsInodes(signal)) return { ...common, kind: 'inodes' };
  const images = freedByImages(shortage, snapshot, owners);
  const need = needOf(shortage, first, sources);
  const kind = kindBetween(need, pods, images);
  const known = { ...common, images };
  if (kind === 'unknown') return { ...known, kind, unknownPart: unknownPartOf(need, { pods, images }, snapshot) };
  if (kind !== 'other') return { ...known, kind };
  if (isFilledSoon(shortage, first)) return { ...known, kind: 'pods' };
  if (owners?.unattributedBytes === undefined) return { ...known, kind: 'unknown', unknownPart: 'owners' };
  return { ...known, kind, remainder: remainderOf(victims, owners, images) };
}

/** Before the threshold is crossed, nothing is missing: a workload that crosses it within ten minutes is the cause, whatever is full. */
function isFilledSoon({ state, available, threshold }: Shortage, first: FirstWorkload | undefined): boolean {
  return state === 'near' && first?.growth !== undefined && soonBytes(first.growth) >= available - threshold;
}

function unknownPartOf(
  need: Need,
  { pods, images }: { readonly pods: Bounds; readonly images: Bounds },
  { unreadPodCount }: NodeSnapshot,
): UnknownPart {
  if (kindBetween(need, exactly(pods.least), images) === 'unknown') return 'images';
  return unreadPodCount === undefined ? 'unmeasured_pods' : 'unread_pods';
}

function exactly(amount: number): Bounds {
  return { least: amount, most: amount };
}

/** The kind of more bytes never comes before that of fewer ones: where both ends agree, so does all between. */
function kindBetween(need: Need, pods: Bounds, images: Bounds): VerdictKind {
  const kind = kindOf(need, pods.least, images.least);
  return kind === kindOf(need, pods.most, images.most) ? kind : 'unknown';
}

interface Need {
  readonly missing: number;
  /** Where both would be enough: a workload has written what is missing, or the kubelet evicts although it collected images. */
  readonly isPodsFirst: boolean;
}

function needOf({ missing }: Shortage, first: FirstWorkload | undefined, { hasEvicted = false }: VerdictSources): Need {
  return { missing, isPodsFirst: hasEvicted || (first?.growth !== undefined && first.growth.bytes >= missing) };
}

/** Otherwise images first: the kubelet deletes unused ones before it evicts. */
function kindOf({ missing, isPodsFirst }: Need, pods: number, images: number): VerdictKind {
  if (isPodsFirst && pods >= missing) return 'pods';
  if (images >= missing) return 'images';
  if (pods >= missing) return 'pods';
  return pods + images >= missing ? 'pods_and_images' : 'other';
}

/**
 * Of pods that are not read, at most what they hold. What is not measured of pods that run, or whose volumes are pending, is
 * among the bytes that nobody is counted for.
 */
function freedByPods(victims: readonly Victim[], owners: FilesystemOwners | undefined, snapshot: NodeSnapshot): Bounds {
  if (snapshot.unreadPodCount !== undefined) return { least: 0, most: owners?.podsUsedBytes ?? Infinity };
  const least = sumOf(victims, ({ exempt, freed }) => (exempt === undefined ? freed : 0));
  const isUnmeasured = ({ place, pod }: Victim): boolean =>
    place === 'no_statistics' && pod.runningSinceMs !== undefined;
  const isPartial = victims.some(isUnmeasured) || snapshot.listedPods.some(({ isPending }) => isPending);
  const hidden = isPartial ? Math.max(0, owners?.unattributedBytes ?? Infinity) : 0;
  return { least, most: least + hidden + sumOf(snapshot.unknownPods, ({ usedBytes }) => usedBytes) };
}

/** Of what is known. */
function sumOf<T>(items: readonly T[], amountOf: (item: T) => number | undefined): number {
  return items.reduce((sum, item) => sum + (amountOf(item) ?? 0), 0);
}

/** https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/#reclaiming-node-level-resources */
function freedByImages(
  { signal }: Shortage,
  { layout, images }: NodeSnapshot,
  owners: FilesystemOwners | undefined,
): Bounds {
  const filesystem = filesystemOf(signal);
  const isReclaimed: Readonly<Record<StorageLayout, boolean>> = {
    shared: true,
    dedicated: filesystem !== 'nodefs',
    split: filesystem === 'imagefs',
  };
  if (!isReclaimed[storageLayout(layout)]) return exactly(0);
  const most = owners?.imagesUsedBytes ?? Infinity;
  return (images && freedByUnused(images, most)) ?? { least: 0, most };
}

/** As the kubelet counts: an image by its size, though it is larger unpacked and may share layers. `most`: of all images. */
function freedByUnused({ unusedBytes, isCut }: NodeImages, most: number): Bounds | undefined {
  if (unusedBytes === undefined) return undefined;
  const least = Math.min(unusedBytes, most);
  return { least, most: isCut ? most : least };
}

/** Where the bytes of a signal are, as {@link filesystemOwners} names it. */
function placeOf(signal: EvictionSignal, snapshot: NodeSnapshot): SignalFilesystem {
  const filesystem = filesystemOf(signal);
  const layout = storageLayout(snapshot.layout);
  if (layout === 'shared' || filesystem === 'nodefs') return 'nodefs';
  if (layout === 'dedicated' || filesystem === 'imagefs') return 'imagefs';
  return filesystemOwners(snapshot).some((owners) => owners.filesystem === 'containerfs') ? 'containerfs' : 'nodefs';
}

function alsoBelow({ signal, filesystem }: Shortage, snapshot: NodeSnapshot): readonly EvictionSignal[] {
  const keyOf = (of: EvictionSignal, place: SignalFilesystem): string => `${place} ${countsInodes(of)}`;
  const seen = new Set([keyOf(signal, filesystem)]);
  return snapshot.thresholds.flatMap(({ signal: other, isCrossed }) => {
    const key = keyOf(other, placeOf(other, snapshot));
    if (!isCrossed || seen.has(key)) return [];
    seen.add(key);
    return [other];
  });
}

/** The runtime may count bytes of images several times. */
function remainderOf(victims: readonly Victim[], owners: FilesystemOwners | undefined, images: Bounds): Remainder {
  const exemptBytes = sumOf(victims, ({ exempt, freed }) => (exempt === undefined ? 0 : freed));
  const { imagesUsedBytes = 0, unattributedBytes = 0 } = owners ?? {};
  const parts: readonly Remainder[] = [
    { holder: 'other', bytes: unattributedBytes },
    { holder: 'images', bytes: Math.max(0, Math.min(0, unattributedBytes) + imagesUsedBytes - images.least) },
    { holder: 'exempt', bytes: exemptBytes },
  ];
  return parts.reduce((largest, part) => (part.bytes > largest.bytes ? part : largest));
}
