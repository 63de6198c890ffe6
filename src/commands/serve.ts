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
  // With Node.js 26 and 110 pods this takes 15 MB less, and 0.05 s of CPU a minute more: 40 ms for each summary.
  if (nodeLocal || node !== undefined) context.interpretOnly();
  const credentials = await commandCredentials(options, context);
  await runApp({ settings, credentials, context });
}
