import type { Credentials } from '../cluster/credentials/credentials.js';
import {
  type CredentialOverrides,
  loadCredentials,
  type LoadCredentialsOptions,
} from '../cluster/credentials/load-credentials.js';
import { readConfigFile } from '../config/file-layer.js';
import { loadConfig } from '../config/load.js';
import type { Config } from '../config/schema.js';
import type { FlagValues } from '../config/text-layers.js';
import { plainWeb, type WebConfig } from '../config/web/web-config.js';
import type { CommandContext } from './context.js';
import { terminalLines } from './text/terminal-text.js';

/** What the command line says about the settings. */
export interface SettingFlags {
  readonly configFile: string | undefined;
  readonly values: FlagValues;
  /** Of `--set`, each `PATH=VALUE`. */
  readonly assignments?: readonly string[];
}

/** What is in effect at first, and how its file is read and understood again; `file`: undefined without one. */
export interface Loaded<T> {
  readonly config: T;
  readonly file:
    { readonly text: string; readonly read: () => Promise<string>; readonly load: (text: string) => T } | undefined;
}

async function loadFile<T>(read: () => Promise<string>, load: (text: string) => T): Promise<Loaded<T>> {
  const text = await read();
  return { config: load(text), file: { text, read, load } };
}

/**
 * Settings of the command line, the environment and the file. `fallbackText` stands in for the file when none is named.
 * Throws UserError with all faults.
 */
export async function loadSettings(
  { configFile, values, assignments = [] }: SettingFlags,
  { environment }: Pick<CommandContext, 'environment'>,
  fallbackText = '',
): Promise<Loaded<Config>> {
  const loadText = (path: string, text: string): Config =>
    loadConfig({ file: { path, text }, environment, assignments, flags: values });
  if (configFile === undefined) return { config: loadText('defaults', fallbackText), file: undefined };
  return loadFile(
    () => readConfigFile(configFile),
    (text) => loadText(configFile, text),
  );
}

/** The file that `web.configFile` names. Throws UserError with all faults. */
export async function loadWeb({ web: { configFile } }: Pick<Config, 'web'>): Promise<Loaded<WebConfig>> {
  if (configFile === undefined) return { config: plainWeb, file: undefined };
  const { loadWebFile, readWebFile } = await import('../config/web/web-file.js');
  return loadFile(
    () => readWebFile(configFile),
    (text) => loadWebFile(configFile, text),
  );
}

/** What the command line says about the credentials. */
export interface CredentialFlags {
  readonly kubeconfig: string | undefined;
  readonly overrides: CredentialOverrides;
}

/** Throws UserError when there are none. */
export function commandCredentials(
  { kubeconfig: kubeconfigPath, overrides }: CredentialFlags,
  { environment, homeDir, clock }: Pick<CommandContext, 'environment' | 'homeDir' | 'clock'>,
  plugin: Pick<LoadCredentialsOptions, 'readTimeoutMs' | 'onPluginOutput'> = {},
): Promise<Credentials> {
  return loadCredentials({ environment, homeDir, clock, kubeconfigPath, overrides, ...plugin });
}

/** A person may have to log in, in a browser or on another device. */
const loginTimeoutMs = 300_000;

/**
 * The same for a command that a person waits for, who sees what an exec plugin writes. `requestTimeoutMs`: also of the plugin; 0:
 * no limit of its own. Throws UserError.
 */
export function personalCredentials(
  flags: CredentialFlags & { readonly requestTimeoutMs?: number | undefined },
  context: Pick<CommandContext, 'environment' | 'homeDir' | 'clock' | 'writeError'>,
): Promise<Credentials> {
  const { requestTimeoutMs = 0 } = flags;
  return commandCredentials(flags, context, {
    readTimeoutMs: requestTimeoutMs > 0 ? requestTimeoutMs : loginTimeoutMs,
    onPluginOutput: (text) => {
      context.writeError(terminalLines(text));
    },
  });
}
