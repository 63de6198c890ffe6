import { type Backoff, exponentialBackoff } from '../base/backoff.js';
import type { Clock } from '../base/clock.js';

export interface WorkloadBackoffOptions {
  readonly clock: Clock;
  /** Longest rest in milliseconds; zero or less means the default of five minutes. */
  readonly maxBackoffMs: number;
}

const baseMs = 1000;
const defaultMaxBackoffMs = 5 * 60_000;

interface Rest {
  readonly backoff: Backoff;
  /** Monotonic milliseconds from which the workload may be collected again. */
  readonly nextAllowedMs: number;
}

/** The rests of workloads whose last collection failed: one second, doubled with each further failure. */
export class WorkloadBackoff {
  readonly #clock: Clock;
  readonly #first: Backoff;
  /** By the workload's key. */
  readonly #rests = new Map<string, Rest>();

  constructor({ clock, maxBackoffMs }: WorkloadBackoffOptions) {
    const maxMs = maxBackoffMs > 0 ? maxBackoffMs : defaultMaxBackoffMs;
    this.#clock = clock;
    this.#first = exponentialBackoff({ baseMs: Math.min(baseMs, maxMs), maxMs });
  }

  /** Whether the last collection of any workload failed. */
  get hasFailed(): boolean {
    return this.#rests.size > 0;
  }

  /** A failure while the workload is at rest changes nothing: it was not to be collected. */
  failed(key: string): void {
    if (this.restMs(key) > 0) return;
    const backoff = this.#rests.get(key)?.backoff.next() ?? this.#first;
    this.#rests.set(key, { backoff, nextAllowedMs: this.#clock.monotonicMs() + backoff.delayMs });
  }

  succeeded(key: string): void {
    this.#rests.delete(key);
  }

  /** Milliseconds until the workload may be collected; 0 when it may be now. */
  restMs(key: string): number {
    const rest = this.#rests.get(key);
    return rest === undefined ? 0 : Math.max(0, rest.nextAllowedMs - this.#clock.monotonicMs());
  }

  /** Forgets the workloads that are not among `keys`. */
  retain(keys: ReadonlySet<string>): void {
    for (const key of this.#rests.keys()) {
      if (!keys.has(key)) this.#rests.delete(key);
    }
  }
}
