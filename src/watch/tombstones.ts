import type { Clock } from '../base/clock.js';

/** About 10 MB. Above it, the oldest are forgotten first. */
const maxCount = 50_000;

export interface TombstonesOptions {
  readonly clock: Clock;
  /** How long a UID is remembered, in milliseconds. */
  readonly keepMs: number;
}

/**
 * The kubelet UIDs of pods, or the names of nodes, whose API objects were removed recently: a summary from before the
 * deletion still lists such a pod. Remembers at most 50,000.
 */
export class Tombstones {
  readonly #clock: Clock;
  readonly #keepMs: number;
  /** UID → monotonic time at which it is forgotten; in the order of that time. */
  readonly #forgetAtMs = new Map<string, number>();

  constructor({ clock, keepMs }: TombstonesOptions) {
    this.#clock = clock;
    this.#keepMs = keepMs;
  }

  /** Remembers the UID for `keepMs` from now on. */
  add(uid: string): void {
    this.#forgetAtMs.delete(uid);
    this.#forgetAtMs.set(uid, this.#clock.monotonicMs() + this.#keepMs);
    this.#purge();
  }

  /** Adds the UIDs that `former` remembers. */
  inherit(former: Tombstones): void {
    former.#purge();
    for (const uid of former.#forgetAtMs.keys()) this.add(uid);
  }

  /** The UID is in use again, as that of a re-created static pod. */
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
