import { type Backoff, equalJitter, exponentialBackoff } from '../base/backoff.js';
import { messageOf } from '../base/errors.js';
import type { LogFields, Logger } from '../base/logger.js';
import { ApiError } from '../http/api-error.js';
import { type NextList, noWatches, pollingPauseMs, runAfter, type WatchMode, type WatchRun } from './watch-mode.js';
import type { WatchEnd } from './watch-session.js';

/**
 * `prompt`: 0-1 s, so that clients whose watches ended together do not reconnect together. `backoff`: 0.5 s, doubled up
 * to 30 s, half of it random. `prompt_once`: `prompt` for the first time in a run of failures, then `backoff`. `refused`:
 * 30-60 s, as only an operator can fix it; `backoff` in a run with other failures, as a server that has just started refuses
 * everybody until it has read its roles.
 */
export type Pause = 'prompt' | 'prompt_once' | 'backoff' | 'refused';

export interface RetriesOptions {
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
  #backoff: Backoff;
  #wasPrompt = false;
  #hasBackedOff = false;
  #failureCount = 0;
  #lastFailure: AttemptFailure | undefined;
  #watches: WatchRun = noWatches;

  constructor(options: RetriesOptions) {
    this.#options = options;
    this.#backoff = this.#firstBackoff();
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
    const after = runAfter(before, end, nowMs);
    if (after === noWatches) this.recovered();
    this.#watches = after;
    return before.mode !== after.mode && after.mode === 'polling';
  }

  /**
   * Returns how long to wait, in milliseconds. Logs the first failure of a run as a warning, the others at level debug.
   * `nextList`: of polling, see {@link pollingPauseMs}.
   */
  failed(what: string, { reason, error, pause, isNews = false }: FailedAttempt, nextList?: NextList): number {
    this.#lastFailure = { reason, message: messageOf(error) };
    this.#failureCount += 1;
    const backoffMs = this.pauseMs(pause, error instanceof ApiError ? error.retryAfterMs : undefined);
    const pauseMs = nextList === undefined ? backoffMs : pollingPauseMs(backoffMs, nextList);
    const { logger, fields } = this.#options;
    const log = isNews || this.#failureCount === 1 ? logger.warn : logger.debug;
    const times = { retryInMs: Math.round(pauseMs), attempt: this.#failureCount };
    log(what, { ...fields, reason, ...times, error: this.#lastFailure.message });
    return pauseMs;
  }

  /** The last attempt worked. The run of failures ends only when `recovered` is called. */
  worked(): void {
    this.#lastFailure = undefined;
  }

  /** A watch has lived for a minute: the run of failures and polling have ended; the next back-off is the shortest. */
  recovered(): void {
    this.#backoff = this.#firstBackoff();
    this.#wasPrompt = false;
    this.#hasBackedOff = false;
    this.#lastFailure = undefined;
    const what = this.mode === 'polling' ? 'the watch is back, without lists' : 'recovered';
    this.#watches = noWatches;
    if (this.#failureCount === 0) return;
    this.#options.logger.info(`${what} after ${this.#failureCount} failed attempts`, this.#options.fields);
    this.#failureCount = 0;
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
        const { delayMs } = this.#backoff;
        this.#backoff = this.#backoff.next();
        return Math.max(delayMs, retryAfterMs * (1 + 0.2 * random()));
      }
    }
  }

  #firstBackoff(): Backoff {
    return exponentialBackoff({ baseMs: 500, maxMs: 30_000, jitter: equalJitter(this.#options.random) });
  }
}
