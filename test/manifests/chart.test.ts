import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { expect, it } from 'vitest';
import { parse } from 'yaml';

import { chartValues } from '../../scripts/chart-values.js';
import { at, isObject, type Json, listAt, readObjects } from '../support/manifests/documents.js';
import { chartFolder } from '../support/manifests/helm.js';

const read = (file: string): string => readFileSync(path.join(chartFolder, file), 'utf8');

const values = parse(read('values.yaml')) as Json;
const schema = JSON.parse(read('values.schema.json')) as Json;

/** Of the values that the schema names. */
function schemaPaths(node: unknown, prefix: readonly string[] = []): readonly (readonly string[])[] {
  const properties = at(node, 'properties');
  if (!isObject(properties)) return [];
  return Object.entries(properties).flatMap(([key, inner]) => [
    [...prefix, key],
    ...schemaPaths(inner, [...prefix, key]),
  ]);
}

const alertNames = listAt(parse(read('rules/ephemeral-storage.yaml')), 'groups')
  .flatMap((group) => listAt(group, 'rules'))
  .flatMap(({ alert }) => (typeof alert === 'string' ? [alert] : []));

it('the chart has the version and the image of the manifests', () => {
  const [pod] = readObjects('base/pod/kustomization.yaml');
  const [image] = listAt(pod, 'images');
  const { version, appVersion } = parse(read('Chart.yaml')) as Json;
  expect({ version, appVersion }).toEqual({ version: image?.['newTag'], appVersion: image?.['newTag'] });
  expect(at(values, 'image', 'repository')).toBe(image?.['newName']);
});

it('the chart has a schema for exactly the values that there are', () => {
  const paths = schemaPaths(schema);
  const names = paths.map((keys) => keys.join('.'));
  expect(chartValues().filter((value) => !names.includes(value.path))).toEqual([]);
  // For charts that contain this one: shared values, and the condition of their dependency.
  expect(paths.filter((keys) => !hasKey(keys)).map((keys) => keys.join('.'))).toEqual(['global', 'enabled']);
});

it('the chart has a schema that knows every alert', () => {
  const names = at(schema, 'properties', 'prometheusRule', 'properties', 'alerts', 'propertyNames', 'enum');
  expect(names).toEqual(alertNames);
  expect(alertNames.length).toBeGreaterThan(20);
});

it('the chart has templates that read only values that there are', () => {
  const templates = readdirSync(path.join(chartFolder, 'templates'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:yaml|tpl|txt)$/.test(file))
    .map((file) => read(path.join('templates', file)));
  const paths = templates.flatMap((text) =>
    Array.from(text.matchAll(/(?:\.Values|\$values)\.([A-Za-z.]+)/g), ([, found = '']) => found),
  );
  // `$values` is the section of its template.
  const sections = ['', 'serviceMonitor.', 'podMonitor.', 'prometheusRule.', 'dashboards.', 'networkPolicy.'];
  const unknown = paths.filter((found) => !sections.some((section) => hasKey(`${section}${found}`.split('.'))));
  expect(unknown).toEqual([]);
  expect(paths.length).toBeGreaterThan(50);
});

function hasKey(keys: readonly string[]): boolean {
  const parent = keys.length === 1 ? values : at(values, ...keys.slice(0, -1));
  return isObject(parent) && (keys.at(-1) ?? '') in parent;
}
