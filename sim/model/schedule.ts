import { setMaxListeners } from 'node:events';

import type { Clock } from '../../src/lib/base/clock.js';

/** Future events of the simulated cluster, on its clock. Disposal cancels all. */
export class Schedule implements Disposable {
  readonly #clock: Clock;
  readonly #stopped = new AbortController();

  constructor(clock: Clock) {
    this.#clock = clock;
    setMaxListeners(0, this.#stopped.signal); // one listener for each future event
  }

  get nowMs(): number {
    return this.#clock.nowMs();
  }

  after(delayMs: number, run: () => void): void {
    this.#clock.sleep(delayMs, this.#stopped.signal).then(run, () => undefined);
  }

  /** Runs after `firstMs` and then every `everyMs`. */
  every(everyMs: number, run: () => void, firstMs = everyMs): void {
    this.after(firstMs, () => {
      this.every(everyMs, run);
      run();
    });
  }

  [Symbol.dispose](): void {
    this.#stopped.abort();
  }
}
