import { lingerMs } from '../../../src/cluster/watch/cluster-watches.js';
import type { Clock } from '../../../src/lib/base/clock.js';
import { type HistorySettings, isCovered, streamsOf, workloadsOf } from './history-settings.js';
import type { PodsApiObserver } from './pods-api.js';
import { causeOf, placeKey, type SimulatedPod } from './simulated-pods.js';

/** By place. */
type KnownPods = Map<string, SimulatedPod>;

/** What a source of data began with. */
interface ReadingSource {
  readonly settings: HistorySettings;
  /** The UIDs of evicted pods, by stream; undefined before the first list. */
  readonly before: Map<string, ReadonlySet<string> | undefined>;
}

interface RecordedEviction {
  readonly pod: SimulatedPod;
  /** By the settings in force when it was recorded. */
  readonly workloads: readonly string[];
}

/**
 * The evictions that an exporter reports: a fold over the history of the API server, as far as it was shown. An eviction
 * that is shown is listed, and counted unless that is what the source of the exporter began with. Once for each UID.
 */
export class EvictionOracle implements PodsApiObserver {
  /** Of the exporter that runs, by `LEVEL NAME CAUSE`. */
  readonly counts = new Map<string, number>();
  /** The evictions of which it has a record, by UID. */
  readonly records = new Map<string, RecordedEviction>();
  readonly #streams = new Map<string, KnownPods>();
  readonly #sources = new Map<object, ReadingSource>();
  readonly #counted = new Set<string>();
  /** When the last source of a stream ended: monotonic time in milliseconds. */
  readonly #unusedSinceMs = new Map<string, number>();
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  #active: HistorySettings;

  constructor(settings: HistorySettings, clock: Pick<Clock, 'monotonicMs'>) {
    this.#active = settings;
    this.#clock = clock;
  }

  isCounted(uid: string): boolean {
    return this.#counted.has(uid);
  }

  /** The exporter forgets everything. */
  restarted(settings: HistorySettings): void {
    for (const state of [this.counts, this.records, this.#streams, this.#sources, this.#counted, this.#unusedSinceMs])
      state.clear();
    this.#active = settings;
  }

  readonly sourceStarted = (source: object, settings: HistorySettings): void => {
    for (const [stream, sinceMs] of this.#unusedSinceMs) {
      if (this.#clock.monotonicMs() - sinceMs >= lingerMs) this.#streams.delete(stream);
    }
    const before = new Map(streamsOf(settings).map((stream) => [stream, evictedIn(this.#streams.get(stream))]));
    for (const stream of before.keys()) this.#unusedSinceMs.delete(stream);
    this.#sources.set(source, { settings, before });
    for (const stream of before.keys()) {
      for (const pod of this.#streams.get(stream)?.values() ?? []) this.#shown(stream, pod);
    }
  };

  readonly sourceEnded = (source: object): void => {
    const streams = this.#sources.get(source)?.before.keys() ?? [];
    this.#sources.delete(source);
    const used = new Set([...this.#sources.values()].flatMap(({ before }) => [...before.keys()]));
    for (const stream of streams) if (!used.has(stream)) this.#unusedSinceMs.set(stream, this.#clock.monotonicMs());
  };

  readonly activated = (settings: HistorySettings): void => {
    this.#active = settings;
  };

  /** Records out of the scope of the settings in force are forgotten. */
  readonly retained = (): void => {
    for (const [uid, { pod }] of [...this.records]) if (!isCovered(this.#active, pod)) this.records.delete(uid);
  };

  readonly began = (stream: string): void => {
    this.#streams.delete(stream);
    for (const { before } of this.#sources.values()) if (before.has(stream)) before.set(stream, undefined);
  };

  readonly listed = (stream: string, pods: readonly SimulatedPod[]): void => {
    const known = new Map(pods.map((pod) => [placeKey(pod), pod]));
    this.#streams.set(stream, known);
    for (const { before } of this.#sources.values()) {
      if (before.has(stream)) before.set(stream, before.get(stream) ?? evictedIn(known));
    }
    for (const pod of pods) this.#shown(stream, pod);
  };

  readonly changed = (stream: string, pod: SimulatedPod, isDeleted: boolean): void => {
    const known = this.#streams.get(stream);
    if (isDeleted) known?.delete(placeKey(pod));
    else known?.set(placeKey(pod), pod);
    this.#shown(stream, pod);
  };

  #shown(stream: string, pod: SimulatedPod): void {
    const cause = causeOf(pod);
    const readers = [...this.#sources.values()].filter(
      ({ before, settings }) => before.has(stream) && isCovered(settings, pod),
    );
    if (cause === undefined || readers.length === 0) return;
    const record = this.records.get(pod.uid) ?? { pod, workloads: workloadsOf(this.#active, pod) };
    this.records.set(pod.uid, record);
    const isNew = readers.some(({ before }) => before.get(stream)?.has(pod.uid) === false);
    if (!isNew || this.#counted.has(pod.uid)) return;
    this.#counted.add(pod.uid);
    this.#count(`node ${pod.nodeName} ${cause}`);
    for (const workload of record.workloads) this.#count(`workload ${workload} ${cause}`);
  }

  #count(key: string): void {
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
  }
}

/** Undefined before the first list. */
function evictedIn(pods: KnownPods | undefined): ReadonlySet<string> | undefined {
  return pods && new Set([...pods.values()].filter((pod) => causeOf(pod) !== undefined).map(({ uid }) => uid));
}
