import { once } from 'node:events';

import { App } from '../app.js';
import { messageOf, UserError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import { ConfigWatcher } from '../config/reload.js';
import type { Credentials } from '../credentials/credentials.js';
import { createLogger } from '../telemetry/line-logger.js';
import type { CommandContext } from './context.js';
import { hostOf } from './host.js';
import type { LoadedSettings } from './load-settings.js';

export interface RunAppOptions {
  readonly settings: LoadedSettings;
  readonly credentials: Credentials;
  readonly context: CommandContext;
  /** Told the ports once they are listened on. */
  readonly onListening?: (ports: readonly number[]) => void;
}

/** Runs the exporter until the stop signal, reloading its settings as the file changes. Throws UserError when it cannot start. */
export async function runApp({ settings, credentials, context, onListening }: RunAppOptions): Promise<void> {
  const { clock, random, version, stopSignal } = context;
  const logger = createLogger({ ...settings.config.log, write: context.writeError, clock });
  const reloads: { watcher: ConfigWatcher | undefined } = { watcher: undefined };
  const reload = async (): Promise<void> => {
    if (reloads.watcher === undefined) {
      logger.warn('POST /-/reload: there is no settings file to load; start with --config.file');
      throw new UserError('there is no settings file');
    }
    const result = await reloads.watcher.trigger();
    if (result.result === 'failed') throw result.error;
  };
  const app = await App.start(
    { config: settings.config, credentials, host: hostOf(context), clock, random, logger, version, reload },
    stopSignal,
  ).catch((error: unknown) => {
    throw stopSignal.aborted && error === stopSignal.reason ? new UserError('stopped before the start') : error;
  });
  reloads.watcher = createWatcher({ app, settings, logger, context });
  const watching = reloads.watcher?.run(stopSignal);
  try {
    context.onHangUp(() => {
      if (reloads.watcher === undefined)
        logger.warn('SIGHUP: there is no settings file to load; start with --config.file');
      else void reloads.watcher.trigger(); // logs its result
    });
    logger.info('listening', { ports: app.ports.join(','), version, credentials: credentials.description });
    onListening?.(app.ports);
    if (!stopSignal.aborted) await once(stopSignal, 'abort');
    logger.info('stopping');
  } finally {
    // Before the watcher: a reload that waits for its first lists ends with the app.
    await app[Symbol.asyncDispose]();
    await watching;
  }
}

function createWatcher({
  app,
  settings: { file },
  logger,
  context,
}: {
  readonly app: App;
  readonly settings: LoadedSettings;
  readonly logger: Logger;
  readonly context: CommandContext;
}): ConfigWatcher | undefined {
  if (file === undefined) return undefined;
  return new ConfigWatcher({
    clock: context.clock,
    initialText: file.text,
    readFile: file.read,
    load: file.load,
    apply: (config) => app.apply(config),
    observer: {
      reloaded: () => {
        logger.info('settings reloaded');
      },
      reloadFailed: (error) => {
        app.metrics.configReloadFailed();
        logger.error('settings not reloaded, the last good ones stay in force', { error: messageOf(error) });
      },
    },
  });
}
