import type { Node, Pod } from '../../cluster/kube/objects.js';
import { countsInodes, type EvictionSignal } from '../../cluster/kubelet/eviction-signals.js';
import type { NodeSummary } from '../../cluster/kubelet/summary.js';
import {
  type DiskFill,
  type DiskFiller,
  diskFillers,
  type DiskGrowth,
  type DiskMoment,
  type HeldAmounts,
  isMuchGrowth,
  leastShare,
  reachesSoon,
} from './disk-growth.js';
import { type FilesystemOwners, filesystemOwners, partsOf, signalPlace } from './filesystem-owners.js';
import type { NodeLayout } from './node-layout.js';
import { isNearThreshold, nearestThreshold, type NodeThreshold } from './node-thresholds.js';

export interface DiskSources {
  readonly node?: Pick<Node, 'labels'>;
  readonly summary: NodeSummary;
  readonly podsOnNode?: readonly Pod[];
  readonly layout: NodeLayout;
  readonly arrivedAtMs: number;
  readonly thresholds: readonly NodeThreshold[];
}

interface Kept extends DiskFill {
  readonly starts: readonly [older: DiskMoment, newer: DiskMoment];
  /** What pods hold that the summary no longer lists: their files are deleted after it. Part of what pods hold. */
  readonly left: number;
}

/** How far back growth counts, at least; at most twice as far, and in a shortage to before it. */
const windowMs = 600_000;

/** What fills the disks of one node. */
export class DiskFills {
  readonly #disks = new Map<string, Kept>();

  /** Takes in a summary; the same one changes nothing. `soon`: the thresholds that are forecast to be crossed within minutes. */
  of(sources: DiskSources, soon: readonly EvictionSignal[] = []): readonly DiskFill[] {
    return diskMoments(sources).map((moment) => {
      const key = `${moment.filesystem} ${moment.ofInodes}`;
      const fill = nextFill(moment, this.#disks.get(key) ?? firstFill(moment), sources, soon);
      this.#disks.set(key, fill);
      return fill;
    });
  }
}

const none: HeldAmounts = { pods: 0, images: 0, other: 0 };

function firstFill(now: DiskMoment): Kept {
  const since = { grown: none, durationMs: 0, fallen: 0, calmAtMs: -Infinity };
  return { ...now, ...since, cause: undefined, starts: [now, now], left: 0 };
}

/** Where pods hold less and nobody's bytes are as many more, those are of pods that ended; what is deleted then is theirs first. */
function leftBehind({ held, left }: Kept, { held: now }: DiskMoment): number {
  const [ended, added] = [held.pods - left - now.pods, now.other - (held.other + left)];
  return Math.max(0, added < 0 ? left + added : left + Math.max(0, Math.min(ended, added)));
}

function withLeft(moment: DiskMoment, left: number): DiskMoment {
  const { pods, images, other } = moment.held;
  return left === 0 ? moment : { ...moment, held: { pods: pods + left, images, other: other - left } };
}

function nextFill(moment: DiskMoment, before: Kept, sources: DiskSources, soon: readonly EvictionSignal[]): Kept {
  const left = leftBehind(before, moment);
  const now = withLeft(moment, left);
  const own = thresholdsOf(now, sources);
  const isCalm = own.length > 0 && own.every(isCleared) && !isNearThreshold(own);
  const cause = isCalm ? undefined : before.cause;
  const starts = cause === undefined ? startsOf(now, before) : before.starts;
  const [{ atMs, held, available }] = starts;
  const grown = grownSince(held, now.held, cause === undefined ? none : { ...before.grown, other: 0 });
  const calmAtMs = isCalm ? now.atMs : before.calmAtMs;
  const fallen = available - now.available;
  const fall = { bytes: fallen, durationMs: now.atMs - atMs };
  const warned = own.filter((of) => soon.includes(of.signal) || staysWarned(of, before, fall));
  const [warnedOf] = warned.map(({ signal }) => firstOnDisk(signal, sources));
  const { filesystem, ofInodes, capacity, held: holds } = now;
  const { durationMs } = fall;
  const isShort = cause !== undefined || own.some(({ isCrossed }) => isCrossed);
  return {
    filesystem,
    ofInodes,
    atMs: now.atMs,
    capacity,
    available: now.available,
    held: holds,
    grown,
    durationMs,
    fallen,
    cause: isShort ? causeOf({ held: holds, grown, durationMs, capacity, cause }) : undefined,
    calmAtMs,
    warnedOf,
    starts,
    left,
  };
}

/** Returns the signal whose threshold the disk crosses before that of `signal`: one forecast may end before that of a later one. */
export function firstOnDisk(signal: EvictionSignal, sources: DiskSources): EvictionSignal {
  const disk = { filesystem: signalPlace(signal, sources), ofInodes: countsInodes(signal) };
  const own = thresholdsOf(disk, sources).filter((of) => of.signal === signal || of.gracePeriodMs === 0);
  return nearestThreshold(own)?.signal ?? signal;
}

function thresholdsOf(
  { filesystem, ofInodes }: Pick<DiskMoment, 'filesystem' | 'ofInodes'>,
  sources: DiskSources,
): readonly NodeThreshold[] {
  return sources.thresholds.filter(
    ({ signal, available }) =>
      available !== undefined && countsInodes(signal) === ofInodes && signalPlace(signal, sources) === filesystem,
  );
}

function staysWarned({ signal, headroom = 0 }: NodeThreshold, { warnedOf }: Kept, fall: DiskGrowth): boolean {
  return signal === warnedOf && reachesSoon(fall, headroom);
}

function isCleared({ available = 0, clearedAt = 0 }: NodeThreshold): boolean {
  return available >= clearedAt;
}

function grownSince(start: HeldAmounts, now: HeldAmounts, peaks: HeldAmounts): HeldAmounts {
  const of = (owner: DiskFiller): number => Math.max(peaks[owner], now[owner] - start[owner]);
  return { pods: of('pods'), images: of('images'), other: of('other') };
}

/** The fall begins again when as much is available as at its start, and after a shortage. */
function startsOf(now: DiskMoment, { starts, cause }: Kept): Kept['starts'] {
  const [older, newer] = starts;
  if (cause !== undefined || now.available >= older.available) return [now, now];
  return now.atMs - newer.atMs >= windowMs ? [newer, now] : starts;
}

/** Another owner has to outgrow the cause by its half. */
export const outgrowth = 1.5;

/** Returns who grew most, where that is much, else who holds most; in a shortage its cause, unless it is outgrown. */
export function causeOf(fill: Pick<DiskFill, 'held' | 'grown' | 'durationMs' | 'capacity' | 'cause'>): DiskFiller {
  const { held, grown, capacity, cause } = fill;
  const found = growthOf(fill, largest(grown)) === undefined ? largest(held) : largest(grown);
  if (cause === undefined) return found;
  return grown[found] > outgrowth * Math.max(grown[cause], leastShare * capacity) ? found : cause;
}

/** Undefined for less than explains a shortage. */
export function growthOf(
  { grown, durationMs, capacity }: Pick<DiskFill, 'grown' | 'durationMs' | 'capacity'>,
  owner: DiskFiller,
): DiskGrowth | undefined {
  const growth = { bytes: grown[owner], durationMs };
  return isMuchGrowth(growth, capacity) ? growth : undefined;
}

function largest(amounts: HeldAmounts): DiskFiller {
  return diskFillers.reduce((most, owner) => (amounts[owner] > amounts[most] ? owner : most));
}

/** Where the parts are known. */
function diskMoments(sources: DiskSources): readonly DiskMoment[] {
  return filesystemOwners(sources).flatMap((owners) => [...ofBytes(owners, sources), ...ofInodes(owners, sources)]);
}

function ofBytes(
  { filesystem, podsUsedBytes, imagesUsedBytes = 0, unattributedBytes }: FilesystemOwners,
  { summary, arrivedAtMs: atMs }: DiskSources,
): readonly DiskMoment[] {
  const { capacityBytes: capacity, availableBytes: available } = summary[filesystem] ?? {};
  if (podsUsedBytes === undefined || unattributedBytes === undefined) return [];
  if (capacity === undefined || available === undefined) return [];
  const images = Math.max(0, imagesUsedBytes + Math.min(0, unattributedBytes)); // layers may be counted several times
  const held = { pods: podsUsedBytes, images, other: Math.max(0, unattributedBytes) };
  return [{ filesystem, ofInodes: false, atMs, capacity, available, held }];
}

/** Those of images are among the others; unknown where pods have some on another filesystem. */
function ofInodes({ filesystem }: FilesystemOwners, sources: DiskSources): readonly DiskMoment[] {
  const { summary, layout, arrivedAtMs: atMs } = sources;
  const { inodes: capacity = 0, inodesFree: available } = summary[filesystem] ?? {};
  if (capacity === 0 || available === undefined || layout.hasDedicatedImagefs === true) return [];
  const measuredOf = partsOf(sources, 'nodefs.inodesFree');
  const pods = summary.pods.reduce((sum, entry) => sum + (entry.inodesUsed ?? measuredOf(entry) ?? 0), 0);
  const held = { pods, images: 0, other: Math.max(0, capacity - available - pods) };
  return [{ filesystem, ofInodes: true, atMs, capacity, available, held }];
}
