import type { Clock } from '../../lib/base/clock.js';
import { maxDetailCount } from '../kube/pod-bounds.js';
import { isSamePod, ofSamePod, type PodIdentity } from '../kube/pod-identity.js';
import type { LastMeasurement } from './lookup.js';
import { cutPod } from './pod-others.js';
import type { NodeSummary, PodSummary } from './summary.js';

/** Besides the last one. */
const maxFormerSamples = 9;

/** Three of them are kept as they come; older ones are at least so far apart, also of a node that is scraped often. */
const denseSamples = 3;
const sparseMs = 45_000;

/** More than a node usually runs, each in detail as pods are shown. Above it, the pods that left first are forgotten. */
const maxDeparted = 300;

/**
 * The last values of the pods of one node. A kubelet stops listing an evicted pod about when the API server reports the
 * eviction, so pods outlive their disappearance from the summary.
 *
 * All pods of a summary share one matrix of former totals: 72 bytes for a pod, beyond the summary that the cache holds
 * anyway. An object for each pod or sample would cost several times that in a cluster of 150,000 pods.
 */
export class PodHistory {
  readonly #options;
  #summary: NodeSummary | undefined;
  #fetchedAtMs = 0;
  /** The same moment by the clock that starts of pods are compared with. */
  #fetchedNowMs = 0;
  /** Times of the summaries before the last one, the oldest first. */
  #formerAtMs: readonly number[] = [];
  /** A row for each pod of the last summary, in its order, with a total for each former time; NaN where it is unknown. */
  #formerTotals = new Float64Array();
  /** UIDs of pods of the last summary that list no volumes and did before: the kubelet has restarted. */
  #pendingAgain: ReadonlySet<string> = new Set();
  /** By UID; in the order in which they left. Undefined while there is none. The time is monotonic. */
  #departed: Map<string, LastMeasurement & { readonly forgetAtMs: number }> | undefined;

  constructor(options: {
    readonly clock: Clock;
    /** Returns how long a pod is remembered that the summary no longer lists from now on, in milliseconds. */
    readonly keepDepartedMs: () => number;
  }) {
    this.#options = options;
  }

  /** The last summary of the node. */
  get summary(): NodeSummary | undefined {
    return this.#summary;
  }

  /** `fetchedAtMs`: as in {@link UsageSample}; `fetchedNowMs`: the same moment by {@link latestNowMs}. */
  add(summary: NodeSummary, fetchedAtMs: number, fetchedNowMs: number): void {
    const formerPods = this.#summary?.pods ?? [];
    const formerRows = new Map(formerPods.map(({ uid }, row) => [uid, row]));
    const formerAtMs = this.#summary === undefined ? [] : [...this.#formerAtMs, this.#fetchedAtMs];
    const dropped = droppedIndex(formerAtMs);
    const keptAtMs = formerAtMs.filter((_, index) => index !== dropped);
    const columnCount = keptAtMs.length;
    const totals = new Float64Array(summary.pods.length * columnCount).fill(NaN);
    const pendingAgain = new Set<string>();
    for (const [row, pod] of summary.pods.entries()) {
      const formerRow = sameRow(formerRows.get(pod.uid), formerPods, pod);
      if (this.#isPendingAgain(pod, formerRow)) pendingAgain.add(pod.uid);
      if (formerRow === undefined) continue;
      formerRows.delete(pod.uid);
      if (this.#hasFirstVolumes(pod, formerRow)) continue; // none of its former totals is comparable
      const kept = totals.subarray(row * columnCount, (row + 1) * columnCount);
      copyWithout(dropped, this.#row(formerRow), kept);
      kept[columnCount - 1] = this.#total(formerRow);
    }
    for (const [uid, row] of formerRows) this.#leave(uid, row);
    this.#summary = summary;
    this.#fetchedAtMs = fetchedAtMs;
    this.#fetchedNowMs = fetchedNowMs;
    this.#formerAtMs = keptAtMs;
    this.#formerTotals = totals;
    this.#pendingAgain = pendingAgain;
    this.#purge(summary.pods);
  }

  /** Undefined for a pod that no summary has listed lately. */
  find(pod: PodIdentity): LastMeasurement | undefined {
    const row = this.#summary?.pods.findIndex((entry) => isSamePod(entry, pod)) ?? -1;
    if (row >= 0) return this.#measurement(row);
    this.#purge();
    return ofSamePod(this.#departed, pod);
  }

  /**
   * How fast each pod grows, in bytes per second, by its entry in the last summary: since the last total before, or since
   * its start where there is none. Below 0 when it shrank; without pods of which it is not known.
   */
  growth(): ReadonlyMap<PodSummary, number> {
    const growth = new Map<PodSummary, number>();
    for (const [row, pod] of this.#summary?.pods.entries() ?? []) {
      const bytesPerSecond = this.#growthOf(row, pod);
      if (bytesPerSecond !== undefined) growth.set(pod, bytesPerSecond);
    }
    return growth;
  }

  #growthOf(row: number, { startTimeMs }: PodSummary): number | undefined {
    const usedBytes = this.#total(row);
    const totals = this.#row(row);
    const last = totals.findLastIndex((total) => !Number.isNaN(total));
    const [sinceMs, untilMs] =
      last < 0 ? [startTimeMs, this.#fetchedNowMs] : [this.#formerAtMs[last], this.#fetchedAtMs];
    if (sinceMs === undefined || Number.isNaN(usedBytes)) return undefined;
    // A start after the response is one by a clock that is ahead.
    const durationMs = Math.max(untilMs - sinceMs, 1_000);
    return ((usedBytes - (totals[last] ?? 0)) * 1_000) / durationMs;
  }

  /** `pod`: of the next summary; `formerRow`: its row in the last one, where it is listed there. */
  #isPendingAgain(pod: PodSummary, formerRow: number | undefined): boolean {
    if (listsVolumes(pod)) return false;
    const former = formerRow === undefined ? ofSamePod(this.#departed, pod)?.summary : this.#summary?.pods[formerRow];
    return former !== undefined && (listsVolumes(former) || this.#pendingAgain.has(pod.uid));
  }

  /** Whether the volumes of a pod are measured for the first time. */
  #hasFirstVolumes(pod: PodSummary, formerRow: number): boolean {
    const former = this.#summary?.pods[formerRow];
    if (former === undefined || !listsVolumes(pod) || listsVolumes(former)) return false;
    return !this.#pendingAgain.has(pod.uid);
  }

  /** The pod's total in the last summary; NaN where it is unknown, or lacks volumes that were measured before. */
  #total(row: number): number {
    const pod = this.#summary?.pods[row];
    return pod === undefined || this.#pendingAgain.has(pod.uid) ? NaN : (pod.usedBytes ?? NaN);
  }

  #row(row: number): Float64Array {
    const columnCount = this.#formerAtMs.length;
    return this.#formerTotals.subarray(row * columnCount, (row + 1) * columnCount);
  }

  #measurement(row: number): LastMeasurement | undefined {
    const summary = this.#summary?.pods[row];
    if (summary === undefined) return undefined;
    const totals = [...this.#row(row), this.#total(row)];
    const samples = [...this.#formerAtMs, this.#fetchedAtMs].map((atMs, index) => {
      return { atMs, usedBytes: totals[index] ?? NaN };
    });
    const known = samples.filter(({ usedBytes }) => !Number.isNaN(usedBytes));
    return { summary, fetchedAtMs: this.#fetchedAtMs, samples: known };
  }

  #leave(uid: string, row: number): void {
    const measurement = this.#measurement(row);
    if (measurement === undefined) return;
    const { clock, keepDepartedMs } = this.#options;
    this.#departed ??= new Map();
    this.#departed.delete(uid);
    const summary = cutPod(measurement.summary, maxDetailCount);
    this.#departed.set(uid, { ...measurement, summary, forgetAtMs: clock.monotonicMs() + keepDepartedMs() });
  }

  /** Forgets departed pods whose time is over, and those that are listed again. */
  #purge(listed: readonly PodSummary[] = []): void {
    const departed = this.#departed;
    if (departed === undefined) return;
    for (const pod of listed) if (ofSamePod(departed, pod) !== undefined) departed.delete(pod.uid);
    const nowMs = this.#options.clock.monotonicMs();
    for (const [uid, { forgetAtMs }] of departed) {
      if (forgetAtMs > nowMs && departed.size <= maxDeparted) break;
      departed.delete(uid);
    }
    if (departed.size === 0) this.#departed = undefined;
  }
}

/** Undefined where the row is that of another pod. */
function sameRow(row: number | undefined, pods: readonly PodSummary[], pod: PodIdentity): number | undefined {
  const former = pods[row ?? -1];
  return former !== undefined && isSamePod(former, pod) ? row : undefined;
}

function copyWithout(index: number, from: Float64Array, to: Float64Array): void {
  const count = Math.max(0, index);
  if (count > 0) to.set(from.subarray(0, count));
  to.set(from.subarray(index + 1), count);
}

/** Returns -1 where all are kept. */
function droppedIndex(formerAtMs: readonly number[]): number {
  const index = formerAtMs.length - 1 - denseSamples;
  const distanceMs = (formerAtMs[index] ?? NaN) - (formerAtMs[index - 1] ?? NaN);
  if (distanceMs < sparseMs) return index;
  return formerAtMs.length > maxFormerSamples ? 0 : -1;
}

function listsVolumes({ volumes = [] }: PodSummary): boolean {
  return volumes.length > 0;
}
