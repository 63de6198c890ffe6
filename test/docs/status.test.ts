import { readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

import { components } from '../../src/attribution/usage.js';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
const namesIn = (text: string, form: RegExp): ReadonlySet<string> =>
  new Set(Array.from(text.matchAll(form), ([, name = '']) => name));

describe('the page about the status as JSON', () => {
  const page = read('docs/status.md');
  const sources = ['src/status/status.ts', 'src/eviction/limit-figures.ts'].map(read).join('\n');
  const ofStores = ['resource', 'objectCount', 'isConnected'];
  const fields = new Set([...namesIn(sources, /readonly (\w+)\??:/g), ...components, ...ofStores]);
  const named = new Set(
    [...namesIn(page, /`([^`]+)`/g)].flatMap((code) => code.split('.').map((name) => name.replace(/\[\]$/, ''))),
  );

  it('names every field', () => {
    expect([...fields].filter((field) => !named.has(field))).toEqual([]);
  });

  it('has no field in its first column that there is not', () => {
    const ofTable = [...page.matchAll(/^\| (`[^|]*)\|/gm)].map(([, cell]) => cell).join(' ');
    const inTable = [...namesIn(ofTable, /(\w+)/g)];
    expect(inTable.filter((name) => !fields.has(name))).toEqual([]);
    expect(inTable.length).toBeGreaterThan(30);
  });
});
