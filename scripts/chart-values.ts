import { readFileSync } from 'node:fs';

import { isCollection, isMap, isScalar, type Pair, parseDocument } from 'yaml';

import { markdownTable } from '../src/commands/metrics.js';

const valuesFile = new URL('../charts/ephemeral-storage-exporter/values.yaml', import.meta.url);

export interface ChartValue {
  /** Such as `image.tag`. */
  readonly path: string;
  /** As YAML on one line. */
  readonly defaultText: string;
  readonly help: string;
}

/** The values of the chart that have a comment, in the order of the file. Throws if a value has none. */
export function chartValues(text = readFileSync(valuesFile, 'utf8')): readonly ChartValue[] {
  const document = parseDocument(text);
  if (!isMap(document.contents)) throw new Error('values.yaml: not a mapping');
  // The comment above the first key belongs to the mapping.
  return valuesBelow(document.contents.items, '', document.contents.commentBefore);
}

function valuesBelow(items: readonly Pair[], prefix: string, first?: string | null): readonly ChartValue[] {
  return items.flatMap(({ key, value }, index): readonly ChartValue[] => {
    if (!isScalar(key)) throw new Error(`values.yaml: a key below ${prefix} is not a scalar`);
    const path = `${prefix}${String(key.value)}`;
    const help = (key.commentBefore ?? (index === 0 ? first : undefined))?.replaceAll(/\n */g, ' ').trim();
    if (help !== undefined && help !== '') return [{ path, defaultText: textOf(value), help }];
    if (!isMap(value)) throw new Error(`values.yaml: ${path} has no comment`);
    return valuesBelow(value.items, `${path}.`, value.commentBefore);
  });
}

function textOf(value: unknown): string {
  if (!isCollection(value) && !isScalar(value)) return 'null';
  return JSON.stringify(value.toJSON());
}

export function chartValuesTable(): string {
  return markdownTable(
    ['Value', 'Default', 'Meaning'],
    chartValues().map(({ path, defaultText, help }) => [`\`${path}\``, `\`${defaultText}\``, help]),
  );
}
