import { equalJitter } from '../base/backoff.js';
import type { Clock } from '../base/clock.js';
import { messageOf } from '../base/errors.js';
import { FailureRun, type LogFields, type Logger } from '../base/logger.js';
import { ApiError } from '../http/api-error.js';
import type { Pause } from './follow-ups.js';
import { type NextList, noWatches, pollingPauseMs, runAfter, type WatchMode, type WatchRun } from './watch-mode.js';
import type { WatchEnd } from './watch-session.js';

const shortestMs = 500;
const longestMs = 30_000;

/**
 * A watch that has lived so long shows that the server can serve: the back-off after it is 2-4 s at most. It does not end the run
 * of failures, as a server whose streams break again and again is not well; while polling, it shows nothing new.
 */
const provenAfterMs = 3_000;
const provenBackoffMs = 4_000;

/** However watches live and break, no more back-offs end in a minute: with one prompt list, less than ten lists. */
const mostInMinuteCount = 8;
const minuteMs = 60_000;

export interface RetriesOptions {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly logger: Logger;
  /** Added to each line. */
  readonly fields: LogFields;
  /** From 0 to 1, 1 excluded. */
  readonly random: () => number;
}

export interface FailedAttempt {
  readonly reason: string;
  readonly error: unknown;
  readonly pause: Pause;
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
  readonly #options: RetriesOptions;
  /** The next back-off, before its random part. */
  #backoffMs = shortestMs;
  /** Monotonic times at which the last ones ended, the oldest first. */
  #backoffEndsMs: readonly number[] = [];
  #wasPrompt = false;
  #hasBackedOff = false;
  readonly #failures: FailureRun;
  #lastFailure: AttemptFailure | undefined;
  #watches: WatchRun = noWatches;

  constructor(options: RetriesOptions) {
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

  /** Returns whether polling begins: see {@link runAfter}. */
  watchEnded(end: WatchEnd, nowMs: number): boolean {
    const before = this.#watches;
    const isProven = before.mode === 'watch' && end.connectedMs >= provenAfterMs;
    if (isProven) this.#backoffMs = Math.min(this.#backoffMs, provenBackoffMs);
    const after = runAfter(before, end, nowMs);
    if (after === noWatches) this.recovered();
    this.#watches = after;
    return before.mode !== after.mode && after.mode === 'polling';
  }

  /**
   * Returns how long to wait, in milliseconds; see {@link FailureRun} for what is logged.
   * `nextList`: of polling, see {@link pollingPauseMs}.
   */
  failed(what: string, { reason, error, pause, isNews = false }: FailedAttempt, nextList?: NextList): number {
    this.#lastFailure = { reason, message: messageOf(error) };
    const backoffMs = this.pauseMs(pause, error instanceof ApiError ? error.retryAfterMs : undefined);
    const pauseMs = nextList === undefined ? backoffMs : pollingPauseMs(backoffMs, nextList);
    const fields = { ...this.#options.fields, reason, retryInMs: Math.round(pauseMs) };
    this.#failures.failed(what, fields, error, isNews);
    return pauseMs;
  }

  /** The last attempt worked. The run of failures ends only when `recovered` is called. */
  worked(): void {
    this.#lastFailure = undefined;
  }

  /** A watch has lived for a minute: the run of failures and polling have ended; the next back-off is the shortest. */
  recovered(): void {
    this.#backoffMs = shortestMs;
    this.#wasPrompt = false;
    this.#hasBackedOff = false;
    this.#lastFailure = undefined;
    const what = this.mode === 'polling' ? 'the watch is back, without lists' : 'recovered';
    this.#watches = noWatches;
    this.#failures.ended(what, this.#options.fields);
  }

  /** How long to wait, in milliseconds; never less than the server requested. */
  pauseMs(pause: Pause, retryAfterMs = 0): number {
    const { random } = this.#options;
    switch (pause) {
      case 'prompt':
        return 1_000 * random();
      case 'prompt_once': {
        const next = this.#wasPrompt ? 'backoff' : 'prompt';
        this.#wasPrompt = true;
        return this.pauseMs(next, retryAfterMs);
      }
      case 'refused':
        return this.#hasBackedOff ? this.pauseMs('backoff', retryAfterMs) : 30_000 + 30_000 * random();
      case 'backoff': {
        this.#hasBackedOff = true;
        return this.#nextBackoffMs(retryAfterMs * (1 + 0.2 * random()));
      }
    }
  }

  #nextBackoffMs(leastMs: number): number {
    const { clock, random } = this.#options;
    const nowMs = clock.monotonicMs();
    const oldestMs = this.#backoffEndsMs.at(-mostInMinuteCount) ?? -Infinity;
    const pauseMs = Math.max(equalJitter(random)(this.#backoffMs), leastMs, oldestMs + minuteMs - nowMs);
    this.#backoffMs = Math.min(2 * this.#backoffMs, longestMs);
    this.#backoffEndsMs = [...this.#backoffEndsMs.slice(1 - mostInMinuteCount), nowMs + pauseMs];
    return pauseMs;
  }
}
