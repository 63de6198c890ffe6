import { type SignalFilesystem, signalFilesystems } from '../../cluster/kubelet/eviction-signals.js';
import type { NodeSummary, PodSummary } from '../../cluster/kubelet/summary.js';

/** A time that has not moved between two summaries that are so far apart. */
const frozenAfterMs = 300_000;
/** At its first summary: a time that is so much older than the newest one. The node's clock makes all times wrong alike. */
const frozenLagMs = 600_000;

/** What a kubelet reports although it measures it no longer. */
export interface FrozenStatistics {
  readonly filesystems: ReadonlySet<SignalFilesystem>;
  /** UIDs of the pods of the summary whose containers are all frozen. */
  readonly podUids: ReadonlySet<string>;
  /** The oldest time of them, in milliseconds by the node's clock; undefined without any. */
  readonly sinceMs: number | undefined;
}

export const nothingFrozen: FrozenStatistics = { filesystems: new Set(), podUids: new Set(), sinceMs: undefined };

/** The summary without what is free and used on filesystems that are frozen: it is compared with nothing. */
export function judgedFilesystems(
  summary: NodeSummary,
  { filesystems }: Pick<FrozenStatistics, 'filesystems'>,
): NodeSummary {
  if (filesystems.size === 0) return summary;
  const of = (filesystem: SignalFilesystem): NodeSummary['nodefs'] => {
    const stats = summary[filesystem];
    return stats && filesystems.has(filesystem)
      ? { ...stats, availableBytes: undefined, inodesFree: undefined, usedBytes: undefined }
      : stats;
  };
  return { ...summary, nodefs: of('nodefs'), imagefs: of('imagefs'), containerfs: of('containerfs') };
}

interface UnmovedTime {
  readonly timeMs: number;
  /** When the first summary with this time arrived, in monotonic milliseconds. */
  readonly sinceMs: number;
}

/** Finds what is frozen in the summaries of one node. */
export class FrozenTimes {
  /** By filesystem, or UID of a pod; those that moved with the last summary are left out. */
  #unmoved: ReadonlyMap<string, UnmovedTime> = new Map();
  #last: { readonly summary: NodeSummary; readonly arrivedAtMs: number; readonly frozen: FrozenStatistics } | undefined;

  /** `arrivedAtMs`: of the summary; monotonic. */
  observe(summary: NodeSummary, arrivedAtMs: number): FrozenStatistics {
    const before = this.#last;
    if (before?.summary === summary) return before.frozen;
    const times = timesOf(summary);
    const former = before === undefined ? new Map<string, number>() : timesOf(before.summary);
    const newestMs = newestOf(times.values(), summary);
    const unmoved = new Map<string, UnmovedTime>();
    for (const [key, timeMs] of times) {
      const lagMs = newestMs - timeMs;
      const isOldAtFirst = !former.has(key) && lagMs >= frozenLagMs;
      const sinceMs = this.#unmovedSinceMs(key, timeMs, former) ?? (isOldAtFirst ? arrivedAtMs - lagMs : undefined);
      if (sinceMs !== undefined) unmoved.set(key, { timeMs, sinceMs });
    }
    const frozen = frozenOf(unmoved, arrivedAtMs);
    this.#unmoved = unmoved;
    this.#last = { summary, arrivedAtMs, frozen };
    return frozen;
  }

  /** `former`: the times of the summary before. */
  #unmovedSinceMs(key: string, timeMs: number, former: ReadonlyMap<string, number>): number | undefined {
    const known = this.#unmoved.get(key);
    if (known?.timeMs === timeMs) return known.sinceMs;
    return former.get(key) === timeMs ? this.#last?.arrivedAtMs : undefined;
  }
}

function frozenOf(unmoved: ReadonlyMap<string, UnmovedTime>, arrivedAtMs: number): FrozenStatistics {
  const keys = new Set<string>();
  let oldestMs: number | undefined;
  for (const [key, { timeMs, sinceMs }] of unmoved) {
    if (arrivedAtMs - sinceMs < frozenAfterMs) continue;
    keys.add(key);
    oldestMs = Math.min(timeMs, oldestMs ?? Infinity);
  }
  if (oldestMs === undefined) return nothingFrozen;
  const filesystems = new Set(signalFilesystems.filter((filesystem) => keys.delete(filesystem)));
  return { filesystems, podUids: keys, sinceMs: oldestMs };
}

/** The times of the filesystems, and the newest one of the containers of each pod, by its UID. */
function timesOf(summary: NodeSummary): Map<string, number> {
  const times = new Map<string, number>();
  for (const pod of summary.pods) {
    const timeMs = newestOfContainers(pod);
    if (timeMs !== undefined) times.set(pod.uid, timeMs);
  }
  for (const filesystem of signalFilesystems) {
    const timeMs = summary[filesystem]?.timeMs;
    if (timeMs !== undefined) times.set(filesystem, timeMs);
  }
  return times;
}

/**
 * A time that is far ahead of those of all volumes, which the kubelet measures by itself, is that of a clock that is wrong: it
 * makes nothing old. Unless all are.
 */
function newestOf(times: Iterable<number>, { pods }: NodeSummary): number {
  let ofVolumesMs = -Infinity;
  for (const { volumes = [] } of pods) {
    for (const { timeMs = -Infinity } of volumes) ofVolumesMs = Math.max(ofVolumesMs, timeMs);
  }
  let [newestMs, aheadMs] = [-Infinity, -Infinity];
  for (const timeMs of times) {
    if (timeMs < ofVolumesMs + frozenLagMs) newestMs = Math.max(newestMs, timeMs);
    else aheadMs = Math.max(aheadMs, timeMs);
  }
  return newestMs === -Infinity ? aheadMs : newestMs;
}

function newestOfContainers({ containers }: PodSummary): number | undefined {
  let newestMs: number | undefined;
  for (const { timeMs } of containers) {
    if (timeMs !== undefined && timeMs > (newestMs ?? -Infinity)) newestMs = timeMs;
  }
  return newestMs;
}
