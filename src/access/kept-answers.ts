import type { Clock } from '../base/clock.js';
import { ExpiringCache } from './expiring-cache.js';

export interface KeptAnswersOptions {
  readonly clock: Clock;
  /** Of the values, and of the answers without one. */
  readonly maxCount: number;
  /** In milliseconds: for how long a value is not asked for again. */
  readonly keepMs: number;
  /** In milliseconds, at least `keepMs`: for how long a value counts while asking for it again fails. */
  readonly keepFailingMs: number;
  /** In milliseconds: for how long it is kept that there is no value. */
  readonly keepNoneMs: number;
}

interface Found<V> {
  readonly value: V;
  readonly askAgainMs: number;
}

/**
 * Answers that are expensive to find. Values are kept apart from answers without one, so that a flood of wrong
 * credentials displaces no right ones. Who asks for what is being found waits for the same answer.
 */
export class KeptAnswers<V> {
  readonly #options: KeptAnswersOptions;
  readonly #values: ExpiringCache<Found<V>>;
  readonly #none: ExpiringCache<true>;
  readonly #asked = new Map<string, Promise<V | undefined>>();

  constructor(options: KeptAnswersOptions) {
    this.#options = options;
    this.#values = new ExpiringCache(options.clock, options.maxCount);
    this.#none = new ExpiringCache(options.clock, options.maxCount);
  }

  /** Rejects as `ask` does, when no value is kept. */
  async get(key: string, ask: () => Promise<V | undefined>): Promise<V | undefined> {
    const found = this.#values.get(key);
    if (found !== undefined && found.askAgainMs > this.#options.clock.monotonicMs()) return found.value;
    if (this.#none.get(key) === true) return undefined;
    const asked = this.#asked.get(key) ?? this.#ask(key, ask);
    this.#asked.set(key, asked);
    return asked;
  }

  async #ask(key: string, ask: () => Promise<V | undefined>): Promise<V | undefined> {
    try {
      const value = await ask();
      this.#keep(key, value);
      return value;
    } catch (error) {
      const found = this.#values.get(key);
      if (found === undefined) throw error;
      return found.value;
    } finally {
      this.#asked.delete(key);
    }
  }

  #keep(key: string, value: V | undefined): void {
    const { clock, keepMs, keepFailingMs, keepNoneMs } = this.#options;
    if (value === undefined) {
      this.#values.delete(key);
      this.#none.set(key, true, keepNoneMs);
    } else {
      this.#values.set(key, { value, askAgainMs: clock.monotonicMs() + keepMs }, keepFailingMs);
    }
  }
}
