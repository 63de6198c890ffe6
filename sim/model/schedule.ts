import { setMaxListeners } from 'node:events';

import type { Clock } from '../../src/base/clock.js';

/** Things that happen later in the simulated cluster, on its clock; all are dropped on disposal. */
export class Schedule implements Disposable {
  readonly #clock: Clock;
  readonly #stopped = new AbortController();

  constructor(clock: Clock) {
    this.#clock = clock;
    setMaxListeners(0, this.#stopped.signal); // one for each thing to come
  }

  get nowMs(): number {
    return this.#clock.nowMs();
  }

  after(delayMs: number, run: () => void): void {
    this.#clock.sleep(delayMs, this.#stopped.signal).then(run, () => undefined);
  }

  /** First after `firstMs`, then each `everyMs`. */
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
