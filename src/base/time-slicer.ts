import { setImmediate as yieldToEventLoop } from 'node:timers/promises';

import type { Clock } from './clock.js';

/** Long enough to be cheap, short enough to serve probes and watches in between. */
const sliceMs = 5;

/** Runs synchronous tasks one after the other and yields to the event loop after each time slice. */
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
      if (this.#isSliceOver()) {
        await yieldToEventLoop();
        this.#sliceStartMs = this.#clock.monotonicMs();
      }
      return task();
    });
    this.#tail = result.catch(() => undefined);
    return result;
  }

  /** Runs one task for each item, without a yield until a time slice is over. Takes the items one by one. */
  async forEach<T>(items: Iterable<T>, task: (item: T) => void): Promise<void> {
    const iterator = items[Symbol.iterator]();
    let isDone = false;
    while (!isDone) {
      isDone = await this.run(() => {
        for (let next = iterator.next(); next.done !== true; next = iterator.next()) {
          task(next.value);
          if (this.#isSliceOver()) return false;
        }
        return true;
      });
    }
  }

  #isSliceOver(): boolean {
    return this.#clock.monotonicMs() - this.#sliceStartMs >= sliceMs;
  }
}
