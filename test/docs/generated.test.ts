import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { fromJSONSchema } from 'zod';

import { generatedPageNames, renderPage } from '../../scripts/generated-docs.js';
import { openApiText } from '../../scripts/openapi/document.js';
import { renderValuesSchema } from '../../scripts/values-schema.js';
import { formatConfig } from '../../src/config/settings.js';
import { objectOf } from '../../src/lib/json/json.js';
import { load } from '../config/support.js';
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

const valuesSchema = readProjectFile('charts/ephemeral-storage-exporter/values.schema.json');

it('the values of the chart have the settings of the code', async () => {
  expect(valuesSchema).toBe(await renderValuesSchema(valuesSchema));
});

it.each([
  ['all defaults', parse(formatConfig(load({}))), true],
  [
    'keys without a value',
    { cache: null, kubelet: { access: null, tls: { caFile: null } }, web: { status: null } },
    true,
  ],
  [
    'other forms of values',
    { cache: { ttl: 0 }, web: { status: false }, cluster: { podSelector: { matchLabels: {} } } },
    true,
  ],
  ['a setting of one process, which a template refuses', { web: { telemetryPath: '/m' } }, true],
  ['a misspelt section', { cahce: {} }, false],
  ['a misspelt setting', { cache: { tll: '5s' } }, false],
  ['a misspelt key in a list', { workloads: { selectors: [{ name: 'a', selector: '', namespace: [] }] } }, false],
  ['a word that is none of the allowed', { metrics: { profile: 'all' } }, false],
  ['a number outside its range', { kubelet: { port: 65_536 } }, false],
])('the values of the chart accept in config: %s', (_what, config, isAccepted) => {
  const { properties } = objectOf(JSON.parse(valuesSchema));
  const schema = fromJSONSchema(objectOf(objectOf(properties)['config']), { defaultTarget: 'draft-7' });
  expect(schema.safeParse(config).success).toBe(isAccepted);
});

it('the README can be read in a few minutes', () => {
  expect(Buffer.byteLength(readProjectFile('README.md'))).toBeLessThanOrEqual(12_288);
});
