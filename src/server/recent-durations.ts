import type { Clock } from '../base/clock.js';

/** So many durations are remembered. */
const keptCount = 5;

/** How long some work took lately, whether or not it succeeded. */
export class RecentDurations {
  readonly #clock: Clock;
  readonly #durationsMs: number[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** In milliseconds; 0 before the first one. */
  get longestMs(): number {
    return Math.max(0, ...this.#durationsMs);
  }

  async measure<T>(work: () => Promise<T>): Promise<T> {
    const startMs = this.#clock.monotonicMs();
    try {
      return await work();
    } finally {
      this.#durationsMs.push(this.#clock.monotonicMs() - startMs);
      if (this.#durationsMs.length > keptCount) this.#durationsMs.shift();
    }
  }
}
