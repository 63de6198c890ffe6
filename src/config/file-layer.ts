/** The settings file as a layer. */
import type { Entry, Layer } from './entry.js';
import { describeValue, type Fault, pathText, shortened, unknownKey } from './faults.js';
import { allSettings, rootSection, type Section } from './settings.js';
import { formatSize } from './values.js';
import { readYaml, type YamlText } from './yaml-text.js';

export interface ConfigFile {
  /** As messages name it. */
  readonly path: string;
  readonly text: string;
}

/** As large as a ConfigMap can be: https://kubernetes.io/docs/concepts/configuration/configmap/ */
export const maxFileBytes = 2 ** 20;

export function fileLayer(file: ConfigFile): Layer {
  const bytes = Buffer.byteLength(file.text);
  if (bytes > maxFileBytes) {
    const allowed = `at most ${formatSize(maxFileBytes)}`;
    return { entries: [], faults: [{ path: '', found: `${bytes} bytes`, source: file.path, allowed }] };
  }
  const yaml = readYaml(file.text);
  const reader = new FileReader(file.path, yaml);
  if (yaml.problems.length > 0) return { entries: [], faults: reader.problems() };
  reader.read(rootSection, yaml.value, []);
  return { entries: reader.entries, faults: [...reader.duplicates(), ...reader.faults] };
}

class FileReader {
  readonly entries: Entry[] = [];
  readonly faults: Fault[] = [];
  readonly #name: string;
  readonly #yaml: YamlText;

  constructor(name: string, yaml: YamlText) {
    this.#name = name;
    this.#yaml = yaml;
  }

  problems(): Fault[] {
    return this.#yaml.problems.map(({ problem, position }) => ({
      path: '',
      found: `a YAML problem: ${shortened(problem)}`,
      source: position === undefined ? this.#name : `${this.#name}:${position.line}:${position.column}`,
      allowed: 'one document of YAML 1.2 with text keys, without tags',
    }));
  }

  duplicates(): Fault[] {
    return this.#yaml.duplicateKeys.map(({ path, position, firstLine }) => ({
      path: pathText(path),
      found: 'the key again',
      source: `${this.#name}:${position.line}:${position.column}`,
      allowed: `each key once (it is in line ${firstLine} already)`,
    }));
  }

  /** Keys without a value are as good as absent: that is what is left of a section when all in it is commented out. */
  read(section: Section, value: unknown, path: readonly string[]): void {
    if (value === null || value === undefined) return;
    if (typeof value !== 'object' || Array.isArray(value)) {
      this.faults.push({
        path: pathText(path),
        found: describeValue(value),
        source: this.#sourceOf(path),
        allowed: `a mapping with any of ${[...section.children.keys()].join(', ')}`,
      });
      return;
    }
    for (const [key, child] of Object.entries(value)) this.#readChild(section, child, [...path, key]);
  }

  #readChild(section: Section, value: unknown, path: readonly string[]): void {
    const known = section.children.get(path.at(-1) ?? '');
    if (known === undefined) this.faults.push(this.#unknown(section, path));
    else if (known.kind === 'section') this.read(known, value, path);
    else if (value !== null) {
      const sourceOf = (inside: readonly PropertyKey[]): string => this.#sourceOf([...path, ...inside]);
      this.entries.push({ setting: known, value, sourceOf });
    }
  }

  #unknown(section: Section, path: readonly string[]): Fault {
    const fault = unknownKey(path, this.#sourceOf(path), [...section.children.keys()]);
    const elsewhere = allSettings.find((setting) => setting.path.endsWith(`.${path.at(-1) ?? ''}`));
    if (elsewhere === undefined) return fault;
    return { ...fault, allowed: `${fault.allowed} (did you mean ${elsewhere.path}? mind the indentation)` };
  }

  #sourceOf(path: readonly PropertyKey[]): string {
    return `${this.#name}:${this.#yaml.positionOf(path).line}`;
  }
}
