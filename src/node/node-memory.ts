import type { NodeSummary, PodSummary } from '../kubelet/summary.js';
import { NodeMeasurements } from './node-forecasts.js';
import { completedLayout, type NodeLayout, nodeLayout } from './node-layout.js';

/** What is remembered of a node as long as the process lives, whatever the settings. */
export class NodeMemory {
  readonly measurements = new NodeMeasurements();
  /** The layout that one kubelet has decided on: it looks once, when it starts. */
  #life: { readonly nodeUid: string; readonly kubeletStartedAtMs: number; readonly layout: NodeLayout } | undefined;
  #unknownPods: readonly PodSummary[] = [];
  #unlistedNamespaces: readonly string[] = [];
  /** By the UID of a pod that the API server does not know: the monotonic time at which it was first seen, in milliseconds. */
  #danglingSinceMs: ReadonlyMap<string, number> = new Map();

  /** The last one of {@link layoutOf}, where it lasts. */
  get layout(): NodeLayout | undefined {
    return this.#life?.layout;
  }

  /**
   * The layout that the kubelet behind the summary goes by: that of its first summary for as long as it lives. What that one
   * did not show is taken from the next. A summary without a start
   * shows no new life; of a kubelet that never reports it, each summary decides.
   */
  layoutOf(nodeUid: string, summary: NodeSummary): NodeLayout {
    const found = nodeLayout(summary);
    const known = this.#life?.nodeUid === nodeUid ? this.#life : undefined;
    const { kubeletStartedAtMs = known?.kubeletStartedAtMs } = summary;
    const isSameLife = known !== undefined && known.kubeletStartedAtMs === kubeletStartedAtMs;
    const layout = isSameLife ? completedLayout(known.layout, found) : found;
    this.#life = kubeletStartedAtMs === undefined ? undefined : { nodeUid, kubeletStartedAtMs, layout };
    return layout;
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
