import type { Clock } from '../../lib/base/clock.js';
import { setNewest } from '../../lib/base/maps.js';
import { singleFlight } from '../../lib/base/memo.js';
import { QueueFullError } from './fair-queue.js';

/**
 * Answers that are expensive to find. Values are kept apart from answers without one, so that a flood of wrong
 * credentials displaces no right ones. Who asks for what is being found waits for the same answer; where there is a value
 * nobody waits, and it is asked for again in the background.
 */
export class KeptAnswers<V> {
  readonly #options;
  /** `isFailing`: asking again has failed. */
  readonly #values: ExpiringCache<{ readonly value: V; readonly askAgainMs: number; readonly isFailing: boolean }>;
  /** Why there is no value, or no newer one; without an error, since the answer was that there is none. */
  readonly #none: ExpiringCache<{ readonly error?: unknown }>;
  readonly #flight = singleFlight<V | undefined>();

  constructor(options: {
    readonly clock: Clock;
    /** Of the values, and of the answers without one. */
    readonly maxCount: number;
    /** In milliseconds: for how long a value is not asked for again. */
    readonly keepMs: number;
    /** In milliseconds, at least `keepMs`: for how long a value counts after it was found, and after the first failure since. */
    readonly keepFailingMs: number;
    /** In milliseconds: for how long it is kept that there is no value. */
    readonly keepNoneMs: number;
    /** In milliseconds: for how long nothing is asked again that could not be answered. */
    readonly keepFailureMs: number;
  }) {
    const { clock, maxCount } = options;
    this.#options = options;
    this.#values = new ExpiringCache(clock, maxCount);
    this.#none = new ExpiringCache(clock, maxCount);
  }

  /** Rejects as `ask` does, when no value is kept. */
  async get(key: string, ask: () => Promise<V | undefined>): Promise<V | undefined> {
    const found = this.#values.get(key);
    const none = this.#none.get(key);
    if (found !== undefined) {
      const isDue = found.askAgainMs <= this.#options.clock.monotonicMs();
      if (isDue && none === undefined) void this.#ask(key, ask).catch(() => undefined);
      return found.value;
    }
    if (none === undefined) return this.#ask(key, ask);
    if ('error' in none) throw none.error;
    return undefined;
  }

  #ask(key: string, ask: () => Promise<V | undefined>): Promise<V | undefined> {
    return this.#flight(async () => {
      try {
        const value = await ask();
        this.#keep(key, value);
        return value;
      } catch (error) {
        if (!(error instanceof QueueFullError)) this.#keepFailure(key, error);
        throw error;
      }
    }, key);
  }

  #keep(key: string, value: V | undefined): void {
    const { clock, keepMs, keepFailingMs, keepNoneMs } = this.#options;
    if (value === undefined) {
      this.#values.delete(key);
      this.#none.set(key, {}, keepNoneMs);
    } else {
      const askAgainMs = clock.monotonicMs() + keepMs;
      this.#values.set(key, { value, askAgainMs, isFailing: false }, keepFailingMs);
    }
  }

  #keepFailure(key: string, error: unknown): void {
    const { keepFailingMs, keepFailureMs } = this.#options;
    this.#none.set(key, { error }, keepFailureMs);
    const found = this.#values.get(key);
    if (found?.isFailing === false) this.#values.set(key, { ...found, isFailing: true }, keepFailingMs);
  }
}

/** Values for a time, at most `maxCount`: the one that was set or found the longest ago makes room. */
export class ExpiringCache<V> {
  readonly #clock: Clock;
  readonly #maxCount: number;
  readonly #values = new Map<string, { readonly value: V; readonly untilMs: number }>();

  constructor(clock: Clock, maxCount: number) {
    this.#clock = clock;
    this.#maxCount = maxCount;
  }

  get(key: string): V | undefined {
    const kept = this.#values.get(key);
    if (kept === undefined) return undefined;
    this.#values.delete(key);
    if (kept.untilMs <= this.#clock.monotonicMs()) return undefined;
    this.#values.set(key, kept);
    return kept.value;
  }

  delete(key: string): void {
    this.#values.delete(key);
  }

  /** `ttlMs` may be Infinity. */
  set(key: string, value: V, ttlMs: number): void {
    setNewest(this.#values, key, { value, untilMs: this.#clock.monotonicMs() + ttlMs }, this.#maxCount);
  }
}
