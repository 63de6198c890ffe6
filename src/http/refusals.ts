import type { Clock } from '../base/clock.js';

/** Above it, refusals that are too old are forgotten. */
const sweepCount = 1_000;

/**
 * Requests that were refused with credentials which had just been read. Reading them again for each refusal would not
 * help: the server accepts none, and an exec plugin would run for each of its responses. Files of credentials are read
 * again every 60 s anyway.
 */
export class Refusals {
  readonly #clock: Clock;
  readonly #rememberMs: number;
  /** By what was requested: monotonic time in milliseconds. */
  readonly #refusedAtMs = new Map<string, number>();

  constructor({ clock, rememberMs }: { readonly clock: Clock; readonly rememberMs: number }) {
    this.#clock = clock;
    this.#rememberMs = rememberMs;
  }

  add(target: string): void {
    this.#refusedAtMs.set(target, this.#clock.monotonicMs());
    if (this.#refusedAtMs.size <= sweepCount) return;
    for (const known of this.#refusedAtMs.keys()) if (!this.has(known)) this.#refusedAtMs.delete(known);
  }

  /** Whether the target has refused new credentials within `rememberMs`. */
  has(target: string): boolean {
    return this.#clock.monotonicMs() - (this.#refusedAtMs.get(target) ?? -Infinity) < this.#rememberMs;
  }

  delete(target: string): void {
    this.#refusedAtMs.delete(target);
  }
}
