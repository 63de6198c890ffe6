import { readFile, writeFile } from 'node:fs/promises';

import { dashboardFiles } from '../grafana/src/dashboards.js';
import { generatedPageNames, renderPage } from './generated-docs.js';
import { openApiText } from './openapi/document.js';
import { prometheusRuleFiles, renderPrometheusRule } from './prometheus-rule.js';
import { renderValuesSchema, valuesSchemaFile } from './values-schema.js';

for (const name of generatedPageNames) {
  const page = new URL(`../${name}`, import.meta.url);
  await writeFile(page, await renderPage(name, await readFile(page, 'utf8')));
}

await writeFile(new URL('../src/people/status/openapi.json', import.meta.url), await openApiText());

const { rules, component } = prometheusRuleFiles;
await writeFile(component, await renderPrometheusRule(await readFile(rules, 'utf8')));

await writeFile(valuesSchemaFile, await renderValuesSchema(await readFile(valuesSchemaFile, 'utf8')));

const dashboards = new URL('../charts/ephemeral-storage-exporter/dashboards/', import.meta.url);
for (const { name, text } of dashboardFiles()) await writeFile(new URL(name, dashboards), text);
