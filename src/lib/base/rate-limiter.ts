import type { Clock } from './clock.js';

/** A token bucket, full at first: one more each `intervalMs`, up to `burst`. https://pkg.go.dev/golang.org/x/time/rate#Limiter */
export class RateLimiter {
  readonly #limit;
  readonly #clock: Clock;
  #tokens: number;
  #filledAtMs: number;

  constructor(limit: { readonly intervalMs: number; readonly burst: number }, clock: Clock) {
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
