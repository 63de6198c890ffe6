import type { Clock } from '../base/clock.js';
import type { PodSummary } from '../kubelet/summary.js';

export interface DanglingPodsOptions {
  readonly clock: Clock;
  /** How long a pod may be unknown to the API server's watch before it counts, in milliseconds. */
  readonly graceMs: number;
}

/** Pods that kubelets report and the API server has not known for longer than the grace period. */
export class DanglingPods {
  readonly #options: DanglingPodsOptions;
  /** By node, then by UID: the monotonic time at which the pod was first seen so. */
  readonly #seenAtMs = new Map<string, ReadonlyMap<string, number>>();

  constructor(options: DanglingPodsOptions) {
    this.#options = options;
  }

  /** To be told the node's unknown pods at each scrape that has its data. */
  count(nodeName: string, unknownPods: readonly PodSummary[]): number {
    const nowMs = this.#options.clock.monotonicMs();
    const before = this.#seenAtMs.get(nodeName);
    const seenAtMs = new Map(unknownPods.map(({ uid }) => [uid, before?.get(uid) ?? nowMs]));
    if (seenAtMs.size === 0) this.#seenAtMs.delete(nodeName);
    else this.#seenAtMs.set(nodeName, seenAtMs);
    return [...seenAtMs.values()].filter((atMs) => nowMs - atMs > this.#options.graceMs).length;
  }

  /** Forgets the nodes that are not among `nodeNames`. */
  retain(nodeNames: ReadonlySet<string>): void {
    for (const nodeName of this.#seenAtMs.keys()) {
      if (!nodeNames.has(nodeName)) this.#seenAtMs.delete(nodeName);
    }
  }
}
