import type { Node } from '../kube/objects.js';
import type { CacheLookup, FoundLookup } from '../kubelet/lookup.js';

export interface KnownLookup {
  readonly lookup: CacheLookup;
  /** Monotonic time in milliseconds. */
  readonly lookedUpAtMs: number;
}

/** The last lookup of a node of which all was derived. */
export class DerivedLookup {
  #nodeUid: string | undefined;
  #lookup: FoundLookup | undefined;
  /** Monotonic time in milliseconds at which the summary arrived. */
  #arrivedAtMs = -Infinity;

  /** In place of the one before: two summaries of a node are kept no longer than it takes to derive the second one. */
  set({ uid }: Node, { lookup, lookedUpAtMs }: KnownLookup): void {
    if (lookup.state === 'absent') return;
    this.#nodeUid = uid;
    this.#lookup = lookup;
    this.#arrivedAtMs = lookedUpAtMs - lookup.ageMs;
  }

  /** Stale; no data when the node is another one, or the summary as old as `maxAgeMs`. */
  at(nowMs: number, { uid }: Node, maxAgeMs: number): CacheLookup {
    const ageMs = nowMs - this.#arrivedAtMs;
    const isUsable = this.#nodeUid === uid && ageMs < maxAgeMs;
    return this.#lookup !== undefined && isUsable
      ? { ...this.#lookup, state: 'stale', ageMs }
      : { state: 'absent', reason: 'timeout' };
  }
}
