import { open } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';

import { messageOf, UserError } from '../lib/base/errors.js';
import { oneLine } from '../lib/base/text.js';
import { decodeText } from '../lib/base/text-file.js';
import { pathText, type SettingFault } from './faults.js';
import { type Layer, type SettingValue, TreeReader } from './layer.js';
import { rootSection } from './settings.js';
import { formatSize } from './values.js';
import { readYaml, type YamlText } from './yaml-text.js';

/** The size limit of a ConfigMap: https://kubernetes.io/docs/concepts/configuration/configmap/ */
const maxFileBytes = 2 ** 20;

/** Reads the settings file as a layer. `path`: as messages name it. */
export function fileLayer({ path: file, text }: { readonly path: string; readonly text: string }): Layer {
  const bytes = Buffer.byteLength(text);
  if (bytes > maxFileBytes) {
    const hint = `allowed: at most ${formatSize(maxFileBytes)}`;
    return { values: [], faults: [{ path: '', problem: `found ${bytes} bytes`, source: file, hint }] };
  }
  const yaml = readYaml(text);
  const reader = new TreeReader((path) => `${file}:${yaml.positionOf(path).line}`);
  reader.read(rootSection, yaml.value, []);
  const ofProcess = reader.values.filter(({ setting }) => setting.isOfProcess).map(processFault);
  return { values: reader.values, faults: [...yamlFaults(file, yaml), ...reader.faults, ...ofProcess] };
}

function processFault({ setting: { path, meta, environmentName }, sourceOf }: SettingValue): SettingFault {
  const hint = `set --${meta.flag ?? ''} or ${environmentName}`;
  return { path, problem: 'a flag, and no setting of the file', source: sourceOf([]), hint };
}

/** Faults of the text of a file, whatever it sets. */
export function yamlFaults(file: string, { problems, duplicateKeys }: YamlText): SettingFault[] {
  const invalid = problems.map(({ problem, position }) => ({
    path: '',
    problem: `invalid YAML: ${oneLine(problem)}`,
    source: position === undefined ? file : `${file}:${position.line}:${position.column}`,
    hint: 'allowed: one YAML 1.2 document with text keys and without tags',
  }));
  const duplicate = duplicateKeys.map(({ path, position, firstLine }) => ({
    path: pathText(path),
    problem: 'duplicate key',
    source: `${file}:${position.line}:${position.column}`,
    hint: `allowed: each key once (line ${firstLine} has it already)`,
  }));
  return [...invalid, ...duplicate];
}

/**
 * The text of a configuration file, see {@link decodeText}. Of a file that is too large, one byte more than the limit, so
 * that loading it reports the fault. Throws UserError.
 */
export async function readConfigFile(path: string): Promise<string> {
  try {
    await using file = await open(path);
    const bytes = await buffer(file.createReadStream({ end: maxFileBytes }));
    return bytes.length > maxFileBytes ? bytes.toString('latin1') : decodeText(bytes);
  } catch (error) {
    throw new UserError(`${path}: cannot read the configuration file: ${messageOf(error)}`, { cause: error });
  }
}
