import type { PodIdentity } from '../../cluster/kube/pod-identity.js';
import {
  countsInodes,
  type EvictionSignal,
  filesystemOf,
  type SignalFilesystem,
} from '../../cluster/kubelet/eviction-signals.js';
import type { UsageSample } from '../../cluster/kubelet/lookup.js';
import { causeOf, growthOf, outgrowth } from './disk-fill.js';
import { type DiskFill, type DiskFiller, type DiskGrowth, leastShare, soonBytes } from './disk-growth.js';
import { type FilesystemOwners, filesystemOwners, signalPlace } from './filesystem-owners.js';
import { type FirstWorkload, firstWorkload } from './first-workload.js';
import { type Bounds, exactly, freedByImages, freedByPods, sumOf } from './freed-space.js';
import { judgedFilesystems } from './frozen-statistics.js';
import { decidingThreshold, fullDisk } from './full-disks.js';
import { isKnownThreshold, type KnownThreshold, nearestThreshold } from './node-thresholds.js';
import type { NodeSnapshot } from './node-view.js';
import { type Victim, victimRanking } from './victims.js';

/**
 * What fills a disk. `pods`, of a node that is near: a workload does. `other`: neither evictions nor image collection free enough.
 * `no_space`: it is full, or soon, and nobody is evicted. Closed list.
 */
export const verdictKinds = ['pods', 'images', 'pods_and_images', 'other', 'inodes', 'no_space', 'unknown'] as const;
export type VerdictKind = (typeof verdictKinds)[number];

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

/** What the cause of a shortage holds; else what is left after all evictions and image collection: the largest part. `exempt`: static and critical pods. */
export interface Remainder {
  readonly holder: 'other' | 'images' | 'exempt';
  /** Or inodes. */
  readonly bytes: number;
}

export interface DiskVerdict {
  readonly kind: VerdictKind;
  /** Undefined where no threshold is known. */
  readonly shortage: Shortage | undefined;
  /** What evicting every pod that may be evicted frees. */
  readonly pods?: Bounds;
  /** What image collection frees. */
  readonly images?: Bounds;
  readonly first?: FirstWorkload | undefined;
  /** Of a shortage that lasts: the same until the node is calm. */
  readonly cause?:
    | {
        readonly filler: DiskFiller;
        /** Undefined where it only holds most. */
        readonly growth: DiskGrowth | undefined;
      }
    | undefined;
  readonly remainder?: Remainder | undefined;
  /** Why the kind is unknown. `condition`: the node reports DiskPressure, and no threshold that is known is near. */
  readonly unknownPart?: 'unread_pods' | 'unmeasured_pods' | 'images' | 'owners' | 'condition';
  readonly unreadPodCount?: number | undefined;
  /** Thresholds that are crossed too, of another filesystem or unit. */
  readonly alsoBelow: readonly EvictionSignal[];
  /** From the summary to the eviction that it explains. */
  readonly ageMs?: number | undefined;
}

export interface VerdictSources {
  /** The totals of a pod in the last summaries, the oldest first. */
  readonly samplesOf: (pod: PodIdentity) => readonly UsageSample[];
  /** The threshold that the node is forecast to cross within minutes. */
  readonly soon?: EvictionSignal | undefined;
  /** A pod was evicted: what the kubelet could free of images before was not enough. */
  readonly hasEvicted?: boolean;
}

/** The cause of what a node is short of; undefined for a node that is not close to evicting pods and has space. */
export function nodeVerdict(snapshot: NodeSnapshot, sources: VerdictSources): DiskVerdict | undefined {
  const full = fullDisk(snapshot);
  if (full !== undefined) {
    const found = verdictOn(snapshot, noSpace(full, snapshot), { ...sources, hasEvicted: true });
    return { ...found, kind: 'no_space' };
  }
  const { isClose, threshold } = decidingThreshold(snapshot, sources.soon);
  const shortage = isKnownThreshold(threshold) ? shortageOf(threshold, snapshot) : undefined;
  if (isClose && shortage !== undefined) return verdictOn(snapshot, shortage, sources);
  if (snapshot.node.diskPressure !== true) return undefined;
  return { kind: 'unknown', unknownPart: 'condition', shortage, alsoBelow: [] };
}

/** The last eviction before, of the same node for the same. `evictedAtMs`: monotonic. */
export interface EarlierEviction {
  readonly evictedAtMs: number;
  readonly verdict: DiskVerdict;
}

/** The cause of an eviction for the node's sake; undefined where neither the message nor the last summary shows a shortage. */
export function evictionVerdict(
  snapshot: NodeSnapshot,
  {
    ofInodes,
    named,
    earlier,
  }: {
    readonly ofInodes: boolean;
    /** By the message of the eviction: what the kubelet itself compared. */
    readonly named: Pick<Shortage, 'threshold' | 'available'> | undefined;
    readonly earlier?: EarlierEviction | undefined;
  },
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
  const verdict = verdictOn(snapshot, { ...shortage, state: 'evicting' }, { ...sources, hasEvicted: true });
  return earlier === undefined ? verdict : withFirstOf(earlier, verdict, fillOf(shortage, snapshot.fills));
}

/** The pods that were evicted for a shortage do not hide who caused it: one that is named stays, unless another outgrows it. */
function withFirstOf(earlier: EarlierEviction, verdict: DiskVerdict, fill: DiskFill | undefined): DiskVerdict {
  const { kind, first } = earlier.verdict;
  if (first === undefined || fill === undefined || earlier.evictedAtMs < fill.calmAtMs) return verdict;
  if (kind !== 'pods' || verdict.kind !== 'pods') return verdict;
  return grownBytes(verdict.first) > outgrowth * (grownBytes(first) || first.amount) ? verdict : { ...verdict, first };
}

const grownBytes = (first: FirstWorkload | undefined): number => first?.growth?.bytes ?? 0;

function shortageOf(nearest: KnownThreshold, snapshot: NodeSnapshot): Shortage {
  const { signal, gracePeriodMs, threshold, minReclaim = 0, available, isCrossed, isAssumed } = nearest;
  const stats = snapshot.summary[filesystemOf(signal)];
  return {
    signal,
    filesystem: signalPlace(signal, snapshot),
    state: isCrossed ? (gracePeriodMs > 0 ? 'waiting' : 'evicting') : 'near',
    gracePeriodMs,
    threshold,
    available,
    missing: isCrossed ? threshold + minReclaim - available : threshold,
    capacity: countsInodes(signal) ? stats?.inodes : stats?.capacityBytes,
    isAssumed,
  };
}

function noSpace(full: Pick<Shortage, 'signal' | 'available' | 'capacity'>, snapshot: NodeSnapshot): Shortage {
  const filesystem = signalPlace(full.signal, snapshot);
  return { ...full, filesystem, state: 'no_space', gracePeriodMs: 0, threshold: 0, missing: 0, isAssumed: false };
}

/** What is known of one shortage. */
interface Situation extends Pick<DiskVerdict, 'first' | 'unreadPodCount'> {
  readonly shortage: Shortage;
  readonly fill: DiskFill | undefined;
  readonly owners: FilesystemOwners | undefined;
  readonly victims: readonly Victim[];
  /** See {@link DiskVerdict}. */
  readonly pods: Bounds;
  readonly images: Bounds;
  readonly hasEvicted: boolean;
}

function verdictOn(snapshot: NodeSnapshot, shortage: Shortage, sources: VerdictSources): DiskVerdict {
  const { signal, filesystem } = shortage;
  const ofInodes = countsInodes(signal);
  const victims = victimRanking(snapshot)?.(signal) ?? [];
  const judged = { ...snapshot, summary: judgedFilesystems(snapshot.summary, snapshot.frozen) };
  const owners = filesystemOwners(judged).find((of) => of.filesystem === filesystem);
  const [pods, images] = [freedByPods(victims, owners, snapshot), freedByImages(signal, snapshot, owners)];
  const samplesOf = ofInodes ? () => [] : sources.samplesOf;
  const largest = firstWorkload(victims, snapshot, { samplesOf, diskBytes: shortage.capacity });
  const first = isTooSmall(largest, shortage) ? undefined : largest;
  const { unreadPodCount, fills } = snapshot;
  const { hasEvicted = false } = sources;
  const fill = fillOf(shortage, fills);
  const situation = { shortage, fill, owners, victims, pods, images, first, unreadPodCount, hasEvicted };
  const common = { shortage, pods, first, unreadPodCount, alsoBelow: alsoBelow(shortage, snapshot) };
  const caused = byCause(situation);
  if (ofInodes) return { ...common, kind: 'inodes', ...(caused?.kind === 'other' ? caused : {}) };
  return { ...common, images, ...(caused ?? byNeed(situation)) };
}

/** Without a cause that lasts, by what would be enough. */
function byNeed(situation: Situation): FoundCause {
  const { shortage, first, victims, owners, images } = situation;
  const kind = kindBetween(situation);
  if ((kind === 'unknown' || kind === 'other') && isFilledSoon(shortage, first)) return { kind: 'pods' };
  if (kind === 'unknown') return { kind, unknownPart: unknownPartOf(situation) };
  if (kind !== 'other') return { kind };
  if (owners?.unattributedBytes === undefined) return { kind: 'unknown', unknownPart: 'owners' };
  return { kind, remainder: remainderOf(victims, owners, images) };
}

type FoundCause = Pick<DiskVerdict, 'kind' | 'cause' | 'remainder' | 'unknownPart'>;

/** Less of what is missing is never the cause. */
const leastCauseShare = 0.1;

function isTooSmall(first: FirstWorkload | undefined, { state, missing }: Shortage): boolean {
  return state !== 'near' && first !== undefined && first.amount < leastCauseShare * missing;
}

/** The verdict by what fills the disk, not by what happens to be enough for the few bytes that are missing. Undefined without a shortage. */
function byCause(situation: Situation): FoundCause | undefined {
  const { fill, hasEvicted } = situation;
  if (fill === undefined || (fill.cause === undefined && !hasEvicted)) return undefined;
  const filler = fill.cause ?? causeOf(fill);
  const cause = { filler, growth: growthOf(fill, filler) };
  if (isRefuted(cause, situation)) return undefined;
  if (filler === 'pods') return { kind: 'pods', cause };
  return { kind: filler, cause, remainder: { holder: filler, bytes: fill.held[filler] } };
}

/** Where pods hold too little, and where images that are collected first are enough and nothing grew. */
function isRefuted(
  { filler, growth }: NonNullable<DiskVerdict['cause']>,
  { shortage: { missing }, pods, images, hasEvicted }: Situation,
): boolean {
  if (filler === 'pods') return pods.most < missing * (growth === undefined ? 1 : leastCauseShare);
  return filler === 'other' && !hasEvicted && growth === undefined && images.least >= missing;
}

function fillOf({ filesystem, signal }: Shortage, fills: NodeSnapshot['fills']): DiskFill | undefined {
  return fills.find((fill) => fill.filesystem === filesystem && fill.ofInodes === countsInodes(signal));
}

/** Before the threshold is crossed, nothing is missing: a workload that crosses it within ten minutes is the cause, whatever is full. */
function isFilledSoon({ state, available, threshold }: Shortage, first: FirstWorkload | undefined): boolean {
  return state === 'near' && writesSoon(first, available - threshold);
}

function writesSoon(first: FirstWorkload | undefined, amount: number): boolean {
  return first?.growth !== undefined && soonBytes(first.growth) >= amount;
}

/**
 * Whether pods are evicted, or writes fail, or would within ten minutes by the growth of the workload that comes first, after all images
 * that may be collected.
 */
export function isDue({ shortage, first, images }: Pick<DiskVerdict, 'shortage' | 'first' | 'images'>): boolean {
  if (shortage === undefined) return false;
  const { state, available, threshold, capacity = 0 } = shortage;
  if (state === 'near') return writesSoon(first, available - threshold + (images?.most ?? 0));
  return state !== 'no_space' || available <= leastShare * capacity || writesSoon(first, available);
}

/** Of a disk whose use is not reported, who fills it is as unknown as what images free. */
function unknownPartOf(situation: Situation): FoundCause['unknownPart'] & string {
  const { pods, owners, unreadPodCount } = situation;
  if (kindBetween({ ...situation, pods: exactly(pods.least) }) === 'unknown')
    return owners?.imagesUsedBytes !== undefined && owners.unattributedBytes === undefined ? 'owners' : 'images';
  return unreadPodCount === undefined ? 'unmeasured_pods' : 'unread_pods';
}

/** The kind of more bytes never comes before that of fewer ones: where both ends agree, so does all between. */
function kindBetween(situation: Situation): VerdictKind {
  const { pods, images } = situation;
  const kind = kindOf(situation, pods.least, images.least);
  return kind === kindOf(situation, pods.most, images.most) ? kind : 'unknown';
}

/**
 * Images first: the kubelet deletes unused ones before it evicts. Unless both would be enough and a workload has written what is
 * missing, or the kubelet evicts although it collected images.
 */
function kindOf({ shortage: { missing }, first, hasEvicted }: Situation, pods: number, images: number): VerdictKind {
  const isPodsFirst = hasEvicted || (first?.growth !== undefined && first.growth.bytes >= missing);
  if (isPodsFirst && pods >= missing) return 'pods';
  if (images >= missing) return 'images';
  if (pods >= missing) return 'pods';
  return pods >= leastCauseShare * missing && pods + images >= missing ? 'pods_and_images' : 'other';
}

function alsoBelow({ signal, filesystem }: Shortage, snapshot: NodeSnapshot): readonly EvictionSignal[] {
  const isOther = (other: EvictionSignal): boolean => {
    const place = signalPlace(other, snapshot);
    if (filesystemOf(other) === 'containerfs' && place !== 'containerfs') return false; // a copy of that one's
    return place !== filesystem || countsInodes(other) !== countsInodes(signal);
  };
  const crossed = snapshot.thresholds.filter(({ signal: other, isCrossed }) => isCrossed && isOther(other));
  return [...new Set(crossed.map(({ signal: other }) => other))];
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
