import type { Clock } from '../base/clock.js';

/** Above this the oldest are forgotten first: some 10 MB. */
const maxCount = 50_000;

export interface TombstonesOptions {
  readonly clock: Clock;
  /** How long a UID is remembered, in milliseconds. */
  readonly keepMs: number;
}

/**
 * The kubelet UIDs of pods whose API object was deleted lately: their bytes in a summary taken before are no longer
 * theirs. Remembers at most 50,000.
 */
export class Tombstones {
  readonly #clock: Clock;
  readonly #keepMs: number;
  /** Monotonic time at which a UID is forgotten; in the order of that time. */
  readonly #forgetAtMs = new Map<string, number>();

  constructor({ clock, keepMs }: TombstonesOptions) {
    this.#clock = clock;
    this.#keepMs = keepMs;
  }

  /** Remembers the UID from now on. */
  add(uid: string): void {
    this.#forgetAtMs.delete(uid);
    this.#forgetAtMs.set(uid, this.#clock.monotonicMs() + this.#keepMs);
    this.#purge();
  }

  /** Remembers from now on what `former` remembers. */
  inherit(former: Tombstones): void {
    former.#purge();
    for (const uid of former.#forgetAtMs.keys()) this.add(uid);
  }

  /** The pod is back: another object reports under the same UID, as a re-created static pod does. */
  delete(uid: string): void {
    this.#forgetAtMs.delete(uid);
  }

  has(uid: string): boolean {
    this.#purge();
    return this.#forgetAtMs.has(uid);
  }

  #purge(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [uid, forgetAtMs] of this.#forgetAtMs) {
      if (forgetAtMs > nowMs && this.#forgetAtMs.size <= maxCount) return;
      this.#forgetAtMs.delete(uid);
    }
  }
}
