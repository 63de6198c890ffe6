import { z } from 'zod';

import { describeValue, type Fault, pathText, shortened, unknownKey, valueAt } from './faults.js';
import { keysInside, metaInside, type Setting } from './settings.js';

/** A setting as one source has it. */
export interface Entry {
  readonly setting: Setting;
  readonly value: unknown;
  /** Where the value, or the part of it at `inside`, stands: file and line, environment variable or flag. */
  readonly sourceOf: (inside: readonly PropertyKey[]) => string;
}

/** What one source says. */
export interface Layer {
  readonly entries: readonly Entry[];
  /** Faults that concern no entry. */
  readonly faults: readonly Fault[];
}

/** Faults of the value; none when it is among those allowed. One for each place in it. */
export function checkEntry(entry: Entry): Fault[] {
  const issues = z.safeParse(entry.setting.schema, entry.value).error?.issues ?? [];
  const byPath = new Map<string, Fault>();
  for (const fault of issues.flatMap((issue) => faultsOf(issue, entry))) {
    if (!byPath.has(fault.path)) byPath.set(fault.path, fault);
  }
  return [...byPath.values()];
}

function faultsOf(issue: z.core.$ZodIssue, { setting, value, sourceOf }: Entry): Fault[] {
  if (issue.code === 'unrecognized_keys') {
    const known = keysInside(setting, issue.path);
    return issue.keys.map((key) => {
      const path = [...issue.path, key];
      return unknownKey([setting.path, ...path], sourceOf(path), known);
    });
  }
  const { allowed } = metaInside(setting, issue.path);
  const problem: unknown = issue.code === 'custom' ? issue.params?.['problem'] : undefined;
  return [
    {
      path: pathText([setting.path, ...issue.path]),
      found: describeValue(valueAt(value, issue.path)),
      source: sourceOf(issue.path),
      allowed: typeof problem === 'string' ? `${allowed} (${shortened(problem)})` : allowed,
    },
  ];
}
