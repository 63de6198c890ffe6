import type { EvictionStatus, Pod } from '../../cluster/kube/objects.js';
import { type Clock, latestNowMs } from '../../lib/base/clock.js';
import { setNewest } from '../../lib/base/maps.js';
import { Memo } from '../../lib/base/memo.js';
import { byNames } from '../../lib/base/ranking.js';
import { workloadKey } from '../workload/workload.js';
import { EvictionCounters } from './eviction-counters.js';
import { storageEviction } from './eviction-message.js';
import type { EvictionRecord } from './eviction-record.js';
import type { EvictionSnapshot, EvictionSnapshotOptions, StorageEviction } from './eviction-snapshot.js';
import { causesUnderPressure, type EvictionContext, lastUsage, verdictBefore } from './last-usage.js';
import { boundedLabels } from './record-bounds.js';

/** A change of a pod in the store. */
export interface PodChange {
  /** The new state; of a removed pod its final one. */
  readonly object: Pod;
  /** The state before. */
  readonly previous: Pod | undefined;
  /** Whether it is part of the first list: it shows what happened before the exporter watched. */
  readonly isInitial: boolean;
}

export interface EvictionLogSettings {
  /** How long an eviction is listed, in milliseconds. */
  readonly retentionMs: number;
  /** Default: 1,000. */
  readonly maxRecords?: number;
}

/** Clocks of nodes may be behind by this much. */
const clockSkewMs = 60_000;

/** However long evictions are listed: each has series of a pod that is gone. */
const maxSeriesMs = 3_600_000;

interface SeenEviction {
  readonly pod: Pod;
  readonly status: EvictionStatus;
  readonly eviction: StorageEviction;
  readonly context: EvictionContext;
  readonly isLive: boolean;
}

/** About 2 MB. Above it, the oldest are forgotten: a UID is only needed while events and lists still name it. */
const maxUids = 10_000;

/**
 * The evictions for local storage that were seen, with what the pods used before: the kubelet and often the API server
 * forget an evicted pod within seconds. One for each pod UID, whatever the number of events. Lives as long as the process; what
 * `restore` was given came from the one before.
 */
export class EvictionLog {
  readonly #clock: Clock;
  readonly #startedAtMs: number;
  #settings: EvictionLogSettings;
  #records: readonly EvictionRecord[] = [];
  readonly #withSeries = new Memo<readonly EvictionRecord[]>();
  readonly #ofWorkloads = new Memo<readonly EvictionRecord[]>();
  /** Steady time in milliseconds from which the retention counts. */
  readonly #keptSinceMs = new WeakMap<EvictionRecord, number>();
  /** UIDs of evicted pods, and whether they were counted; those from before the first list were not. */
  readonly #isCounted = new Map<string, boolean>();
  readonly #byWorkload = new EvictionCounters(workloadKey);
  readonly #byNode = new EvictionCounters((nodeName: string) => nodeName);

  constructor(settings: EvictionLogSettings, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
    this.#startedAtMs = latestNowMs(clock);
  }

  /**
   * Takes over what a former process has seen, before the first change: it is known, so a list that shows the same pods adds
   * nothing, and this process counts none of it. The wall clock is all that both processes share: what was seen live is kept
   * from when it was seen.
   */
  restore(records: readonly EvictionRecord[]): void {
    for (const record of records.toReversed()) {
      const { uid, wasSeenLive, seenAtMs, evictedAtMs } = record;
      this.#keptSinceMs.set(record, this.#steadyMsOf(wasSeenLive ? seenAtMs : evictedAtMs));
      setNewest(this.#isCounted, uid, wasSeenLive, maxUids);
    }
    this.#records = records.toSorted(newestFirst);
    this.#prune();
  }

  /** From now on, also for the evictions so far. */
  configure(settings: EvictionLogSettings): void {
    this.#settings = settings;
    this.#prune();
  }

  /** Keeps for as long as these settings and those so far both ask for, until `configure`: lists of new settings come before. */
  expect({ retentionMs, ...others }: EvictionLogSettings): void {
    this.#settings = { ...others, retentionMs: Math.max(retentionMs, this.#settings.retentionMs) };
  }

  /** Forgets the records of pods that are out of scope. */
  retain(isInScope: (record: EvictionRecord) => boolean): void {
    if (this.#records.every(isInScope)) return;
    this.#records = this.#records.filter(isInScope);
  }

  /**
   * To be called with each change of a pod. An eviction is counted when the change shows it happening: the state before was
   * not evicted, and the change is not part of the first list. `contextOf` is called for new evictions only.
   */
  podChanged(change: PodChange, contextOf: (pod: Pod) => EvictionContext): void {
    const { object: pod } = change;
    const status = pod.eviction;
    const wasCounted = this.#isCounted.get(pod.uid) === true;
    const isLive = !wasCounted && this.#isLive(change);
    const isListed = this.#isListed(change);
    if (status === undefined) return;
    if (!isLive && (isListed || this.#isExpired(this.#steadyMsOf(status.atMs)))) return;
    const eviction = storageEviction(status.message);
    if (eviction === undefined) return;
    const seen = { pod, status, eviction, context: contextOf(pod), isLive };
    if (isLive) this.#count(seen);
    if (!isListed) this.#add(this.#recordOf(seen));
    setNewest(this.#isCounted, pod.uid, isLive || wasCounted, maxUids);
  }

  /** Wall time before which evictions are forgotten. */
  get keptFromMs(): number {
    return latestNowMs(this.#clock) - this.#settings.retentionMs;
  }

  /** All evictions, also of pods that belong to no workload; the newest first. */
  get records(): readonly EvictionRecord[] {
    this.#prune();
    return this.#records;
  }

  snapshot({ workloads, nodeNames, showsAllPods }: EvictionSnapshotOptions): EvictionSnapshot {
    const records = this.#recentRecords();
    const workloadKeys = new Set(records.flatMap((record) => record.workloads.map(workloadKey)));
    return {
      records: showsAllPods ? records : this.#ofWorkloads.of([records], () => records.filter(hasWorkload)),
      workloads: this.#byWorkload.list(workloads, workloadKeys),
      nodes: this.#byNode.list(nodeNames, new Set(records.map(({ node }) => node))),
    };
  }

  #recentRecords(): readonly EvictionRecord[] {
    const recent = this.records.filter((record) => !this.#isExpired(this.#keptSinceMs.get(record), maxSeriesMs));
    return this.#withSeries.of(recent, () => recent);
  }

  /**
   * Whether the eviction happened just now. A pod that is new to the store may have been evicted long ago: it matches the
   * pod selector only since its labels have changed.
   */
  #isLive({ object: { eviction }, previous, isInitial }: PodChange): boolean {
    if (eviction === undefined || isInitial) return false;
    if (previous !== undefined) return previous.eviction === undefined;
    return (eviction.atMs ?? Infinity) >= this.#startedAtMs - clockSkewMs;
  }

  /** What is new to a reader may be known from another scope: its record was forgotten with that one. */
  #isListed({ object: { uid }, previous }: PodChange): boolean {
    return previous === undefined ? this.#recordWith(uid) !== undefined : this.#isCounted.has(uid);
  }

  #recordWith(uid: string): EvictionRecord | undefined {
    return this.#records.find((record) => record.uid === uid);
  }

  /** For the workloads of its record, which keeps their counters. */
  #count({ pod: { uid, nodeName }, eviction: { cause }, context }: SeenEviction): void {
    const { workloads } = this.#recordWith(uid) ?? context;
    for (const workload of workloads) this.#byWorkload.add(workload, cause);
    if (nodeName !== undefined) this.#byNode.add(nodeName, cause);
  }

  #recordOf({ pod, status: { message, atMs }, eviction, context, isLive }: SeenEviction): EvictionRecord {
    const nowMs = this.#clock.nowMs();
    const evictedAtMs = Math.min(atMs ?? nowMs, latestNowMs(this.#clock));
    const monotonicMs = this.#clock.monotonicMs() - (latestNowMs(this.#clock) - evictedAtMs);
    const last = this.#records.find(({ node, cause }) => node === pod.nodeName && cause === eviction.cause);
    const earlier = last?.nodeVerdict && {
      evictedAtMs: monotonicMs - (evictedAtMs - last.evictedAtMs),
      verdict: last.nodeVerdict,
    };
    return {
      ...eviction,
      namespace: pod.namespace,
      pod: pod.name,
      uid: pod.uid,
      node: pod.nodeName ?? '',
      labels: boundedLabels(pod.labels),
      workloads: context.workloads,
      message,
      evictedAtMs,
      seenAtMs: nowMs,
      wasSeenLive: isLive,
      diskPressure: causesUnderPressure.has(eviction.cause) || context.node?.diskPressure,
      lastUsage: lastUsage(pod, eviction, context) ?? (isLive ? 'not_measured' : 'before_start'),
      nodeVerdict: isLive ? verdictBefore(eviction, context, monotonicMs, earlier) : undefined,
    };
  }

  /**
   * The steady time of a moment that a pod's status names. How long ago it was is seen by the later of wall and steady time: an
   * eviction that was found would stay listed for too long by a clock that is behind.
   */
  #steadyMsOf(atMs = Infinity): number {
    return this.#clock.steadyNowMs() - (latestNowMs(this.#clock) - atMs);
  }

  /**
   * The clock of a node, and the wall clock, may be wrong: an eviction that was seen as it happened is not forgotten for its
   * time, and none when the wall clock is set after it was seen.
   */
  #add(record: EvictionRecord): void {
    const { wasSeenLive, evictedAtMs } = record;
    this.#keptSinceMs.set(record, wasSeenLive ? this.#clock.steadyNowMs() : this.#steadyMsOf(evictedAtMs));
    const index = this.#records.findIndex((other) => newestFirst(record, other) <= 0);
    this.#records = this.#records.toSpliced(index < 0 ? this.#records.length : index, 0, record);
    this.#prune();
  }

  /** The same array when nothing is to be forgotten. */
  #prune(): void {
    const { maxRecords = 1_000 } = this.#settings;
    const isKept = (record: EvictionRecord): boolean => !this.#isExpired(this.#keptSinceMs.get(record));
    if (this.#records.length <= maxRecords && this.#records.every(isKept)) return;
    this.#records = mostTelling(this.#records.filter(isKept), maxRecords);
  }

  #isExpired(sinceMs = Infinity, keptMs = this.#settings.retentionMs): boolean {
    return sinceMs <= this.#clock.steadyNowMs() - keptMs;
  }
}

function hasWorkload({ workloads }: EvictionRecord): boolean {
  return workloads.length > 0;
}

/** Those of one second by their names, whatever the order in which they were seen. */
function newestFirst(a: EvictionRecord, b: EvictionRecord): number {
  return b.evictedAtMs - a.evictedAtMs || byPod(a, b);
}

const byPod = byNames<EvictionRecord>(({ namespace, pod }) => [namespace, pod]);

/**
 * The newest, of each namespace as many. A DaemonSet's pods are refused again and again while a node is under pressure: refusals,
 * which tell least, go first.
 */
function mostTelling(records: readonly EvictionRecord[], maxCount: number): readonly EvictionRecord[] {
  const isRefusal = ({ cause }: EvictionRecord): boolean => cause === 'node_admission';
  const order = [...inTurns(records.filter((record) => !isRefusal(record))), ...inTurns(records.filter(isRefusal))];
  const kept = new Set(order.slice(0, maxCount));
  return records.filter((record) => kept.has(record));
}

/**
 * The newest of each namespace, then the second of each, and so on: however many one namespace has, where there is room for the
 * first ones alone, those of the others are among them. `records`: the newest first.
 */
export function inTurns(records: readonly EvictionRecord[]): readonly EvictionRecord[] {
  const counts = new Map<string, number>();
  const ranked = records.map((record) => {
    const rank = counts.get(record.namespace) ?? 0;
    counts.set(record.namespace, rank + 1);
    return { record, rank };
  });
  return ranked.sort((a, b) => a.rank - b.rank).map(({ record }) => record);
}
