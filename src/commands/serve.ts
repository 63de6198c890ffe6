import { createLogger } from '../telemetry/line-logger.js';
import { commandCredentials, type CredentialFlags } from './command-credentials.js';
import type { CommandContext } from './context.js';
import { loadSettings, type SettingFlags } from './load-settings.js';
import { runApp } from './run-app.js';

export interface ServeOptions extends CredentialFlags {
  readonly settings: SettingFlags;
}

/** The exporter for the cluster that the credentials name. */
export async function serve(options: ServeOptions, context: CommandContext): Promise<void> {
  const settings = await loadSettings(options.settings, context);
  const logger = createLogger({ ...settings.config.log, write: context.writeError, clock: context.clock });
  const credentials = await commandCredentials(options, context, (message) => {
    logger.warn(message);
  });
  await runApp({ settings, credentials, context });
}
