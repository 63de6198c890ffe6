import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Clock } from '../../src/lib/base/clock.js';

interface Sleeper {
  readonly dueAtMs: number;
  readonly wake: () => void;
}

export interface ManualClockOptions {
  /** Wall time at the start. */
  readonly nowMs?: number;
  /** Monotonic time at the start. Differs from the wall time, so that confusing the two fails a test. */
  readonly monotonicMs?: number;
}

/** A clock that only moves by `advance`. */
export class ManualClock implements Clock {
  /** Wall time minus monotonic time. */
  readonly #offsetMs: number;
  /** By how much the wall time is wrong. */
  #jumpMs = 0;
  #monotonicMs: number;
  readonly #sleepers = new Set<Sleeper>();

  constructor({ nowMs = Date.UTC(2026, 0, 1), monotonicMs = 5_000 }: ManualClockOptions = {}) {
    this.#offsetMs = nowMs - monotonicMs;
    this.#monotonicMs = monotonicMs;
  }

  nowMs(): number {
    return this.steadyNowMs() + this.#jumpMs;
  }

  steadyNowMs(): number {
    return this.#monotonicMs + this.#offsetMs;
  }

  /** Sets the wall time forward, or back below 0. */
  jumpWallTime(byMs: number): void {
    this.#jumpMs += byMs;
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  /** Time goes by, and no sleep ends before the next `advance`: as in a process whose timers do not fire. */
  passWithoutTimers(durationMs: number): void {
    this.#monotonicMs += durationMs;
  }

  /** Number of pending sleeps: 0 when nothing is left over. */
  get sleeperCount(): number {
    return this.#sleepers.size;
  }

  /** Time until the next pending sleep ends; Infinity when there is none. */
  get nextDueMs(): number {
    return (this.#nextDue(Infinity)?.dueAtMs ?? Infinity) - this.#monotonicMs;
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
   * Advances both times by `durationMs`, and stops at each sleep that ends, in order, including sleeps that start on the
   * way. Work without I/O settles before the first, between them and before the returned promise resolves.
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

/** Two turns of the event loop, in which work that yields once with `setImmediate` completes. */
async function settle(): Promise<void> {
  await nextTurn();
  await nextTurn();
}
