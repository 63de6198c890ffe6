import { notNeeded } from './abortable.js';
import type { Clock } from './clock.js';

/** Opened for less than this time, it has been closed all the time. */
const leastOpenMs = 1_000;

/** Closed now and then, to let work wait that is not urgent. However often it is closed again, nobody waits at it for long. */
export class Gate {
  readonly #clock: Clock;
  readonly #waiting = new Set<AbortController>();
  #isClosed = false;
  /** Monotonic times in milliseconds. */
  #closedAtMs = -Infinity;
  #openedAtMs = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  set isClosed(isClosed: boolean) {
    if (isClosed === this.#isClosed) return;
    this.#isClosed = isClosed;
    const nowMs = this.#clock.monotonicMs();
    if (!isClosed) {
      this.#openedAtMs = nowMs;
      for (const waiting of this.#waiting) waiting.abort(notNeeded);
    } else if (nowMs - this.#openedAtMs >= leastOpenMs) {
      this.#closedAtMs = nowMs;
    }
  }

  /** Whether `passed` would wait. */
  holds(maxClosedMs: number): boolean {
    return this.#isClosed && this.#leftMs(maxClosedMs) > 0;
  }

  /**
   * Resolves when it is open, and at the latest when it has been closed for `maxClosedMs`, which is no time for each of those that
   * come one after the other. Never rejects.
   */
  async passed(maxClosedMs: number): Promise<void> {
    if (!this.holds(maxClosedMs)) return;
    const waiting = new AbortController();
    this.#waiting.add(waiting);
    await this.#clock.sleep(this.#leftMs(maxClosedMs), waiting.signal).catch(() => undefined); // it was opened
    this.#waiting.delete(waiting);
  }

  #leftMs(maxClosedMs: number): number {
    return this.#closedAtMs + maxClosedMs - this.#clock.monotonicMs();
  }
}
