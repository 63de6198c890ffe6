import { nextDelayMs, withJitter } from '../../lib/base/backoff.js';
import type { Clock } from '../../lib/base/clock.js';
import { messageOf } from '../../lib/base/errors.js';
import { FailureRun, type LogFields, type Logger } from '../../lib/base/logger.js';
import { ApiError } from '../http/api-error.js';
import { type Delay, noWatches, type RecentWatches, type WatchMode, withWatch } from './next-step.js';
import type { WatchEnd } from './watch-session.js';

const shortestMs = 500;
const longestMs = 30_000;

/**
 * A watch that has lived so long shows that the server can serve: the back-off after it is 2-4 s at most. It does not end the run
 * of failures, as a server whose streams break again and again is not well; while polling, it shows nothing new.
 */
const provenAfterMs = 3_000;
const provenBackoffMs = 4_000;

/** However watches live and break, no more back-offs end in a minute: with one immediate list, less than ten lists. */
const mostInMinuteCount = 8;
const minuteMs = 60_000;

export interface FailedAttempt {
  readonly reason: string;
  readonly error: unknown;
  readonly delay: Delay;
  /** Worth a warning, whatever has been logged before. */
  readonly isNews?: boolean;
  /** Of a watch, which polling does not let delay the next list. */
  readonly isOfWatch?: boolean;
}

export interface AttemptFailure {
  readonly reason: string;
  readonly message: string;
}

/** A run of failed attempts: how long to wait after each, and which are logged. */
export class Retries {
  readonly #options;
  /** The next back-off, before its random part. */
  #backoffMs = shortestMs;
  /** Monotonic times at which the last ones ended, the oldest first. */
  #backoffEndsMs: readonly number[] = [];
  #wasImmediate = false;
  #hasBackedOff = false;
  readonly #failures: FailureRun;
  #lastFailure: AttemptFailure | undefined;
  #watches: RecentWatches = noWatches;

  constructor(options: {
    readonly clock: Pick<Clock, 'monotonicMs'>;
    readonly logger: Logger;
    /** Added to each line. */
    readonly fields: LogFields;
    /** From 0 to 1, 1 excluded. */
    readonly random: () => number;
  }) {
    this.#options = options;
    this.#failures = new FailureRun(options.logger);
  }

  /** Undefined when the last attempt did not fail. */
  get lastFailure(): AttemptFailure | undefined {
    return this.#lastFailure;
  }

  get mode(): WatchMode {
    return this.#watches.mode;
  }

  /** Returns whether polling begins: see {@link withWatch}. */
  watchEnded(end: WatchEnd, nowMs: number): boolean {
    const before = this.#watches;
    const isProven = before.mode === 'watch' && end.connectedMs >= provenAfterMs;
    if (isProven) this.#backoffMs = Math.min(this.#backoffMs, provenBackoffMs);
    const after = withWatch(before, end, nowMs);
    if (after === noWatches) this.recovered();
    this.#watches = after;
    return before.mode !== after.mode && after.mode === 'polling';
  }

  /**
   * Returns how long to wait, in milliseconds; see {@link FailureRun} for what is logged. `nextList`: given after a watch while
   * polling, so that the list comes in time, and not before; where it is next, no watch can come before it.
   */
  failed(
    what: string,
    { reason, error, delay, isNews = false }: FailedAttempt,
    nextList?: { readonly next: 'watch' | 'list'; readonly inMs: number },
  ): number {
    this.#lastFailure = { reason, message: messageOf(error) };
    let delayMs = this.delayMs(delay, error instanceof ApiError ? error.retryAfterMs : undefined);
    if (nextList?.next === 'list') delayMs = Math.max(delayMs, nextList.inMs);
    else if (nextList !== undefined) delayMs = Math.min(delayMs, Math.max(0, nextList.inMs));
    const fields = { ...this.#options.fields, reason, retryInMs: Math.round(delayMs) };
    this.#failures.failed(what, fields, error, isNews);
    return delayMs;
  }

  /** Notes that the last attempt worked. The run of failures ends only when `recovered` is called. */
  worked(): void {
    this.#lastFailure = undefined;
  }

  /** Ends the run of failures and polling, as a watch has lived for a minute; the next back-off is the shortest. */
  recovered(): void {
    this.#backoffMs = shortestMs;
    this.#wasImmediate = false;
    this.#hasBackedOff = false;
    this.#lastFailure = undefined;
    const what = this.mode === 'polling' ? 'the watch is back, without lists' : 'recovered';
    this.#watches = noWatches;
    this.#failures.ended(what, this.#options.fields);
  }

  /** Returns how long to wait, in milliseconds; never less than the server requested. */
  delayMs(delay: Delay, retryAfterMs = 0): number {
    const { random } = this.#options;
    if (delay === 'immediate') return 1_000 * random();
    if (delay === 'immediateOnce') {
      const wasImmediate = this.#wasImmediate;
      this.#wasImmediate = true;
      return this.delayMs(wasImmediate ? 'backoff' : 'immediate', retryAfterMs);
    }
    if (delay === 'refused' && !this.#hasBackedOff) return 30_000 + 30_000 * random();
    this.#hasBackedOff = true;
    return this.#nextBackoffMs(retryAfterMs * (1 + 0.2 * random()));
  }

  #nextBackoffMs(leastMs: number): number {
    const { clock, random } = this.#options;
    const nowMs = clock.monotonicMs();
    const oldestMs = this.#backoffEndsMs.at(-mostInMinuteCount) ?? -Infinity;
    const delayMs = Math.max(withJitter(this.#backoffMs, random), leastMs, oldestMs + minuteMs - nowMs);
    this.#backoffMs = nextDelayMs(this.#backoffMs, longestMs);
    this.#backoffEndsMs = [...this.#backoffEndsMs.slice(1 - mostInMinuteCount), nowMs + delayMs];
    return delayMs;
  }
}
