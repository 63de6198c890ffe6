import type { PodSummary } from '../kubelet/summary.js';
import type { NodeMemory } from './node-memory.js';
import type { NodeSnapshot } from './node-view.js';

/** Since when a node's summaries list pods that the API server does not know. */
export class DanglingPods {
  readonly #memory: NodeMemory;
  #pods: readonly PodSummary[] = [];
  #unlistedNamespaces: readonly string[] = [];

  constructor(memory: NodeMemory) {
    this.#memory = memory;
  }

  /**
   * Replaces the pods; quick for the same arrays. Those in namespaces whose pods are not listed are left out: the API server
   * may know them.
   */
  update(pods: readonly PodSummary[], unlistedNamespaces: readonly string[], nowMs: number): void {
    if (this.#pods === pods && this.#unlistedNamespaces === unlistedNamespaces) return;
    this.#pods = pods;
    this.#unlistedNamespaces = unlistedNamespaces;
    const before = this.#memory.danglingSinceMs;
    const dangling = pods.filter(({ namespace }) => !unlistedNamespaces.includes(namespace));
    this.#memory.danglingSinceMs = new Map(dangling.map(({ uid }) => [uid, before.get(uid) ?? nowMs]));
  }

  /** Counts pods that were first seen before `timeMs`. */
  countBefore(timeMs: number): number {
    let count = 0;
    for (const sinceMs of this.#memory.danglingSinceMs.values()) if (sinceMs < timeMs) count += 1;
    return count;
  }
}

/** With the dangling pods among the unread ones. Where a part of the pods is read, all that are unknown are counted already. */
export function withDangling(snapshot: NodeSnapshot, danglingPods: number): NodeSnapshot {
  return snapshot.unreadPodCount === undefined && danglingPods > 0
    ? { ...snapshot, unreadPodCount: danglingPods }
    : snapshot;
}
