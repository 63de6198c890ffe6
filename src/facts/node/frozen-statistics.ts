import { isSamePod, type PodIdentity } from '../../cluster/kube/pod-identity.js';
import { type SignalFilesystem, signalFilesystems } from '../../cluster/kubelet/eviction-signals.js';
import type { NodeSummary, PodSummary } from '../../cluster/kubelet/summary.js';
import { leastKnown } from '../../lib/base/maps.js';

/** A time that has not moved between two summaries that are so far apart. */
const frozenAfterMs = 300_000;
/** At its first summary: a time that is so much older than the newest one. The node's clock makes all times wrong alike. */
const frozenLagMs = 600_000;

/** What a kubelet reports although it measures it no longer. */
export interface FrozenStatistics {
  readonly filesystems: ReadonlySet<SignalFilesystem>;
  /** The pods of the summary whose containers are all frozen, by UID. `heldMs`: for how long they were when it arrived, at least. */
  readonly pods: ReadonlyMap<string, { readonly summary: PodIdentity; readonly heldMs: number }>;
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

/** By pod, or the place of a filesystem: no UID is a number. */
type StatsKey = string | number;

interface Observed {
  readonly summary: NodeSummary;
  /** Those with a time, by UID. */
  readonly pods: ReadonlyMap<string, PodSummary>;
  readonly arrivedAtMs: number;
}

/** Finds what is frozen in the summaries of one node. */
export class FrozenTimes {
  /** When the first summary with a time arrived, in monotonic milliseconds; those that moved with the last one are left out. */
  #unmovedSinceMs: ReadonlyMap<StatsKey, number> = new Map();
  #last: (Observed & { readonly frozen: FrozenStatistics }) | undefined;

  /** `arrivedAtMs`: of the summary; monotonic. */
  observe(summary: NodeSummary, arrivedAtMs: number): FrozenStatistics {
    const last = this.#last;
    if (last?.summary === summary) return last.frozen;
    const pods = podsWithTime(summary);
    this.#unmovedSinceMs = this.#unmoved({ summary, pods, arrivedAtMs });
    const frozen = frozenOf({ summary, pods, arrivedAtMs }, this.#unmovedSinceMs);
    this.#last = { summary, pods, arrivedAtMs, frozen };
    return frozen;
  }

  #unmoved({ summary, pods, arrivedAtMs }: Observed): ReadonlyMap<StatsKey, number> {
    const last = this.#last;
    const unmoved = new Map<StatsKey, number>();
    let newestMs: number | undefined;
    const oldAtFirstMs = (timeMs: number): number | undefined => {
      newestMs ??= newestOf(summary);
      return newestMs - timeMs >= frozenLagMs ? arrivedAtMs - (newestMs - timeMs) : undefined;
    };
    const add = (key: StatsKey, timeMs: number | undefined, lastMs: number | undefined): void => {
      if (timeMs === undefined || (lastMs !== undefined && lastMs !== timeMs)) return;
      const knownMs = this.#unmovedSinceMs.get(key) ?? last?.arrivedAtMs;
      const sinceMs = lastMs === undefined ? oldAtFirstMs(timeMs) : knownMs;
      if (sinceMs !== undefined) unmoved.set(key, sinceMs);
    };
    for (const [uid, pod] of pods) {
      const before = last?.pods.get(uid);
      add(uid, newestOfContainers(pod), before && isSamePod(before, pod) ? newestOfContainers(before) : undefined);
    }
    for (const [place, name] of signalFilesystems.entries())
      add(place, summary[name]?.timeMs, last?.summary[name]?.timeMs);
    return unmoved;
  }
}

function frozenOf(
  { summary, pods, arrivedAtMs }: Observed,
  unmovedSinceMs: ReadonlyMap<StatsKey, number>,
): FrozenStatistics {
  const filesystems = new Set<SignalFilesystem>();
  const frozenPods = new Map<string, { readonly summary: PodSummary; readonly heldMs: number }>();
  for (const [key, sinceMs] of unmovedSinceMs) {
    const heldMs = arrivedAtMs - sinceMs;
    if (heldMs < frozenAfterMs) continue;
    const filesystem = signalFilesystems[Number(key)];
    const pod = pods.get(String(key));
    if (typeof key === 'number' && filesystem !== undefined) filesystems.add(filesystem);
    else if (pod !== undefined) frozenPods.set(pod.uid, { summary: pod, heldMs });
  }
  if (filesystems.size + frozenPods.size === 0) return nothingFrozen;
  const timesMs = [
    ...Array.from(filesystems, (name) => summary[name]?.timeMs),
    ...Array.from(frozenPods.values(), (frozen) => newestOfContainers(frozen.summary)),
  ];
  return { filesystems, pods: frozenPods, sinceMs: timesMs.reduce(leastKnown, undefined) };
}

function podsWithTime({ pods }: NodeSummary): ReadonlyMap<string, PodSummary> {
  const byUid = new Map<string, PodSummary>();
  for (const pod of pods) if (newestOfContainers(pod) !== undefined) byUid.set(pod.uid, pod);
  return byUid;
}

/**
 * A time that is far ahead of those of all volumes, which the kubelet measures by itself, is that of a clock that is wrong: it
 * makes nothing old. Unless all are, or those of both filesystems: then volumes are old too.
 */
function newestOf(summary: NodeSummary): number {
  const { pods, nodefs, imagefs } = summary;
  const ofVolumesMs = newestOfVolumes(pods);
  const ofBothMs = Math.min(nodefs?.timeMs ?? -Infinity, imagefs?.timeMs ?? -Infinity);
  const rightMs = ofVolumesMs === -Infinity ? ofVolumesMs : Math.max(ofVolumesMs, ofBothMs);
  let [newestMs, aheadMs] = [-Infinity, -Infinity];
  const ofFilesystems = signalFilesystems.map((name) => summary[name]?.timeMs);
  for (const timeMs of [...pods.map(newestOfContainers), ...ofFilesystems]) {
    if (timeMs === undefined) continue;
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
