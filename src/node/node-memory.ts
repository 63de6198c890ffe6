import { getOrAdd } from '../base/maps.js';
import type { EvictionSignal } from '../kubelet/eviction-signals.js';
import type { NodeSummary, PodSummary } from '../kubelet/summary.js';
import { FrozenTimes } from './frozen-statistics.js';
import { NodeMeasurements } from './node-forecasts.js';
import { type LayoutEvidence, layoutEvidence, layoutFrom, type NodeLayout } from './node-layout.js';
import type { NodeThreshold } from './node-thresholds.js';

/** A kubelet looks every 10 s, and its condition is seen a moment later. */
const refutedAfterMs = 60_000;

/** What is remembered of a node as long as the process lives, whatever the settings. */
export class NodeMemory {
  readonly measurements = new NodeMeasurements();
  readonly frozenTimes = new FrozenTimes();
  /** Of the kubelet behind the last summary. */
  #life:
    | { readonly nodeUid: string; readonly kubeletStartedAtMs: number | undefined; readonly evidence: LayoutEvidence }
    | undefined;
  #unknownPods: readonly PodSummary[] = [];
  #unlistedNamespaces: readonly string[] = [];
  /** By the UID of a pod that the API server does not know: the monotonic time at which it was first seen, in milliseconds. */
  #danglingSinceMs: ReadonlyMap<string, number> = new Map();
  /** By the signal of an assumed threshold: the monotonic time of the first summary of those in a row that cross it. */
  readonly #crossedSinceMs = new Map<EvictionSignal, number>();
  readonly #refuted = new Set<EvictionSignal>();

  /** The last one of {@link layoutOf}. */
  get layout(): NodeLayout | undefined {
    return this.#life && layoutFrom(this.#life.evidence);
  }

  /**
   * The layout that the kubelet behind the summary goes by: it looks once, when it starts. A summary without a start shows no
   * new life.
   */
  layoutOf(nodeUid: string, summary: NodeSummary): NodeLayout {
    const known = this.#life?.nodeUid === nodeUid ? this.#life : undefined;
    const { kubeletStartedAtMs = known?.kubeletStartedAtMs } = summary;
    const isNewLife = known?.kubeletStartedAtMs !== kubeletStartedAtMs;
    const evidence = layoutEvidence(summary, known?.evidence, isNewLife);
    this.#life = { nodeUid, kubeletStartedAtMs, evidence };
    return layoutFrom(evidence);
  }

  /**
   * The signals whose assumed thresholds are not those of the kubelet: summaries have crossed them for a minute without
   * DiskPressure. It stays so until the kubelet's own thresholds are known, or the condition is another one.
   * `arrivedAtMs`: of the summary; monotonic.
   */
  refutedSignals(
    thresholds: readonly NodeThreshold[],
    diskPressure: boolean | undefined,
    arrivedAtMs: number,
  ): readonly EvictionSignal[] {
    const assumed = thresholds.filter(({ isAssumed }) => isAssumed);
    if (diskPressure !== false || assumed.length === 0) {
      this.#crossedSinceMs.clear();
      this.#refuted.clear();
    }
    for (const { signal, isCrossed } of diskPressure === false ? assumed : []) {
      if (!isCrossed) this.#crossedSinceMs.delete(signal);
      else if (arrivedAtMs - getOrAdd(this.#crossedSinceMs, signal, () => arrivedAtMs) >= refutedAfterMs)
        this.#refuted.add(signal);
    }
    return [...this.#refuted];
  }

  /**
   * Counts the pods of the last summary that have been unknown to the API server since before `sinceMs`; quick for the same
   * arrays. Those in namespaces whose pods are not listed are left out: the API server may know them.
   */
  countDangling(
    unknownPods: readonly PodSummary[],
    unlistedNamespaces: readonly string[],
    { nowMs, sinceMs }: { readonly nowMs: number; readonly sinceMs: number },
  ): number {
    if (this.#unknownPods !== unknownPods || this.#unlistedNamespaces !== unlistedNamespaces) {
      this.#unknownPods = unknownPods;
      this.#unlistedNamespaces = unlistedNamespaces;
      const before = this.#danglingSinceMs;
      const dangling = unknownPods.filter(({ namespace }) => !unlistedNamespaces.includes(namespace));
      this.#danglingSinceMs = new Map(dangling.map(({ uid }) => [uid, before.get(uid) ?? nowMs]));
    }
    let count = 0;
    for (const firstSeenMs of this.#danglingSinceMs.values()) if (firstSeenMs < sinceMs) count += 1;
    return count;
  }
}
