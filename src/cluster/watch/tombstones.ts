import type { Clock } from '../../lib/base/clock.js';

/** About 10 MB. Above it, the oldest are forgotten first. */
const maxCount = 50_000;

/**
 * API objects that were removed recently, by an ID: pods by their kubelet UID, since a summary from before the deletion still
 * lists them, and nodes by their name. Remembers at most 50,000.
 */
export class Tombstones {
  readonly #clock: Clock;
  #keepMs = 0;
  /** ID → monotonic time at which it was removed; in the order of that time. */
  readonly #removedAtMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Remembers objects for this time after their removal, in milliseconds, or for longer; also those that it remembers already. */
  keepAtLeast(keepMs: number): void {
    this.#purge(); // what was forgotten stays so, whether or not anybody has looked since
    this.#keepMs = Math.max(this.#keepMs, keepMs);
  }

  /** Remembers the object from now on. */
  add(id: string): void {
    this.#removedAtMs.delete(id);
    this.#removedAtMs.set(id, this.#clock.monotonicMs());
    this.#purge();
  }

  /** Whether nothing is remembered; what is about to be forgotten counts. */
  get isEmpty(): boolean {
    return this.#removedAtMs.size === 0;
  }

  /** Forgets an ID that is in use again, as that of a re-created static pod. */
  delete(id: string): void {
    this.#removedAtMs.delete(id);
  }

  has(id: string): boolean {
    this.#purge();
    return this.#removedAtMs.has(id);
  }

  #purge(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [id, removedAtMs] of this.#removedAtMs) {
      if (nowMs - removedAtMs < this.#keepMs && this.#removedAtMs.size <= maxCount) return;
      this.#removedAtMs.delete(id);
    }
  }
}
