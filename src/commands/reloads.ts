import { ConfigError } from '../config/faults.js';
import type { Loaded } from '../config/load.js';
import { ConfigWatcher } from '../config/reload.js';
import type { Config } from '../config/schema.js';
import type { WebConfig } from '../config/web/web-config.js';
import type { Clock } from '../lib/base/clock.js';
import { messageOf, UserError } from '../lib/base/errors.js';
import type { Logger } from '../lib/base/logger.js';
import type { ReloadedFile } from '../metrics/telemetry/self-family.js';
import type { App } from '../serve/app/app.js';

/** The files that are read again while the exporter runs, each as it changes. */
export class Reloads {
  readonly #options;
  readonly #watchers: readonly (ConfigWatcher<Config> | ConfigWatcher<WebConfig>)[];
  /** Tells the log's lines apart, of which equal ones are left out for a minute. */
  #count = 0;

  constructor(options: {
    readonly app: App;
    readonly settings: Loaded<Config>;
    readonly web: Loaded<WebConfig>;
    readonly clock: Clock;
    readonly logger: Logger;
  }) {
    this.#options = options;
    const { app, settings, web, logger } = options;
    this.#watchers = [
      ...this.#watcherOf('settings', settings, (config) => {
        // New lists take up to a minute, for example while the API server is away.
        logger.info('applying settings; the last good ones stay in force until nodes and pods are listed');
        return app.apply(config);
      }),
      ...this.#watcherOf('web', web, (config) => {
        app.applyWeb(config);
      }),
    ];
  }

  /** Until `signal` aborts. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#watchers.map((watcher) => watcher.run(signal)));
  }

  /** Reads all files again; each result is logged. `what` asked for it. Throws the first fault. */
  async trigger(what: string): Promise<void> {
    if (this.#watchers.length === 0) {
      this.#options.logger.warn(`${what}: there is no file to load; start with --config.file or --web.config.file`);
      throw new UserError('there is no file to load');
    }
    const failures = await Promise.all(this.#watchers.map((watcher) => watcher.trigger()));
    for (const failure of failures) if (failure !== undefined) throw failure;
  }

  #watcherOf<T>(
    name: ReloadedFile,
    { file }: Loaded<T>,
    apply: (config: T) => Promise<void> | void,
  ): readonly ConfigWatcher<T>[] {
    if (file === undefined) return [];
    const { app, clock, logger } = this.#options;
    const onReload = (failure: Error | undefined): void => {
      const reload = (this.#count += 1);
      if (failure === undefined) {
        logger.info(logTexts[name].reloaded, { reload });
        return;
      }
      app.metrics.reloadFailed(name);
      const isRetried = failure instanceof UserError && failure.isTemporary;
      logger.error(logTexts[name].failed, {
        reload,
        error: failure instanceof ConfigError ? failure.message.replaceAll('\n', ' | ') : messageOf(failure),
        next: isRetried ? 'tried again in a minute' : undefined,
      });
    };
    const { text: initialText, read: readFile, load } = file;
    return [new ConfigWatcher({ clock, initialText, readFile, load, apply, onReload })];
  }
}

const logTexts: Readonly<Record<ReloadedFile, { readonly reloaded: string; readonly failed: string }>> = {
  settings: { reloaded: 'settings reloaded', failed: 'settings not reloaded, the last good ones stay in force' },
  web: {
    reloaded: 'file of --web.config.file reloaded',
    failed: 'file of --web.config.file not reloaded, the last good one stays in force',
  },
};
