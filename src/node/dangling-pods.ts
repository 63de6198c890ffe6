import type { PodSummary } from '../kubelet/summary.js';
import type { NodeSnapshot } from './node-state.js';

/** Since when a node's summaries list pods that the API server does not know. */
export class DanglingPods {
  #pods: readonly PodSummary[] = [];
  #unlistedNamespaces: readonly string[] = [];
  /** By UID: the monotonic time at which the pod was first seen, in milliseconds. */
  #sinceMs: ReadonlyMap<string, number>;

  /** The pods of `former` have their times. */
  constructor(former?: DanglingPods) {
    this.#sinceMs = former === undefined ? new Map<string, number>() : former.#sinceMs;
  }

  /**
   * Replaces the pods; quick for the same arrays. Those in namespaces whose pods are not listed are left out: the API server
   * may know them.
   */
  update(pods: readonly PodSummary[], unlistedNamespaces: readonly string[], nowMs: number): void {
    if (this.#pods === pods && this.#unlistedNamespaces === unlistedNamespaces) return;
    this.#pods = pods;
    this.#unlistedNamespaces = unlistedNamespaces;
    const before = this.#sinceMs;
    const dangling = pods.filter(({ namespace }) => !unlistedNamespaces.includes(namespace));
    this.#sinceMs = new Map(dangling.map(({ uid }) => [uid, before.get(uid) ?? nowMs]));
  }

  /** Pods that were first seen before `timeMs`. */
  countBefore(timeMs: number): number {
    let count = 0;
    for (const sinceMs of this.#sinceMs.values()) if (sinceMs < timeMs) count += 1;
    return count;
  }
}

/** With the dangling pods among the unread ones. Where a part of the pods is read, all that are unknown are counted already. */
export function withDangling(snapshot: NodeSnapshot, danglingPods: number): NodeSnapshot {
  return snapshot.unreadPodCount === undefined && danglingPods > 0
    ? { ...snapshot, unreadPodCount: danglingPods }
    : snapshot;
}
