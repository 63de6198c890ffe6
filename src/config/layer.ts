/** Where settings are written: a file, the environment or the command line, each as a layer of values. */
import * as z from 'zod/mini';

import { nearest } from '../lib/base/suggestion.js';
import { oneLine } from '../lib/base/text.js';
import { describeValue, pathText, type SettingFault, valueAt } from './faults.js';
import { allSettings, keysInside, metaInside, type Section, type Setting } from './settings.js';

/** The value of a setting in one layer. */
export interface SettingValue {
  readonly setting: Setting;
  readonly value: unknown;
  /** The place of the value, or of the part of it at `inside`: file and line, environment variable or flag. */
  readonly sourceOf: (inside: readonly PropertyKey[]) => string;
}

export interface Layer {
  readonly values: readonly SettingValue[];
  /** Faults that concern no value. */
  readonly faults: readonly SettingFault[];
}

/** Reads nested mappings, such as a file holds, into the values of settings. */
export class TreeReader implements Layer {
  readonly values: SettingValue[] = [];
  readonly faults: SettingFault[] = [];
  readonly #sourceOf: (path: readonly PropertyKey[]) => string;

  constructor(sourceOf: (path: readonly PropertyKey[]) => string) {
    this.#sourceOf = sourceOf;
  }

  /** A key without a value counts as absent: a section whose lines are all commented out is one. */
  read(node: Section | Setting, value: unknown, path: readonly string[]): void {
    if (value === null || value === undefined) return;
    if (node.kind === 'setting') {
      this.values.push({ setting: node, value, sourceOf: (inside) => this.#sourceOf([...path, ...inside]) });
    } else if (typeof value === 'object' && !Array.isArray(value)) {
      for (const [key, item] of Object.entries(value)) this.#readKey(node, item, [...path, key]);
    } else {
      this.faults.push({
        path: pathText(path),
        problem: `found ${describeValue(value)}`,
        source: this.#sourceOf(path),
        hint: `allowed: a mapping with any of ${keysInFile(node).join(', ')}`,
      });
    }
  }

  #readKey(section: Section, value: unknown, path: readonly string[]): void {
    const child = section.children.get(path.at(-1) ?? '');
    if (child !== undefined) this.read(child, value, path);
    else this.faults.push(unknownKey(path, this.#sourceOf(path), keysInFile(section)));
  }
}

function keysInFile({ children }: Section): readonly string[] {
  return [...children].flatMap(([key, child]) => (child.kind === 'setting' && child.isOfProcess ? [] : [key]));
}

function unknownKey(path: readonly PropertyKey[], source: string, siblings: readonly string[]): SettingFault {
  const key = String(path.at(-1));
  const near = nearest(key, siblings) ?? allSettings.find((setting) => setting.path.endsWith(`.${key}`))?.path;
  const suggestion = near === undefined ? '' : ` (did you mean ${near}?)`;
  const hint = `allowed: ${siblings.join(', ')}${suggestion}`;
  return { path: pathText(path), problem: 'unknown key', source, hint };
}

/** Faults of the value; none when it is among those allowed. One for each place in it. */
export function checkValue(settingValue: SettingValue): SettingFault[] {
  const { setting, value } = settingValue;
  const issues = z.safeParse(setting.schema, value).error?.issues ?? [];
  const byPath = new Map<string, SettingFault>();
  for (const fault of issues.flatMap((issue) => faultsOf(issue, settingValue))) {
    if (!byPath.has(fault.path)) byPath.set(fault.path, fault);
  }
  return [...byPath.values()];
}

function faultsOf(issue: z.core.$ZodIssue, { setting, value, sourceOf }: SettingValue): SettingFault[] {
  if (issue.code === 'unrecognized_keys') {
    const known = keysInside(setting, issue.path);
    return issue.keys.map((key) => {
      const path = [...issue.path, key];
      return unknownKey([setting.path, ...path], sourceOf(path), known);
    });
  }
  const { allowed } = metaInside(setting, issue.path);
  const detail: unknown = issue.code === 'custom' ? issue.params?.['problem'] : undefined;
  return [
    {
      path: pathText([setting.path, ...issue.path]),
      problem: `found ${describeValue(valueAt(value, issue.path))}`,
      source: sourceOf(issue.path),
      hint: `allowed: ${allowed}${typeof detail === 'string' ? ` (${oneLine(detail)})` : ''}`,
    },
  ];
}
