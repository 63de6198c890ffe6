import { messageOf } from './errors.js';

export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** Writes one line per call, without the fields that are undefined. Never pass a token, a header or a request body. */
export type Logger = Readonly<Record<LogLevel, (message: string, fields?: LogFields) => void>>;

export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** A run of failed attempts: the first is logged as a warning, the others at level debug, and once that it has ended. */
export class FailureRun {
  readonly #logger: Logger;
  #count = 0;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** `isNews`: worth a warning, whatever has been logged before. */
  failed(what: string, fields: LogFields, error: unknown, isNews = false): void {
    this.#count += 1;
    const log = isNews || this.#count === 1 ? this.#logger.warn : this.#logger.debug;
    log(what, { ...fields, attempt: this.#count, error: messageOf(error) });
  }

  ended(what: string, fields: LogFields): void {
    if (this.#count > 0) this.#logger.info(`${what} after ${this.#count} failed attempts`, fields);
    this.#count = 0;
  }
}
