import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';

import { expect, it } from 'vitest';

import { readProjectFile } from '../support/install-lines.js';

const root = path.resolve(import.meta.dirname, '../..');
const page = readProjectFile('docs/architecture.md');

it('the page about the architecture names files and folders that exist', () => {
  const named = Array.from(page.matchAll(/`((?:src|sim|test|scripts)\/[^`*]+)`/g), ([, file = '']) => file);
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
});

it('the page about the architecture has the layers of eslint.config.mjs', () => {
  const config = readProjectFile('eslint.config.mjs');
  const [, table = ''] = /const layers = {([^]*?)\n};/.exec(config) ?? [];
  const layers = Array.from(table.matchAll(/^ {2}(\w+): \[([^\]]*)\]/gm), ([, name, allowed = '']) => [
    name,
    (allowed.match(/\w+/g) ?? []).join(', '),
  ]);
  const [, ofPage = ''] = /<!-- layers:begin -->([^]*)<!-- layers:end -->/.exec(page) ?? [];
  const rows = Array.from(ofPage.matchAll(/^\| `src\/(\w+)` +\|[^|]*\|([^|]*)\|$/gm), ([, name, allowed = '']) => [
    name,
    allowed.trim(),
  ]);
  expect(rows).toHaveLength(9);
  expect(rows).toEqual(layers);
});

it('the page about the architecture has every folder of src', () => {
  const folders = readdirSync(path.join(root, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.filter(({ name }) => !page.includes(`\`src/${name}\``)).map(({ name }) => name)).toEqual([]);
});
