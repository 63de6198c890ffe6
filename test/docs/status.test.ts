import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

import { findingKinds } from '../../src/node/pod-findings.js';
import { components } from '../../src/node/usage.js';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
const namesIn = (text: string, form: RegExp): ReadonlySet<string> =>
  new Set(Array.from(text.matchAll(form), ([, name = '']) => name));

/** The interfaces that JSON is made of; others in these files are inputs of functions. */
const jsonInterfaces =
  /interface \w*(?:Report|Facts|Place|Reference|Summary|Failure|Ranked<T>|Status|Problem|Check|View) [^]*?\n}\n/g;

describe('the page about the JSON', () => {
  const page = read('docs/status.md').replaceAll(/```[^]*?```/g, '');
  const files = [
    'src/base/ranking.ts',
    'src/status/status.ts',
    'src/status/views.ts',
    ...readdirSync(path.join(root, 'src/report')).map((file) => `src/report/${file}`),
  ];
  const sources = files.flatMap((file) => read(file).match(jsonInterfaces) ?? []).join('\n');
  const fields = new Set([...namesIn(sources, /readonly (\w+)\??:/g), ...components]);
  const named = new Set(
    [...namesIn(page, /`([^`]+)`/g)].flatMap((code) => code.split('.').map((name) => name.replace(/\[\]$/, ''))),
  );

  it('the page about the JSON names every field', () => {
    expect([...fields].filter((field) => !named.has(field))).toEqual([]);
  });

  it('the page about the JSON names no field in its first column that does not exist', () => {
    const ofTable = [...page.matchAll(/^\| (`[^|]*)\|/gm)]
      .map(([, cell = '']) => cell.replaceAll(/`\/api[^`]*`/g, ''))
      .join(' ');
    const inTable = [...namesIn(ofTable, /(\w+)/g)];
    expect(inTable.filter((name) => !fields.has(name))).toEqual([]);
    expect(inTable.length).toBeGreaterThan(30);
  });
});

it('the page about findings explains every kind, and no other', () => {
  const page = read('docs/findings.md');
  expect([...namesIn(page, /^\| `(\w+)` +\|/gm)].filter((name) => name !== 'kind')).toEqual(findingKinds);
  expect([...namesIn(page, /^## `(\w+)`$/gm)]).toEqual(findingKinds);
});
