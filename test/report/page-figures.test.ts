import { expect, it } from 'vitest';

import { exposedFamilies, familyTable } from '../../src/exposition/families.js';
import { type FigureList, listFigures, namespacePageFigures, overviewFigures } from '../../src/report/page-figures.js';
import type { SeriesQuestion } from '../../src/report/series-filter.js';
import { settingsOf } from '../support/exporter.js';

const lists: readonly FigureList[] = ['pods', 'containers', 'volumes', 'workloads', 'namespaces', 'nodes', 'evictions'];

const settingsFor = (yaml: string) => ({
  exposed: exposedFamilies(settingsOf(yaml).metrics),
  retentionMs: 86_400_000,
  ttlMs: 30_000,
});

const full = settingsFor('metrics: {profile: full}');
const asked = (question: Partial<SeriesQuestion>): SeriesQuestion => ({ search: [], selector: [], ...question });

/** Of one figure of a list. */
function shownOf(list: FigureList, name: string, question: Partial<SeriesQuestion> = {}, settings = full) {
  const { sources, notes } = listFigures(list, asked(question), settings);
  const source = sources.find((one) => one.name === name);
  return { queries: source?.queries, missing: source?.missing, notes };
}

const queriesIn = (settings: typeof full, question: Partial<SeriesQuestion> = {}): readonly string[] =>
  [
    ...lists.map((list) => listFigures(list, asked(question), settings)),
    ...namespacePageFigures('shop', asked(question), settings),
    ...overviewFigures(settings),
  ].flatMap(({ sources }) => sources.flatMap(({ queries }) => queries));

it('every expression is of families that exist, by labels that they have', () => {
  const labelsOf = new Map(familyTable([]).map(({ name, labels }) => [name, labels]));
  const queries = queriesIn(full, { search: ['web'], workload: 'shop/deployment/cart' });
  const selectors = queries.flatMap((query) =>
    Array.from(query.matchAll(/(ephemeral_storage_\w+)(?:\{([^}]*)\})?/g), ([, name = '', text = '']) => ({
      name,
      labels: Array.from(text.matchAll(/(\w+)=/g), ([, label = '']) => label),
    })),
  );
  expect(selectors.length).toBeGreaterThan(80);
  for (const { name, labels } of selectors) {
    expect([name, labelsOf.get(name)]).toEqual([name, expect.arrayContaining(labels)]);
  }
});

it.each([
  ['the profile minimal', 'metrics: {profile: minimal}', 'ephemeral_storage_container_used_bytes'],
  ['a pattern that is denied', 'metrics: {deny: [".*_limit_ratio"]}', 'ephemeral_storage_limit_ratio'],
  ['patterns that are allowed', 'metrics: {allow: [".*_pod_used_bytes"]}', 'ephemeral_storage_node_available_bytes'],
  ['a level that is off', 'metrics: {levels: {volume: false}}', 'ephemeral_storage_volume_used_bytes'],
])('no family that %s leaves out is in an expression', (_case, yaml, left) => {
  const settings = settingsFor(yaml);
  const found = new Set(queriesIn(settings).flatMap((query) => query.match(/ephemeral_storage_\w+/g) ?? []));
  expect([...found].filter((name) => !settings.exposed.has(name))).toEqual([]);
  expect([...found].length).toBeGreaterThan(0);
  const all = lists.flatMap((list) => listFigures(list, asked({}), settings).sources);
  expect(all.flatMap(({ missing }) => missing)).toContain(left);
});

it('an expression that lacks a family is left out, and the others of the figure stay', () => {
  expect(shownOf('containers', 'Limit', {}, settingsFor('{}'))).toMatchObject({
    queries: ['ephemeral_storage_limit_ratio{rule="container"}'],
    missing: ['ephemeral_storage_container_limit_bytes'],
  });
});

it('without the workloads of pods, the expressions are of all of them and say so', () => {
  const settings = settingsFor('metrics: {profile: minimal}');
  const { queries, notes } = shownOf('pods', 'Used', { workload: 'shop/deployment/cart' }, settings);
  expect(queries).toEqual(['ephemeral_storage_pod_used_bytes']);
  expect(notes.at(-1)).toMatch(/what no series has: workload\.$/);
});

it('evictions are looked for as far back as they are remembered', () => {
  const settings = { ...full, retentionMs: 90_000 };
  expect(shownOf('evictions', 'Time', { namespace: 'shop' }, settings).queries).toEqual([
    'last_over_time(ephemeral_storage_pod_evicted_timestamp_seconds{namespace="shop"}[90s])',
  ]);
  expect(shownOf('evictions', 'Time').queries?.[0]).toMatch(/\[24h\]\)$/);
});

it.each([
  [{ selector: [{}], rule: 'pod', only: 'near' }, 'selector, rule, only'],
  [{ search: ['a/b/c'] }, 'search'],
])('filters that no label has are named: %j', (question, names) => {
  expect(shownOf('pods', 'Used', question)).toMatchObject({
    queries: ['ephemeral_storage_pod_used_bytes'],
    notes: [expect.any(String), `The expressions are not filtered by what no series has: ${names}.`],
  });
});

it('an evicted pod has no workload in its series', () => {
  expect(shownOf('evictions', 'Time', { workload: 'shop/deployment/cart' }).notes).toHaveLength(1);
});
