import { isSamePod, type PodIdentity } from '../../cluster/kube/pod-identity.js';
import { type SignalFilesystem, signalFilesystems } from '../../cluster/kubelet/eviction-signals.js';
import type { NodeSummary, PodSummary } from '../../cluster/kubelet/summary.js';

/** A time that has not moved between two summaries that are so far apart. */
const frozenAfterMs = 300_000;
/** At its first summary: a time that is so much older than the newest one. The node's clock makes all times wrong alike. */
const frozenLagMs = 600_000;

/** What a kubelet reports although it measures it no longer. */
export interface FrozenStatistics {
  readonly filesystems: ReadonlySet<SignalFilesystem>;
  /** The pods of the summary whose containers are all frozen, by UID. */
  readonly pods: ReadonlyMap<string, { readonly summary: PodIdentity }>;
  /** The oldest time of them, in milliseconds by the node's clock; undefined without any. */
  readonly sinceMs: number | undefined;
}

export const nothingFrozen: FrozenStatistics = { filesystems: new Set(), pods: new Map(), sinceMs: undefined };

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

/** A time in a summary. */
interface StatsTime {
  readonly timeMs: number;
  /** The pod whose newest one it is of its containers; undefined for a filesystem. */
  readonly summary: PodSummary | undefined;
}

/** Finds what is frozen in the summaries of one node. */
export class FrozenTimes {
  /** When the first summary with a time arrived, in monotonic milliseconds; those that moved with the last one are left out. */
  #unmovedSinceMs: ReadonlyMap<string, number> = new Map();
  #last:
    | {
        readonly summary: NodeSummary;
        readonly times: ReadonlyMap<string, StatsTime>;
        readonly arrivedAtMs: number;
        readonly frozen: FrozenStatistics;
      }
    | undefined;

  /** `arrivedAtMs`: of the summary; monotonic. */
  observe(summary: NodeSummary, arrivedAtMs: number): FrozenStatistics {
    const before = this.#last;
    if (before?.summary === summary) return before.frozen;
    const times = timesOf(summary);
    const newestMs = newestOf(times, summary);
    const oldAtFirstMs = (timeMs: number): number | undefined =>
      newestMs - timeMs >= frozenLagMs ? arrivedAtMs - (newestMs - timeMs) : undefined;
    const unmoved = new Map<string, number>();
    for (const [key, time] of times) {
      const last = ofSame(before?.times.get(key), time);
      const sinceMs = last === undefined ? oldAtFirstMs(time.timeMs) : this.#unmovedMs(key, last, time);
      if (sinceMs !== undefined) unmoved.set(key, sinceMs);
    }
    const frozen = frozenOf(times, unmoved, arrivedAtMs);
    this.#unmovedSinceMs = unmoved;
    this.#last = { summary, times, arrivedAtMs, frozen };
    return frozen;
  }

  #unmovedMs(key: string, last: StatsTime, { timeMs }: StatsTime): number | undefined {
    return last.timeMs === timeMs ? (this.#unmovedSinceMs.get(key) ?? this.#last?.arrivedAtMs) : undefined;
  }
}

/** Returns the time before of the same filesystem or pod. */
function ofSame(before: StatsTime | undefined, { summary }: StatsTime): StatsTime | undefined {
  if (before?.summary === undefined || summary === undefined) return before?.summary === summary ? before : undefined;
  return isSamePod(before.summary, summary) ? before : undefined;
}

function frozenOf(
  times: ReadonlyMap<string, StatsTime>,
  unmovedSinceMs: ReadonlyMap<string, number>,
  nowMs: number,
): FrozenStatistics {
  const pods = new Map<string, { readonly summary: PodSummary }>();
  const filesystems = new Set<string>();
  let oldestMs = Infinity;
  for (const [key, { timeMs, summary }] of times) {
    if (nowMs - (unmovedSinceMs.get(key) ?? Infinity) < frozenAfterMs) continue;
    oldestMs = Math.min(oldestMs, timeMs);
    if (summary === undefined) filesystems.add(key);
    else pods.set(key, { summary });
  }
  if (filesystems.size + pods.size === 0) return nothingFrozen;
  return { filesystems: new Set(signalFilesystems.filter((name) => filesystems.has(name))), pods, sinceMs: oldestMs };
}

/** By filesystem, or UID of a pod. */
function timesOf(summary: NodeSummary): ReadonlyMap<string, StatsTime> {
  const times = new Map<string, StatsTime>();
  for (const pod of summary.pods) {
    const timeMs = newestOfContainers(pod);
    if (timeMs !== undefined) times.set(pod.uid, { timeMs, summary: pod });
  }
  for (const filesystem of signalFilesystems) {
    const timeMs = summary[filesystem]?.timeMs;
    if (timeMs !== undefined) times.set(filesystem, { timeMs, summary: undefined });
  }
  return times;
}

/**
 * A time that is far ahead of those of all volumes, which the kubelet measures by itself, is that of a clock that is wrong: it
 * makes nothing old. Unless all are, or those of both filesystems: then volumes are old too.
 */
function newestOf(times: ReadonlyMap<string, StatsTime>, { pods, nodefs, imagefs }: NodeSummary): number {
  const ofVolumesMs = newestOfVolumes(pods);
  const ofBothMs = Math.min(nodefs?.timeMs ?? -Infinity, imagefs?.timeMs ?? -Infinity);
  const rightMs = ofVolumesMs === -Infinity ? ofVolumesMs : Math.max(ofVolumesMs, ofBothMs);
  let [newestMs, aheadMs] = [-Infinity, -Infinity];
  for (const { timeMs } of times.values()) {
    if (timeMs < rightMs + frozenLagMs) newestMs = Math.max(newestMs, timeMs);
    else aheadMs = Math.max(aheadMs, timeMs);
  }
  return newestMs === -Infinity ? aheadMs : newestMs;
}

function newestOfVolumes(pods: readonly PodSummary[]): number {
  let newestMs = -Infinity;
  for (const { volumes = [] } of pods) {
    for (const { timeMs = -Infinity } of volumes) newestMs = Math.max(newestMs, timeMs);
  }
  return newestMs;
}

function newestOfContainers({ containers }: PodSummary): number | undefined {
  let newestMs: number | undefined;
  for (const { timeMs } of containers) {
    if (timeMs !== undefined && timeMs > (newestMs ?? -Infinity)) newestMs = timeMs;
  }
  return newestMs;
}
