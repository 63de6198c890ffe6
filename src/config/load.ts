import { z } from 'zod';

import { checkEntry, type Entry } from './entry.js';
import { ConfigError } from './faults.js';
import { type ConfigFile, fileLayer } from './file-layer.js';
import { checkRules } from './rules.js';
import { type Config, schema } from './schema.js';
import { rootSection, type Section } from './settings.js';
import { type Environment, environmentLayer, flagLayer, type FlagValues } from './text-layers.js';

export interface ConfigSources {
  readonly file?: ConfigFile;
  readonly environment: Environment;
  readonly flags: FlagValues;
}

/**
 * The effective settings: flags before environment before file before defaults. A value that another source
 * overrides is checked all the same. Throws ConfigError with the faults of all sources.
 */
export function loadConfig({ file, environment, flags }: ConfigSources): Config {
  const layers = [...(file === undefined ? [] : [fileLayer(file)]), environmentLayer(environment), flagLayer(flags)];
  const effective = new Map<string, Entry>();
  const faults = layers.flatMap((layer) => [
    ...layer.faults,
    ...layer.entries.flatMap((entry) => {
      const found = checkEntry(entry);
      if (found.length === 0) effective.set(entry.setting.path, entry);
      return found;
    }),
  ]);
  const config = z.parse(schema, valuesOf(rootSection, effective));
  const sourceOf = (path: string): string => effective.get(path)?.sourceOf([]) ?? 'default';
  faults.push(...checkRules({ config, sourceOf, faults }));
  if (faults.length > 0) throw new ConfigError(faults);
  return deepFrozen(config);
}

/** The values in the shape of the schema; undefined where no source says anything. */
function valuesOf(section: Section, effective: ReadonlyMap<string, Entry>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Array.from(section.children, ([key, child]): [string, unknown] => [
      key,
      child.kind === 'section' ? valuesOf(child, effective) : effective.get(child.path)?.value,
    ]),
  );
}

function deepFrozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFrozen);
  return value;
}
