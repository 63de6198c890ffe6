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

/** What a summary has a time for, which was that of the summary before. */
interface Unmoved {
  readonly of: SignalFilesystem | PodSummary;
  readonly timeMs: number;
  /** When the first summary with the time arrived; monotonic. */
  readonly sinceMs: number;
}

/** Finds what is frozen in the summaries of one node. */
export class FrozenTimes {
  /** By the UID of a pod or the place of a filesystem: no UID is a number. */
  #unmoved: ReadonlyMap<string | number, Unmoved> = new Map();
  #pods: ReadonlyMap<string, PodSummary> = new Map();
  #last: { readonly summary: NodeSummary; readonly arrivedAtMs: number; readonly frozen: FrozenStatistics } | undefined;

  /** `arrivedAtMs`: of the summary; monotonic. */
  observe(summary: NodeSummary, arrivedAtMs: number): FrozenStatistics {
    if (this.#last?.summary === summary) return this.#last.frozen;
    const pods = podsWithTime(summary);
    this.#unmoved = this.#unmovedIn(summary, pods, arrivedAtMs);
    this.#pods = pods;
    const frozen = frozenOf(this.#unmoved.values(), arrivedAtMs);
    this.#last = { summary, arrivedAtMs, frozen };
    return frozen;
  }

  #unmovedIn(summary: NodeSummary, pods: ReadonlyMap<string, PodSummary>, arrivedAtMs: number) {
    const unmoved = new Map<string | number, Unmoved>();
    let newestMs: number | undefined;
    const oldAtFirstMs = (timeMs: number): number | undefined => {
      newestMs ??= newestOf(summary);
      return newestMs - timeMs >= frozenLagMs ? arrivedAtMs - (newestMs - timeMs) : undefined;
    };
    const add = (key: string | number, of: Unmoved['of'], timeMs: number | undefined, lastMs: number | undefined) => {
      if (timeMs === undefined || (lastMs !== undefined && lastMs !== timeMs)) return;
      const knownMs = this.#unmoved.get(key)?.sinceMs ?? this.#last?.arrivedAtMs;
      const sinceMs = lastMs === undefined ? oldAtFirstMs(timeMs) : knownMs;
      if (sinceMs !== undefined) unmoved.set(key, { of, timeMs, sinceMs });
    };
    for (const [uid, pod] of pods) {
      const last = this.#pods.get(uid);
      add(uid, pod, newestOfContainers(pod), last && isSamePod(last, pod) ? newestOfContainers(last) : undefined);
    }
    for (const [place, name] of signalFilesystems.entries())
      add(place, name, summary[name]?.timeMs, this.#last?.summary[name]?.timeMs);
    return unmoved;
  }
}

function frozenOf(unmoved: Iterable<Unmoved>, nowMs: number): FrozenStatistics {
  const filesystems = new Set<SignalFilesystem>();
  const pods = new Map<string, { readonly summary: PodSummary; readonly heldMs: number }>();
  let oldestMs = Infinity;
  for (const { of, timeMs, sinceMs } of unmoved) {
    const heldMs = nowMs - sinceMs;
    if (heldMs < frozenAfterMs) continue;
    oldestMs = Math.min(oldestMs, timeMs);
    if (typeof of === 'string') filesystems.add(of);
    else pods.set(of.uid, { summary: of, heldMs });
  }
  return oldestMs === Infinity ? nothingFrozen : { filesystems, pods, sinceMs: oldestMs };
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
