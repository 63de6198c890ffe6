import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Clock } from '../../src/base/clock.js';

interface Sleeper {
  readonly dueAtMs: number;
  readonly wake: () => void;
}

export interface ManualClockOptions {
  /** Wall time at the start. */
  readonly nowMs?: number;
  /** Monotonic time at the start; deliberately unlike the wall time, so that mixing the two fails a test. */
  readonly monotonicMs?: number;
}

/** A clock that stands still until `advance`. */
export class ManualClock implements Clock {
  /** Wall time minus monotonic time. */
  readonly #offsetMs: number;
  #monotonicMs: number;
  readonly #sleepers = new Set<Sleeper>();

  constructor({ nowMs = Date.UTC(2026, 0, 1), monotonicMs = 5_000 }: ManualClockOptions = {}) {
    this.#offsetMs = nowMs - monotonicMs;
    this.#monotonicMs = monotonicMs;
  }

  nowMs(): number {
    return this.#monotonicMs + this.#offsetMs;
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  /** How many sleeps are under way: 0 when nothing was left behind. */
  get sleeperCount(): number {
    return this.#sleepers.size;
  }

  async sleep(durationMs: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const sleeper: Sleeper = {
        dueAtMs: this.#monotonicMs + Math.max(0, durationMs),
        wake: () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      const onAbort = (): void => {
        this.#sleepers.delete(sleeper);
        reject(signal?.reason as Error);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#sleepers.add(sleeper);
    });
  }

  /**
   * Moves both times on by `durationMs`, stopping at each sleeper that falls due, in order; sleeps started on the way
   * take part. Whatever runs without I/O settles before the first, between them and before the returned promise resolves.
   */
  async advance(durationMs: number): Promise<void> {
    const endMs = this.#monotonicMs + durationMs;
    await settle();
    for (let next = this.#nextDue(endMs); next !== undefined; next = this.#nextDue(endMs)) {
      this.#monotonicMs = next.dueAtMs;
      this.#sleepers.delete(next);
      next.wake();
      await settle();
    }
    this.#monotonicMs = endMs;
    await settle();
  }

  #nextDue(endMs: number): Sleeper | undefined {
    let first: Sleeper | undefined;
    for (const sleeper of this.#sleepers) {
      if (sleeper.dueAtMs <= endMs && (first === undefined || sleeper.dueAtMs < first.dueAtMs)) first = sleeper;
    }
    return first;
  }
}

/** Two turns of the event loop: work that hands over with `setImmediate` once is seen through. */
async function settle(): Promise<void> {
  await nextTurn();
  await nextTurn();
}
