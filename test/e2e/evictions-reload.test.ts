// @module-tag sockets

import { expect, it } from 'vitest';

import type { Rule } from '../../sim/access.js';
import type { Scenario } from '../../sim/model/scenario.js';
import type { EvictionReport } from '../../src/people/report/eviction-report.js';
import { Exporter, settingsOf } from '../support/exporter.js';

const message = 'Usage of EmptyDir volume "data" exceeds the limit "10Mi". ';

/** A pod in each namespace, evicted before the exporter starts. */
const scenario: Scenario = {
  nodes: [
    { name: 'node-1', labels: { role: 'front' } },
    { name: 'node-2', labels: { role: 'back' } },
  ],
  populate: ({ model }) => {
    const places = [
      ['shop', 'node-1'],
      ['billing', 'node-1'],
      ['media', 'node-2'],
    ] as const;
    for (const [namespace, nodeName] of places) {
      const containers = [{ name: 'main', rootfs: { initialBytes: 4096 }, logs: { initialBytes: 4096 } }];
      model.evictPod(model.addPod({ namespace, name: 'web', nodeName, containers }), { message, isForNode: false });
    }
  },
};

const rulesFor = (...namespaces: string[]): readonly Rule[] => [
  { verbs: ['list', 'watch'], resources: ['nodes'] },
  { verbs: ['list', 'watch'], resources: ['pods'], namespaces },
];

async function evictedNamespaces(exporter: Exporter): Promise<readonly string[]> {
  const answer = await exporter.get('/api/v1/evictions');
  if (answer.status !== 200) return [];
  const { items } = JSON.parse(answer.text) as { readonly items: readonly EvictionReport[] };
  return items.map(({ namespace }) => namespace).sort();
}

/** After a list that was forbidden, in the middle of 30 to 60 s. */
const forbiddenMs = 45_000;

it('a reload before the first list ends loses no eviction of the new scope', async () => {
  const settings = 'cluster: {namespaces: [shop]}';
  await using exporter = await Exporter.start({ scenario, settings, rules: rulesFor('billing') });
  await expect.poll(() => exporter.log.join('')).toContain('namespaces/shop');
  await exporter.clock.advance(10_000);
  const applying = exporter.app.apply(settingsOf('cluster: {namespaces: [billing, media]}'));
  const applied = applying.catch((error: unknown) => error);
  await expect.poll(() => exporter.log.join('')).toContain('namespaces/media');
  exporter.cluster.access.setRules('exporter', rulesFor('shop', 'billing', 'media'));
  await exporter.clock.advance(forbiddenMs - 10_000);
  await expect.poll(() => exporter.app.hasSynced).toBe(true); // with the former settings
  await exporter.clock.advance(10_000);
  expect(await applied).toBeUndefined();
  expect(await evictedNamespaces(exporter)).toEqual(['billing', 'media']);
});

it('a reload keeps the evictions on nodes that only the new settings select', async () => {
  const settings = (role: string): string => `cluster: {nodeSelector: role=${role}}`;
  await using exporter = await Exporter.start({ scenario, settings: settings('front') });
  await exporter.synced();
  await exporter.clock.advance(10_000);
  expect(await evictedNamespaces(exporter)).toEqual(['billing', 'shop']);
  await exporter.apply(settings('back'));
  expect(await evictedNamespaces(exporter)).toEqual(['media']);
});

it('a reload with a longer retention lists what the former one had forgotten, while the pods are there', async () => {
  const settings = (retention: string): string => `evictions: {retention: ${retention}}`;
  await using exporter = await Exporter.start({ scenario, settings: settings('1m') });
  await exporter.synced();
  await exporter.clock.advance(120_000);
  expect(await evictedNamespaces(exporter)).toEqual([]);
  await exporter.apply(settings('1h'));
  await exporter.clock.advance(1_000);
  expect(await evictedNamespaces(exporter)).toEqual(['billing', 'media', 'shop']);
  await exporter.apply(settings('1m'));
  await exporter.clock.advance(1_000);
  expect(await evictedNamespaces(exporter)).toEqual([]);
});

it('a reload that fails lists no eviction of the scope that it wanted, at no time', async () => {
  const settings = 'cluster: {namespaces: [shop]}';
  const rules = rulesFor('shop', 'billing');
  await using exporter = await Exporter.start({ scenario, settings, rules });
  await exporter.synced();
  await exporter.clock.advance(10_000);
  exporter.cluster.access.setRules('exporter', rules.slice(1));
  const wanted = settingsOf('cluster: {namespaces: [billing], nodeSelector: role}');
  const outcome = exporter.app.apply(wanted).catch((error: unknown) => error);
  await expect
    .poll(() => exporter.cluster.apiRequests.map(({ path }) => path))
    .toContain('/api/v1/namespaces/billing/pods');
  for (let second = 0; second < 61; second += 1) {
    await exporter.clock.advance(1_000);
    expect(await evictedNamespaces(exporter)).toEqual(['shop']);
  }
  expect(await outcome).toMatchObject({ message: expect.stringContaining('nodes could not be listed') as string });
});
