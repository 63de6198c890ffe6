import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { expect, it } from 'vitest';

import { optionalAlertsPath, ruleFilePath } from '../support/rules.js';

const root = path.resolve(import.meta.dirname, '../..');
const folder = path.join(root, 'mixin');
const text = readFileSync(path.join(folder, 'mixin.libsonnet'), 'utf8');

const imported = (keyword: 'import' | 'importstr'): readonly string[] =>
  Array.from(text.matchAll(new RegExp(`\\b${keyword} '([^']+)'`, 'g')), ([, file = '']) => path.join(folder, file));

it('the mixin imports the rule files and every dashboard by name, and has nothing of its own', () => {
  const dashboards = path.join(root, 'charts/ephemeral-storage-exporter/dashboards');
  const files = readdirSync(dashboards)
    .filter((name) => name.endsWith('.json'))
    .map((name) => path.join(dashboards, name));
  expect(imported('importstr')).toEqual([ruleFilePath, optionalAlertsPath]);
  expect(imported('import')).toEqual(files);
  for (const file of files) expect(text).toContain(`'${path.basename(file)}': import`);
  expect(text).not.toMatch(/\b(?:expr|alert|record|panels):/);
  expect(readdirSync(folder).sort()).toEqual(['README.md', 'mixin.libsonnet']);
});

it('the files that the page about the mixin names exist', () => {
  const page = readFileSync(path.join(folder, 'README.md'), 'utf8');
  const named = page.match(/\b(?:manifests|grafana|charts)\/[\w./-]+/g) ?? [];
  expect(named.length).toBeGreaterThan(8);
  expect(named.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
});
