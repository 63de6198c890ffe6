/** The environment and the command line as layers. */
import type { Entry, Layer } from './entry.js';
import { describeValue, type Fault } from './faults.js';
import { allSettings, environmentPrefix, type Setting } from './settings.js';
import { nearest } from './suggestion.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** By the name of the flag, without dashes; a list for one that was given more than once. */
export type FlagValues = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/**
 * The variables with the exporter's prefix. An empty one counts as not set, as in
 * https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/#parsing-empty-value
 */
export function environmentLayer(environment: Environment): Layer {
  const builder = new LayerBuilder(allSettings.map((setting) => [setting.environmentName, setting]));
  for (const [name, text] of Object.entries(environment)) {
    if (text === undefined || text === '' || !name.startsWith(environmentPrefix) || isServiceLink(name, text)) continue;
    builder.add(name, text, environmentPrefix);
  }
  return builder;
}

/**
 * Kubernetes describes each Service to the pods of its namespace in variables that begin with the Service's name; that
 * of a Service called `ephemeral-storage-exporter` is our prefix.
 * https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables
 */
function isServiceLink(name: string, text: string): boolean {
  return (
    /_SERVICE_(?:HOST|PORT(?:_[A-Z0-9_]+)?)$/.test(name) ||
    /_PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?$/.test(name) ||
    (name.endsWith('_PORT') && /^(?:tcp|udp|sctp):\/\//.test(text))
  );
}

export function flagLayer(flags: FlagValues): Layer {
  const builder = new LayerBuilder(
    allSettings.flatMap((setting) => (setting.meta.flag === undefined ? [] : [[`--${setting.meta.flag}`, setting]])),
  );
  for (const [flag, value] of Object.entries(flags)) {
    if (value !== undefined) builder.add(`--${flag}`, value, '--');
  }
  return builder;
}

class LayerBuilder implements Layer {
  readonly entries: Entry[] = [];
  readonly faults: Fault[] = [];
  readonly #settings: ReadonlyMap<string, Setting>;

  constructor(settings: Iterable<readonly [string, Setting]>) {
    this.#settings = new Map(settings);
  }

  /** `prefix` is what all names begin with: it says nothing about how near two names are. */
  add(name: string, value: string | boolean | readonly string[], prefix: string): void {
    const setting = this.#settings.get(name);
    if (setting === undefined) this.faults.push(this.#unknown(name, prefix));
    else if (typeof value !== 'string') this.entries.push({ setting, value, sourceOf: () => name });
    else if (setting.meta.fromText !== undefined) {
      this.entries.push({ setting, value: setting.meta.fromText(value), sourceOf: () => name });
    } else {
      const allowed = 'a value in the configuration file only';
      this.faults.push({ path: setting.path, found: describeValue(value), source: name, allowed });
    }
  }

  #unknown(name: string, prefix: string): Fault {
    const suffixes = [...this.#settings.keys()].map((known) => known.slice(prefix.length));
    const near = nearest(name.slice(prefix.length), suffixes);
    const hint = near === undefined ? '' : ` (did you mean ${prefix}${near}?)`;
    const source = prefix === environmentPrefix ? 'environment' : 'command line';
    return { path: name, found: 'an unknown name', source, allowed: `the name of a setting${hint}` };
  }
}
