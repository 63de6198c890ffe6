import type { Clock } from './clock.js';

/**
 * Lets work in the background wait while somebody waits for other work. What takes turns on the event loop shares it
 * equally: with fifty tasks in the background, one in the foreground would take fifty times as long.
 */
export class Precedence {
  readonly #clock: Clock;
  readonly #waiting = new Set<AbortController>();
  #runningCount = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Work that runs now in the foreground. */
  get runningCount(): number {
    return this.#runningCount;
  }

  /** Something runs in the foreground until the result is disposed of, once. */
  hold(): Disposable {
    this.#runningCount += 1;
    return {
      [Symbol.dispose]: () => {
        this.#runningCount -= 1;
        if (this.#runningCount === 0) for (const waiting of this.#waiting) waiting.abort();
      },
    };
  }

  /** In the foreground; the result of `work`. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    const held = this.hold();
    try {
      return await work();
    } finally {
      held[Symbol.dispose]();
    }
  }

  /** Resolves when nothing runs in the foreground, at the latest after `maxWaitMs`. Never rejects. */
  async free(maxWaitMs: number): Promise<void> {
    if (this.#runningCount === 0) return;
    const waiting = new AbortController();
    this.#waiting.add(waiting);
    await this.#clock.sleep(maxWaitMs, waiting.signal).catch(() => undefined); // the foreground has ended
    this.#waiting.delete(waiting);
  }
}
