import type { Clock } from '../base/clock.js';
import { setNewest } from '../base/maps.js';

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
