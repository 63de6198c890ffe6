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
  const { node, nodeLocal } = settings.config.cluster;
  // One summary a minute is interpreted in less time than its code is compiled in, and the compilers take 10 to 20 MB.
  if (nodeLocal || node !== undefined) context.interpretOnly();
  const logger = createLogger({ ...settings.config.log, write: context.writeError, clock: context.clock });
  const credentials = await commandCredentials(options, context, (message) => {
    logger.warn(message);
  });
  await runApp({ settings, credentials, context });
}
