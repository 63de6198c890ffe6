import { Mutex } from 'async-mutex';

import type { Clock } from '../lib/base/clock.js';
import { UserError } from '../lib/base/errors.js';

/** Interval between reads of the file. The kubelet takes up to a minute to deliver the change of a ConfigMap. */
const pollIntervalMs = 5000;

/** Between two reads that have to agree: a file that is written in place is truncated first. */
const settleMs = 200;
const maxReadCount = 10;

/** Between attempts to apply the same settings, from the end of one. Each may take a minute, and lists again. */
const retryPauseMs = 60_000;

type Reading = { readonly text: string } | { readonly error: Error };

/**
 * Reloads the settings when the content of their file changes. It polls, as file system notifications miss the swap of
 * symbolic links by which a mounted ConfigMap changes. One reload at a time.
 */
export class ConfigWatcher<T> {
  readonly #options;
  #seen: Reading;
  /** Monotonic time in milliseconds; undefined when another attempt with the same content would not help. */
  #retryAtMs: number | undefined;
  readonly #reloads = new Mutex();
  #waiting: Promise<Error | undefined> | undefined;

  constructor(options: {
    readonly clock: Clock;
    /**
     * Called after each reload. `failure`: the file cannot be read, has faults, or its settings could not be applied, and the last
     * good ones stay in effect; undefined when the settings are in effect.
     */
    readonly onReload: (failure: Error | undefined) => void;
    readonly readFile: () => Promise<string>;
    /** The text whose settings are in effect at first. */
    readonly initialText: string;
    /** Throws when the text has faults. */
    readonly load: (text: string) => T;
    /**
     * Puts the settings into effect; when it rejects, the previous ones are still in effect. After an error that is temporary it
     * is tried again, without a change of the file.
     */
    readonly apply: (config: T) => Promise<void> | void;
  }) {
    this.#options = options;
    this.#seen = { text: options.initialText };
  }

  /**
   * Reloads at each change of the content until `signal` aborts, and while settings could not be applied for a temporary reason.
   * Never rejects. Each fault of the file is reported once, other failures after each attempt.
   */
  async run(signal: AbortSignal): Promise<void> {
    while (await this.#pause(signal)) {
      await this.#reloads.waitForUnlock();
      if (this.#isRetryDue() || !isSame(await this.#read(), this.#seen)) await this.trigger();
    }
    await this.#reloads.waitForUnlock();
  }

  /**
   * Reloads even if nothing has changed. Calls before the next reload has started share it. Resolves with why it failed; never
   * rejects.
   */
  trigger(): Promise<Error | undefined> {
    this.#waiting ??= this.#reloads.runExclusive(() => {
      this.#waiting = undefined;
      return this.#reload();
    });
    return this.#waiting;
  }

  async #reload(): Promise<Error | undefined> {
    const failure = await this.#attempt();
    this.#options.onReload(failure);
    return failure;
  }

  async #attempt(): Promise<Error | undefined> {
    const reading = await this.#readSettled();
    this.#seen = reading;
    this.#retryAtMs = undefined;
    if ('error' in reading) return reading.error;
    try {
      await this.#options.apply(this.#options.load(reading.text));
      return undefined;
    } catch (error) {
      const isTemporary = error instanceof UserError && error.isTemporary;
      if (isTemporary) this.#retryAtMs = this.#options.clock.monotonicMs() + retryPauseMs;
      return errorOf(error);
    }
  }

  #isRetryDue(): boolean {
    return this.#retryAtMs !== undefined && this.#options.clock.monotonicMs() >= this.#retryAtMs;
  }

  /** The content once two reads agree. */
  async #readSettled(): Promise<Reading> {
    let reading = await this.#read();
    for (let count = 1; count < maxReadCount; count++) {
      await this.#options.clock.sleep(settleMs);
      const next = await this.#read();
      if (isSame(reading, next)) return next;
      reading = next;
    }
    return { error: new UserError(`the file has changed at each of ${maxReadCount} reads; replace it as a whole`) };
  }

  async #read(): Promise<Reading> {
    try {
      return { text: await this.#options.readFile() };
    } catch (error) {
      return { error: errorOf(error) };
    }
  }

  async #pause(signal: AbortSignal): Promise<boolean> {
    try {
      await this.#options.clock.sleep(pollIntervalMs, signal);
      return true;
    } catch {
      return false;
    }
  }
}

function isSame(a: Reading, b: Reading): boolean {
  if ('error' in a || 'error' in b) return 'error' in a && 'error' in b && a.error.message === b.error.message;
  return a.text === b.text;
}

function errorOf(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
