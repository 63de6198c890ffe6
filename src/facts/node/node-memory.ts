import { identityKey } from '../../cluster/kube/pod-identity.js';
import type { EvictionSignal } from '../../cluster/kubelet/eviction-signals.js';
import type { NodeSummary, PodSummary } from '../../cluster/kubelet/summary.js';
import { DiskFills, type DiskSources } from './disk-fill.js';
import { FrozenTimes } from './frozen-statistics.js';
import { type ForecastInput, NodeMeasurements, soonSignals } from './node-forecasts.js';
import { type LayoutEvidence, layoutEvidence, layoutFrom, type NodeLayout } from './node-layout.js';
import type { NodeThreshold } from './node-thresholds.js';
import type { NodeSnapshot } from './node-view.js';

/** A kubelet looks every 10 s, and its condition is seen a moment later. */
const refutedAfterMs = 60_000;
/** A watch in which nothing happens has a bookmark each minute: in longer gaps the API server was away. */
const maxGapMs = 90_000;

/** What is remembered of a node as long as the process lives, whatever the settings. */
export class NodeMemory {
  readonly frozenTimes = new FrozenTimes();
  #measurements = new NodeMeasurements();
  #fills = new DiskFills();
  /** Of the kubelet behind the last summary. */
  #life:
    | { readonly nodeUid: string; readonly kubeletStartedAtMs: number | undefined; readonly evidence: LayoutEvidence }
    | undefined;
  #unknownPods: readonly PodSummary[] = [];
  #unlistedNamespaces: readonly string[] = [];
  /** By the key of a pod that the API server does not know: the monotonic time at which it was first seen, in milliseconds. */
  #danglingSinceMs: ReadonlyMap<string, number> = new Map();
  /**
   * By the signal of an assumed threshold that the last summaries cross: monotonic time up to which it is counted, and for how
   * long, without gaps in which the condition of the node was not known.
   */
  readonly #crossed = new Map<EvictionSignal, { readonly untilMs: number; readonly forMs: number }>();
  readonly #refuted = new Set<EvictionSignal>();

  /** Of the kubelet behind the last summary. */
  get measurements(): NodeMeasurements {
    return this.#measurements;
  }

  /** Takes in what a snapshot is made of. */
  learn(
    disks: DiskSources,
    { pods, known, derived, context }: Omit<ForecastInput, 'summary' | 'thresholds'>,
  ): Pick<NodeSnapshot, 'forecasts' | 'fills'> {
    const { summary, thresholds } = disks;
    const forecasts = this.#measurements.forecasts({ summary, thresholds, pods, known, derived, context });
    return { forecasts, fills: this.#fills.of(disks, soonSignals(forecasts)) };
  }

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
    const isNewLife = known === undefined || known.kubeletStartedAtMs !== kubeletStartedAtMs;
    if (isNewLife) this.#forgetKubelet();
    const evidence = layoutEvidence(summary, known?.evidence, isNewLife);
    this.#life = { nodeUid, kubeletStartedAtMs, evidence };
    return layoutFrom(evidence);
  }

  /**
   * The signals whose assumed thresholds are not those of the kubelet: summaries have crossed them for a minute in which the
   * API server showed no DiskPressure. It stays so until the kubelet's own thresholds are known, it starts again, or the
   * condition is another one. `arrivedAtMs`: of the summary; `seenAtMs`: of the last sign that the condition is still this
   * one; both monotonic.
   */
  refutedSignals(
    thresholds: readonly NodeThreshold[],
    diskPressure: boolean | undefined,
    { arrivedAtMs, seenAtMs }: { readonly arrivedAtMs: number; readonly seenAtMs: number },
  ): readonly EvictionSignal[] {
    const assumed = thresholds.filter(({ isAssumed }) => isAssumed);
    if (diskPressure !== false || assumed.length === 0) {
      this.#crossed.clear();
      this.#refuted.clear();
    }
    for (const { signal, isCrossed } of diskPressure === false ? assumed : []) {
      if (isCrossed) this.#cross(signal, arrivedAtMs, seenAtMs);
      else this.#crossed.delete(signal);
    }
    return [...this.#refuted];
  }

  #cross(signal: EvictionSignal, arrivedAtMs: number, seenAtMs: number): void {
    const before = this.#crossed.get(signal) ?? { untilMs: arrivedAtMs, forMs: 0 };
    const untilMs = Math.max(before.untilMs, Math.min(arrivedAtMs, seenAtMs));
    const gapMs = untilMs - before.untilMs;
    const forMs = before.forMs + (gapMs > maxGapMs ? 0 : gapMs);
    this.#crossed.set(signal, { untilMs, forMs });
    if (forMs >= refutedAfterMs) this.#refuted.add(signal);
  }

  #forgetKubelet(): void {
    this.#measurements = new NodeMeasurements();
    this.#fills = new DiskFills();
    this.#crossed.clear();
    this.#refuted.clear();
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
      this.#danglingSinceMs = new Map(dangling.map(identityKey).map((key) => [key, before.get(key) ?? nowMs]));
    }
    let count = 0;
    for (const firstSeenMs of this.#danglingSinceMs.values()) if (firstSeenMs < sinceMs) count += 1;
    return count;
  }
}
