import type { Clock } from './clock.js';

export interface RateLimit {
  /** Between two requests, on average; above 0. */
  readonly intervalMs: number;
  /** Requests at once. 0 or less: none at all. */
  readonly burst: number;
}

/** A token bucket, full at first. https://pkg.go.dev/golang.org/x/time/rate#Limiter */
export class RateLimiter {
  readonly #limit: RateLimit;
  readonly #clock: Clock;
  #tokens: number;
  #filledAtMs: number;

  constructor(limit: RateLimit, clock: Clock) {
    this.#limit = limit;
    this.#clock = clock;
    this.#tokens = limit.burst;
    this.#filledAtMs = clock.monotonicMs();
  }

  /** Whether one more request is allowed now. */
  allows(): boolean {
    const { intervalMs, burst } = this.#limit;
    const nowMs = this.#clock.monotonicMs();
    this.#tokens = Math.min(burst, this.#tokens + (nowMs - this.#filledAtMs) / intervalMs);
    this.#filledAtMs = nowMs;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
