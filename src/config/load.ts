import * as z from 'zod/mini';

import { UserError } from '../lib/base/errors.js';
import { ConfigError } from './faults.js';
import { fileLayer, readConfigFile } from './file-layer.js';
import { checkValue, type SettingValue } from './layer.js';
import { checkRules } from './rules.js';
import { type Config, schema } from './schema.js';
import { rootSection, valuesOf } from './settings.js';
import { assignmentLayer, environmentLayer, flagLayer, type FlagValues } from './text-layers.js';
import { plainWeb, type WebConfig } from './web/web-config.js';
import { isEmptyYaml } from './yaml-text.js';

/**
 * The effective settings: a setting's own flag before `--set` before environment before file before default. A value
 * is checked even when another source overrides it. Throws ConfigError with the faults of all sources.
 */
export function loadConfig({
  file,
  environment,
  assignments = [],
  flags,
}: {
  readonly file?: Parameters<typeof fileLayer>[0];
  readonly environment: Readonly<NodeJS.ProcessEnv>;
  /** Of `--set`, each `PATH=VALUE`. */
  readonly assignments?: readonly string[];
  readonly flags: FlagValues;
}): Config {
  const layers = [
    ...(file === undefined ? [] : [fileLayer(file)]),
    environmentLayer(environment),
    assignmentLayer(assignments),
    flagLayer(flags),
  ];
  const effective = new Map<string, SettingValue>();
  const faults = layers.flatMap((layer) => [
    ...layer.faults,
    ...layer.values.flatMap((settingValue) => {
      const found = checkValue(settingValue);
      if (found.length === 0) effective.set(settingValue.setting.path, settingValue);
      return found;
    }),
  ]);
  const parsed = z.parse(
    schema,
    valuesOf(rootSection, ({ path }) => effective.get(path)?.value),
  );
  const config = withDefaultsWithinTtl(parsed, (path) => effective.has(path));
  const sourceOf = (path: string): string => effective.get(path)?.sourceOf([]) ?? 'default';
  faults.push(...checkRules(config, sourceOf, faults));
  if (faults.length > 0) throw new ConfigError(faults);
  return deepFrozen(config);
}

/** So that a short `cache.ttl` can be set alone. */
function withDefaultsWithinTtl(config: Config, isSet: (path: string) => boolean): Config {
  const { kubelet, cache } = config;
  const { ttlMs } = cache;
  const nearTtlMs = isSet('cache.nearTtl') ? cache.nearTtlMs : Math.min(cache.nearTtlMs, ttlMs);
  const isLong = ttlMs > 0 && kubelet.requestTimeoutMs >= ttlMs && !isSet('kubelet.requestTimeout');
  const requestTimeoutMs = isLong ? Math.floor(ttlMs * 0.8) : kubelet.requestTimeoutMs;
  return { ...config, kubelet: { ...kubelet, requestTimeoutMs }, cache: { ...cache, nearTtlMs } };
}

function deepFrozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFrozen);
  return value;
}

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

/** An empty file is refused: one that is being written is empty for a moment. */
async function loadFile<T>(
  path: string,
  read: (path: string) => Promise<string>,
  loadText: (path: string, text: string) => T,
): Promise<Loaded<T>> {
  const load = (text: string): T => {
    if (isEmptyYaml(text)) throw new UserError(`${path}: the file is empty; write {} for all defaults`);
    return loadText(path, text);
  };
  const text = await read(path);
  return { config: load(text), file: { text, read: () => read(path), load } };
}

/**
 * Settings of the command line, the environment and the file. `fallbackText` stands in for the file when none is named.
 * Throws UserError with all faults.
 */
export async function loadSettings(
  { configFile, values, assignments = [] }: SettingFlags,
  { environment }: { readonly environment: Readonly<NodeJS.ProcessEnv> },
  fallbackText = '',
): Promise<Loaded<Config>> {
  const loadText = (path: string, text: string): Config =>
    loadConfig({ file: { path, text }, environment, assignments, flags: values });
  if (configFile === undefined) return { config: loadText('defaults', fallbackText), file: undefined };
  return loadFile(configFile, readConfigFile, loadText);
}

/** The file that `web.configFile` names. Throws UserError with all faults. */
export async function loadWeb({ web: { configFile } }: Pick<Config, 'web'>): Promise<Loaded<WebConfig>> {
  if (configFile === undefined) return { config: plainWeb, file: undefined };
  const { loadWebFile, readWebFile } = await import('./web/web-file.js');
  return loadFile(configFile, readWebFile, loadWebFile);
}
