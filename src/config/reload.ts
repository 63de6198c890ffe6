import type { Clock } from '../base/clock.js';
import type { Config } from './schema.js';

/** How often the file is looked at. Cheap: the kubelet itself takes up to a minute to bring a ConfigMap's change. */
const pollIntervalMs = 5000;

interface ConfigObserver {
  reloaded(config: Config): void;
  /** The file cannot be read, has faults, or its settings could not be applied: the last good ones stay. */
  reloadFailed(error: Error): void;
}

export interface ConfigWatcherOptions {
  readonly clock: Clock;
  readonly observer: ConfigObserver;
  readonly readFile: () => Promise<string>;
  /** The text whose settings are in force when the watcher is made. */
  readonly initialText: string;
  /** Throws when the text has faults. */
  readonly load: (text: string) => Config;
  /** Puts the settings in force; when it rejects, those before are still in force. */
  readonly apply: (config: Config) => Promise<void>;
}

export type ReloadResult =
  { readonly result: 'reloaded'; readonly config: Config } | { readonly result: 'failed'; readonly error: Error };

type Reading = { readonly text: string } | { readonly error: Error };

/**
 * Keeps the settings in step with their file, by its content: mounted ConfigMaps change by swapping symbolic links,
 * which file system notifications miss. One reload at a time.
 */
export class ConfigWatcher {
  readonly #options: ConfigWatcherOptions;
  #seen: Reading;
  #last: Promise<unknown> = Promise.resolve();
  #waiting: Promise<ReloadResult> | undefined;

  constructor(options: ConfigWatcherOptions) {
    this.#options = options;
    this.#seen = { text: options.initialText };
  }

  /** Reloads at each change of the content until `signal` aborts; never rejects. A fault is reported once. */
  async run(signal: AbortSignal): Promise<void> {
    while (await this.#pause(signal)) {
      await this.#last;
      if (!isSame(await this.#read(), this.#seen)) await this.trigger();
    }
    await this.#last;
  }

  /** Reloads, changed or not. Calls that come before a waiting reload has begun share it. Never rejects. */
  trigger(): Promise<ReloadResult> {
    if (this.#waiting !== undefined) return this.#waiting;
    const reload = this.#last.then(() => {
      this.#waiting = undefined;
      return this.#reload();
    });
    this.#waiting = reload;
    this.#last = reload;
    return reload;
  }

  async #reload(): Promise<ReloadResult> {
    const result = await this.#attempt();
    if (result.result === 'reloaded') this.#options.observer.reloaded(result.config);
    else this.#options.observer.reloadFailed(result.error);
    return result;
  }

  async #attempt(): Promise<ReloadResult> {
    const reading = await this.#read();
    this.#seen = reading;
    if ('error' in reading) return { result: 'failed', error: reading.error };
    try {
      const config = this.#options.load(reading.text);
      await this.#options.apply(config);
      return { result: 'reloaded', config };
    } catch (error) {
      return { result: 'failed', error: errorOf(error) };
    }
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
