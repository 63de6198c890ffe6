import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Clock } from './clock.js';

/** Long enough to be cheap, short enough for probes and watches to be served in between. */
const sliceMs = 5;

/** Runs synchronous tasks one after the other and lets the event loop turn whenever they have held it for a time slice. */
export class TimeSlicer {
  readonly #clock: Clock;
  #tail: Promise<unknown> = Promise.resolve();
  #sliceStartMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#sliceStartMs = clock.monotonicMs();
  }

  /** Resolves with the task's result; rejects with what it throws. Tasks run in the order of the calls. */
  run<T>(task: () => T): Promise<T> {
    const result = this.#tail.then(async () => {
      if (this.#clock.monotonicMs() - this.#sliceStartMs >= sliceMs) {
        await nextTurn();
        this.#sliceStartMs = this.#clock.monotonicMs();
      }
      return task();
    });
    this.#tail = result.catch(() => undefined);
    return result;
  }
}
