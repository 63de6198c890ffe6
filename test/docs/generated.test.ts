import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';

import { expect, it } from 'vitest';

import { generatedPageNames, renderPage } from '../../scripts/generated-docs.js';
import { openApiText } from '../../scripts/openapi/document.js';

const root = path.resolve(import.meta.dirname, '../..');

it.each(generatedPageNames)('the page %s has the tables that the code generates', async (name) => {
  const page = await readFile(path.join(root, name), 'utf8');
  expect(page).toBe(await renderPage(name, page));
});

it('generated pages have tables without padding, with the alignment of their columns', async () => {
  const table = '| a | `b \\| c` |\n| :-- | --: |\n| longer |  |\n';
  expect(await renderPage('', table.replaceAll(' | ', '   | '))).toBe(table);
});

it('the description of the API has the types and parameters of the code', { timeout: 120_000 }, async () => {
  expect(await readFile(path.join(root, 'src/people/status/openapi.json'), 'utf8')).toBe(await openApiText());
});

it('the README can be read in a few minutes', async () => {
  expect((await stat(path.join(root, 'README.md'))).size).toBeLessThanOrEqual(12_288);
});
