import { readConfigFile } from '../config/file-layer.js';
import { loadConfig } from '../config/load.js';
import type { Config } from '../config/schema.js';
import type { FlagValues } from '../config/text-layers.js';
import { plainWeb, type WebConfig } from '../config/web/web-config.js';
import type { Credentials } from '../credentials/credentials.js';
import { loadCredentials } from '../credentials/load-credentials.js';
import type { CommandContext } from './context.js';

/** What the command line says about the settings. */
export interface SettingFlags {
  readonly configFile: string | undefined;
  readonly values: FlagValues;
  /** Of `--set`, each `PATH=VALUE`. */
  readonly assignments?: readonly string[];
}

/** How a file is read and understood again. */
export interface LoadedFile<T> {
  readonly text: string;
  readonly read: () => Promise<string>;
  readonly load: (text: string) => T;
}

export interface LoadedSettings {
  readonly config: Config;
  /** Undefined without a file. */
  readonly file: LoadedFile<Config> | undefined;
}

export interface LoadedWeb {
  readonly web: WebConfig;
  /** Undefined without a file. */
  readonly file: LoadedFile<WebConfig> | undefined;
}

/**
 * Settings of the command line, the environment and the file. `fallbackText` stands in for the file when none is named.
 * Throws UserError with all faults.
 */
export async function loadSettings(
  { configFile, values, assignments = [] }: SettingFlags,
  { environment }: Pick<CommandContext, 'environment'>,
  fallbackText = '',
): Promise<LoadedSettings> {
  const loadText = (path: string, text: string): Config =>
    loadConfig({ file: { path, text }, environment, assignments, flags: values });
  if (configFile === undefined) return { config: loadText('defaults', fallbackText), file: undefined };
  const read = (): Promise<string> => readConfigFile(configFile);
  const load = (text: string): Config => loadText(configFile, text);
  const text = await read();
  return { config: load(text), file: { text, read, load } };
}

/** The file that `web.configFile` names. Throws UserError with all faults. */
export async function loadWeb({ web: { configFile } }: Pick<Config, 'web'>): Promise<LoadedWeb> {
  if (configFile === undefined) return { web: plainWeb, file: undefined };
  const { loadWebFile, readWebFile } = await import('../config/web/web-file.js');
  const read = (): Promise<string> => readWebFile(configFile);
  const load = (text: string): WebConfig => loadWebFile(configFile, text);
  const text = await read();
  return { web: load(text), file: { text, read, load } };
}

/** What the command line says about the credentials. */
export interface CredentialFlags {
  readonly kubeconfig: string | undefined;
  /** Of the kubeconfig. */
  readonly context: string | undefined;
}

/** Throws UserError when there are none. */
export function commandCredentials(
  { kubeconfig: kubeconfigPath, context: contextName }: CredentialFlags,
  { environment, homeDir, clock }: Pick<CommandContext, 'environment' | 'homeDir' | 'clock'>,
): Promise<Credentials> {
  return loadCredentials({ environment, homeDir, clock, kubeconfigPath, context: contextName });
}
