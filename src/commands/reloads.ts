import type { App } from '../app/app.js';
import type { Clock } from '../base/clock.js';
import { messageOf, UserError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import { ConfigWatcher } from '../config/reload.js';
import type { Config } from '../config/schema.js';
import type { WebConfig } from '../config/web/web-config.js';
import type { ReloadedFile } from '../telemetry/self-family.js';
import type { LoadedFile, LoadedSettings, LoadedWeb } from './load-settings.js';

export interface ReloadsOptions {
  readonly app: App;
  readonly settings: LoadedSettings;
  readonly web: LoadedWeb;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The files that are read again while the exporter runs, each as it changes. */
export class Reloads {
  readonly #logger: Logger;
  readonly #watchers: readonly (ConfigWatcher<Config> | ConfigWatcher<WebConfig>)[];

  constructor(options: ReloadsOptions) {
    const { app, settings, web } = options;
    this.#logger = options.logger;
    this.#watchers = [
      ...watcherOf(
        settings.file,
        'settings',
        (config) => {
          // New lists take up to a minute, for example while the API server is away.
          this.#logger.info('applying settings; the last good ones stay in force until nodes and pods are listed');
          return app.apply(config);
        },
        options,
      ),
      ...watcherOf(
        web.file,
        'web',
        (config) => {
          app.applyWeb(config);
        },
        options,
      ),
    ];
  }

  /** Until `signal` aborts. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#watchers.map((watcher) => watcher.run(signal)));
  }

  /** Reads all files again; each result is logged. `what` asked for it. Throws the first fault. */
  async trigger(what: string): Promise<void> {
    if (this.#watchers.length === 0) {
      this.#logger.warn(`${what}: there is no file to load; start with --config.file or --web.config.file`);
      throw new UserError('there is no file to load');
    }
    const results = await Promise.all(this.#watchers.map((watcher) => watcher.trigger()));
    for (const result of results) if (result.result === 'failed') throw result.error;
  }
}

const logTexts: Readonly<Record<ReloadedFile, { readonly reloaded: string; readonly failed: string }>> = {
  settings: { reloaded: 'settings reloaded', failed: 'settings not reloaded, the last good ones stay in force' },
  web: {
    reloaded: 'file of --web.config.file reloaded',
    failed: 'file of --web.config.file not reloaded, the last good one stays in force',
  },
};

function watcherOf<T>(
  file: LoadedFile<T> | undefined,
  name: ReloadedFile,
  apply: (config: T) => Promise<void> | void,
  { app, clock, logger }: ReloadsOptions,
): readonly ConfigWatcher<T>[] {
  if (file === undefined) return [];
  const observer = {
    reloaded: () => {
      logger.info(logTexts[name].reloaded);
    },
    reloadFailed: (error: Error) => {
      app.metrics.reloadFailed(name);
      const isRetried = error instanceof UserError && error.isTemporary;
      logger.error(logTexts[name].failed, {
        error: messageOf(error),
        next: isRetried ? 'tried again in a minute' : undefined,
      });
    },
  };
  return [new ConfigWatcher({ clock, initialText: file.text, readFile: file.read, load: file.load, apply, observer })];
}
