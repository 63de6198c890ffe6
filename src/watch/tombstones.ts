import type { Clock } from '../base/clock.js';

/** About 10 MB. Above it, the oldest are forgotten first. */
const maxCount = 50_000;

/**
 * API objects that were removed recently, by an ID: pods by their kubelet UID, since a summary from before the deletion still
 * lists them, and nodes by their name. Remembers at most 50,000.
 */
export class Tombstones {
  readonly #clock: Clock;
  #keepMs = 0;
  /** ID → monotonic time at which it is forgotten; in the order of that time. */
  readonly #forgetAtMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Objects that are removed from now on are remembered for this time, in milliseconds, or for longer. */
  keepAtLeast(keepMs: number): void {
    this.#keepMs = Math.max(this.#keepMs, keepMs);
  }

  /** Remembers the object from now on. */
  add(id: string): void {
    this.#forgetAtMs.delete(id);
    this.#forgetAtMs.set(id, this.#clock.monotonicMs() + this.#keepMs);
    this.#purge();
  }

  /** Whether nothing is remembered; what is about to be forgotten counts. */
  get isEmpty(): boolean {
    return this.#forgetAtMs.size === 0;
  }

  /** Adds the objects that `former` remembers. */
  inherit(former: Tombstones): void {
    former.#purge();
    for (const id of former.#forgetAtMs.keys()) this.add(id);
  }

  /** The ID is in use again, as that of a re-created static pod. */
  delete(id: string): void {
    this.#forgetAtMs.delete(id);
  }

  has(id: string): boolean {
    this.#purge();
    return this.#forgetAtMs.has(id);
  }

  #purge(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [id, forgetAtMs] of this.#forgetAtMs) {
      if (forgetAtMs > nowMs && this.#forgetAtMs.size <= maxCount) return;
      this.#forgetAtMs.delete(id);
    }
  }
}
