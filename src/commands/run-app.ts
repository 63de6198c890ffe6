import type { Credentials } from '../cluster/credentials/credentials.js';
import { loadCredentials } from '../cluster/credentials/load-credentials.js';
import { type Loaded, loadSettings, loadWeb, type SettingFlags } from '../config/load.js';
import type { Config } from '../config/schema.js';
import { abortable, LinkedAbort } from '../lib/base/abortable.js';
import { messageOf, UserError } from '../lib/base/errors.js';
import { createLogger } from '../metrics/telemetry/line-logger.js';
import { App } from '../serve/app/app.js';
import { hostOf } from '../serve/app/resolve-scope.js';
import type { CredentialFlags } from '../serve/source/one-shot.js';
import type { CommandContext } from './context.js';
import { Reloads } from './reloads.js';

/**
 * Runs the exporter until the stop signal, reloading its settings as the file changes. Throws UserError when it cannot start, and
 * the error of a part that has ended although it never should, after everything else has been stopped.
 */
export async function runApp({
  settings,
  credentials,
  context,
  onListening,
}: {
  readonly settings: Loaded<Config>;
  readonly credentials: Credentials;
  readonly context: CommandContext;
  /** Called with the ports once they are listened on, and the scheme of their URLs. */
  readonly onListening?: (ports: readonly number[], scheme: 'http' | 'https') => void;
}): Promise<void> {
  const { clock, random, version, openFileLimit, stopSignal } = context;
  const { config } = settings;
  const web = await loadWeb(config);
  const logger = createLogger({ ...config.log, write: context.writeError, clock });
  const files: { reloads: Reloads | undefined } = { reloads: undefined };
  const reload = async (): Promise<void> => {
    await files.reloads?.trigger('POST /-/reload');
  };
  const app = await App.start(
    {
      config,
      web: web.config,
      credentials,
      host: hostOf(context),
      clock,
      random,
      logger,
      version,
      openFileLimit,
      reload,
    },
    stopSignal,
  ).catch((error: unknown) => {
    throw stopSignal.aborted && error === stopSignal.reason ? new UserError('stopped before the start') : error;
  });
  const reloads = new Reloads({ app, settings, web, clock, logger });
  files.reloads = reloads;
  using reloading = new LinkedAbort(stopSignal);
  const watching = reloads.run(reloading.signal);
  try {
    context.onHangUp(() => {
      reloads.trigger('SIGHUP').catch(() => undefined); // it is in the log
    });
    logger.info('listening', { ports: app.ports.join(','), version, credentials: credentials.description });
    onListening?.(app.ports, web.config.tls === undefined ? 'http' : 'https');
    await abortable(app.done, stopSignal).catch((error: unknown) => {
      if (stopSignal.aborted) return;
      logger.error('the exporter cannot go on', { error: messageOf(error) });
      throw error;
    });
    logger.info('stopping');
  } finally {
    // Before the watchers: a reload that waits for its first lists ends with the app.
    await app[Symbol.asyncDispose]();
    reloading.abort(new Error('stopped'));
    await watching;
  }
}

/** The exporter for the cluster that the credentials name. */
export async function serve(
  { settings: flags, ...credentialFlags }: CredentialFlags & { readonly settings: SettingFlags },
  context: CommandContext,
): Promise<void> {
  const settings = await loadSettings(flags, context);
  const { node, nodeLocal } = settings.config.cluster;
  // With Node.js 26 and 110 pods this takes 15 MB less, and 0.05 s of CPU a minute more: 40 ms for each summary.
  if (nodeLocal || node !== undefined) context.interpretOnly();
  const { environment, homeDir, clock } = context;
  const credentials = await loadCredentials({ ...credentialFlags, environment, homeDir, clock });
  await runApp({ settings, credentials, context });
}
