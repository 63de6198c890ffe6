import { type Backoff, equalJitter, exponentialBackoff } from '../base/backoff.js';
import type { LogFields, Logger } from '../base/logger.js';

/**
 * `prompt`: 0-1 s, so that clients whose watches ended together do not reconnect together. `backoff`: 0.5 s, doubled up
 * to 30 s, half of it random. `prompt_once`: `prompt` for the first time in a run of failures, then `backoff`. `long`:
 * 30-60 s, for errors that only an operator can fix.
 */
export type Pause = 'prompt' | 'prompt_once' | 'backoff' | 'long';

export interface RetriesOptions {
  readonly logger: Logger;
  /** Added to each line. */
  readonly fields: LogFields;
  /** From 0 to 1, 1 excluded. */
  readonly random: () => number;
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
  #failureCount = 0;
  #lastFailure: AttemptFailure | undefined;

  constructor(options: RetriesOptions) {
    this.#options = options;
    this.#backoff = this.#firstBackoff();
  }

  /** Undefined when the last attempt did not fail. */
  get lastFailure(): AttemptFailure | undefined {
    return this.#lastFailure;
  }

  /** Logs the first failure of a run as a warning, the others at level debug. */
  failed(what: string, failure: AttemptFailure, fields: LogFields): void {
    this.#lastFailure = failure;
    this.#failureCount += 1;
    const { logger } = this.#options;
    const log = this.#failureCount === 1 ? logger.warn : logger.debug;
    const { reason, message: error } = failure;
    log(what, { ...this.#options.fields, reason, ...fields, attempt: this.#failureCount, error });
  }

  /** The last attempt worked. The run of failures ends only when `recovered` is called. */
  worked(): void {
    this.#lastFailure = undefined;
  }

  /** The run of failures has ended; the next back-off is the shortest. */
  recovered(): void {
    this.#backoff = this.#firstBackoff();
    this.#wasPrompt = false;
    this.#lastFailure = undefined;
    if (this.#failureCount === 0) return;
    this.#options.logger.info(`recovered after ${this.#failureCount} failed attempts`, this.#options.fields);
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
      case 'long':
        return 30_000 + 30_000 * random();
      case 'backoff': {
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
