import { loadCredentials } from '../api/load-credentials.js';
import type { CommandContext } from './context.js';
import { runApp } from './run-app.js';
import { loadSettings, type SettingFlags } from './settings.js';

export interface ServeOptions {
  readonly settings: SettingFlags;
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
}

/** The exporter for the cluster that the credentials name. */
export async function serve(options: ServeOptions, context: CommandContext): Promise<void> {
  const settings = await loadSettings(options.settings, context);
  const { environment, homeDir, clock } = context;
  const credentials = await loadCredentials({
    environment,
    homeDir,
    clock,
    ...(options.kubeconfig === undefined ? {} : { kubeconfigPath: options.kubeconfig }),
    ...(options.context === undefined ? {} : { context: options.context }),
  });
  await runApp({ settings, credentials, context });
}
