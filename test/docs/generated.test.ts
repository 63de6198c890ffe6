import { expect, it } from 'vitest';

import { generatedPageNames, renderPage } from '../../scripts/generated-docs.js';
import { openApiText } from '../../scripts/openapi/document.js';
import { readProjectFile } from '../support/install-lines.js';

it.each(generatedPageNames)('the page %s has the tables that the code generates', async (name) => {
  const page = readProjectFile(name);
  expect(page).toBe(await renderPage(name, page));
});

it('generated pages have tables without padding, with the alignment of their columns', async () => {
  const table = '| a | `b \\| c` |\n| :-- | --: |\n| longer |  |\n';
  expect(await renderPage('', table.replaceAll(' | ', '   | '))).toBe(table);
});

it('the description of the API has the types and parameters of the code', { timeout: 120_000 }, async () => {
  expect(readProjectFile('src/people/status/openapi.json')).toBe(await openApiText());
});

it('the README can be read in a few minutes', () => {
  expect(Buffer.byteLength(readProjectFile('README.md'))).toBeLessThanOrEqual(12_288);
});
