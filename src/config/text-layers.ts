/** The environment and the command line as layers: texts for one setting each. */
import { didYouMean } from '../lib/base/suggestion.js';
import { withoutUserInfo } from '../lib/base/text.js';
import { pathText, type SettingFault } from './faults.js';
import { type Layer, type SettingValue, TreeReader } from './layer.js';
import { allSettings, environmentPrefix, nodeAt, type Setting, settingFromText } from './settings.js';
import { readYaml } from './yaml-text.js';

/** By the name of the flag, without dashes; a list for a repeatable flag. */
export type FlagValues = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/**
 * The variables with the exporter's prefix. An empty variable counts as not set, as in
 * https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/#parsing-empty-value
 */
export function environmentLayer(environment: Readonly<NodeJS.ProcessEnv>): Layer {
  const settings = new Map(allSettings.map((setting) => [setting.environmentName, setting]));
  const variables = Object.entries(environment).filter(
    ([name, text = '']) => text !== '' && name.startsWith(environmentPrefix) && !isServiceLink(name, text),
  );
  return namedLayer(variables, settings, { source: 'environment', prefix: environmentPrefix });
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
  const settings = new Map(
    allSettings.flatMap((setting) => (setting.meta.flag === undefined ? [] : [[`--${setting.meta.flag}`, setting]])),
  );
  const given = Object.entries(flags).map(([flag, value]) => [`--${flag}`, value] as const);
  return namedLayer(given, settings, { source: 'command line', prefix: '--' });
}

/** The settings with these names, each of which begins with `prefix`. */
function namedLayer(
  given: Iterable<readonly [name: string, value: FlagValues[string]]>,
  settings: ReadonlyMap<string, Setting>,
  names: { readonly source: string; readonly prefix: string },
): Layer {
  const values: SettingValue[] = [];
  const faults: SettingFault[] = [];
  for (const [name, raw] of given) {
    if (raw === undefined) continue;
    const setting = settings.get(name);
    if (setting === undefined) faults.push(unknownName(name, [...settings.keys()], names));
    else {
      const value = typeof raw === 'string' ? settingFromText(setting, raw) : raw;
      values.push({ setting, value, sourceOf: () => name });
    }
  }
  return { values, faults };
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
  const source = `--set ${withoutUserInfo(path)}`;
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

function unknownName(
  path: string,
  names: readonly string[],
  { source, prefix }: { readonly source: string; readonly prefix: string },
): SettingFault {
  return {
    path,
    problem: 'unknown name',
    source,
    hint: `allowed: the name of a setting${didYouMean(path, names, prefix)}`,
  };
}

function unknownPath(path: string, source: string): SettingFault {
  const paths = allSettings.map((setting) => setting.path);
  const hint = `allowed: the path of a setting${didYouMean(path, paths)}`;
  return { path: pathText(path.split('.')), problem: 'unknown path', source, hint };
}
