/** The environment and the command line as layers: texts for one setting each. */
import { pathText, type SettingFault } from './faults.js';
import { type Layer, movedTo, type SettingValue, TreeReader } from './layer.js';
import { allSettings, environmentPrefix, nodeAt, type Setting, settingFromText } from './settings.js';
import { nearest } from './suggestion.js';
import { readYaml } from './yaml-text.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** By the name of the flag, without dashes; a list for a repeatable flag. */
export type FlagValues = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/**
 * The variables with the exporter's prefix. An empty variable counts as not set, as in
 * https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/#parsing-empty-value
 */
export function environmentLayer(environment: Environment): Layer {
  const builder = new LayerBuilder(
    allSettings.map((setting) => [setting.environmentName, setting]),
    unknownVariable,
  );
  for (const [name, text] of Object.entries(environment)) {
    if (text === undefined || text === '' || !name.startsWith(environmentPrefix) || isServiceLink(name, text)) continue;
    builder.add(name, text);
  }
  return builder;
}

/**
 * Kubernetes describes each Service to the pods of its namespace in variables whose names start with the name of the
 * Service. For a Service named `ephemeral-storage-exporter`, that is our prefix.
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
    unknownFlag,
  );
  for (const [flag, value] of Object.entries(flags)) {
    if (value !== undefined) builder.add(`--${flag}`, value);
  }
  return builder;
}

/**
 * Of `--set PATH=VALUE`, with any path of the schema. A list or mapping is YAML flow text, such as
 * `cache={ttl: 10s}`. Of two values for one setting, the later one counts.
 */
export function assignmentLayer(assignments: readonly string[]): Layer {
  const layers = assignments.map(readAssignment);
  return {
    values: layers.flatMap(({ values }) => values),
    faults: layers.flatMap(({ faults }) => faults),
  };
}

function readAssignment(assignment: string): Layer {
  const [, path = assignment, text] = /^([^=]+)=(.*)$/s.exec(assignment) ?? [];
  const source = `--set ${path}`;
  if (text === undefined) {
    return { values: [], faults: [{ path: '', problem: 'no value', source, hint: 'allowed: PATH=VALUE' }] };
  }
  const keys = path.split('.');
  const node = nodeAt(keys);
  if (node === undefined) return { values: [], faults: [unknownPath(path, source)] };
  const reader = new TreeReader(() => source);
  reader.read(node, node.kind === 'setting' ? settingFromText(node, text) : (readYaml(text).value ?? text), keys);
  return reader;
}

class LayerBuilder implements Layer {
  readonly values: SettingValue[] = [];
  readonly faults: SettingFault[] = [];
  readonly #settings: ReadonlyMap<string, Setting>;
  readonly #unknown: (name: string, names: readonly string[]) => SettingFault;

  constructor(
    settings: Iterable<readonly [name: string, setting: Setting]>,
    unknown: (name: string, names: readonly string[]) => SettingFault,
  ) {
    this.#settings = new Map(settings);
    this.#unknown = unknown;
  }

  add(name: string, given: string | boolean | readonly string[]): void {
    const setting = this.#settings.get(name);
    if (setting === undefined) this.faults.push(this.#unknown(name, [...this.#settings.keys()]));
    else {
      const value = typeof given === 'string' ? settingFromText(setting, given) : given;
      this.values.push({ setting, value, sourceOf: () => name });
    }
  }
}

function unknownVariable(name: string, names: readonly string[]): SettingFault {
  const moved = name.replace('_IDENTITY_WORKLOADS', '_WORKLOADS_SELECTORS').replace('_IDENTITY_', '_WORKLOADS_');
  const hint =
    moved !== name && names.includes(moved)
      ? `it is now ${moved}`
      : `allowed: the name of a setting${suggestion(name, names, environmentPrefix)}`;
  return { path: name, problem: 'unknown name', source: 'environment', hint };
}

function unknownFlag(name: string, names: readonly string[]): SettingFault {
  const hint = `allowed: the name of a setting${suggestion(name, names, '--')}`;
  return { path: name, problem: 'unknown name', source: 'command line', hint };
}

function unknownPath(path: string, source: string): SettingFault {
  const paths = allSettings.map((setting) => setting.path);
  const hint = movedTo(path) ?? `allowed: the path of a setting${suggestion(path, paths)}`;
  return { path: pathText(path.split('.')), problem: 'unknown path', source, hint };
}

/** `prefix` is common to all names and does not count when they are compared. */
function suggestion(name: string, names: readonly string[], prefix = ''): string {
  const suffixes = names.map((known) => known.slice(prefix.length));
  const near = nearest(name.slice(prefix.length), suffixes);
  return near === undefined ? '' : ` (did you mean ${prefix}${near}?)`;
}
