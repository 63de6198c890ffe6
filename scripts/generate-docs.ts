import { readFile, writeFile } from 'node:fs/promises';

import { dashboardFiles } from '../grafana/src/dashboards.js';
import { prometheusRuleFiles, renderPrometheusRule } from './prometheus-rule.js';
import { renderReadme } from './readme.js';

const readme = new URL('../README.md', import.meta.url);
await writeFile(readme, await renderReadme(await readFile(readme, 'utf8')));

const { rules, component } = prometheusRuleFiles;
await writeFile(component, await renderPrometheusRule(await readFile(rules, 'utf8')));

const dashboards = new URL('../grafana/dashboards/', import.meta.url);
for (const { name, text } of dashboardFiles()) await writeFile(new URL(name, dashboards), text);
