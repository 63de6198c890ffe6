// @module-tag sockets

import { expect, it } from 'vitest';

import { emptyScenario, type Scenario } from '../../sim/model/scenario.js';
import type { PodSpec } from '../../sim/model/specs.js';
import { Exporter, settingsOf } from '../support/exporter.js';
import { containerSpec } from '../support/pod-specs.js';
import { gib } from '../support/units.js';

const pod = (namespace: string, name: string, usedBytes: number): PodSpec => ({
  namespace,
  name,
  nodeName: 'node-1',
  labels: { app: namespace },
  containers: [containerSpec(usedBytes)],
});

/** A node that is low, with one small pod of a tenant beside two large ones. */
const scenario: Scenario = {
  ...emptyScenario(),
  nodes: [{ name: 'node-1', capacityBytes: 100 * gib, systemBytes: 88 * gib }],
  kubeletsEvict: false,
  populate: ({ model }) => {
    model.addPod(pod('ops', 'log-0', 4 * gib));
    model.addPod(pod('ops', 'log-1', 3 * gib));
    model.addPod(pod('shop', 'cart-0', gib));
  },
};

async function startWith(settings: string): Promise<Exporter> {
  const exporter = await Exporter.start({ scenario, settings, namespace: 'shop' });
  await exporter.synced();
  await exporter.clock.advance(120_000);
  await exporter.scrape();
  return exporter;
}

/** What speaks of all pods of the node. */
async function aboutTheNode(exporter: Exporter) {
  const scraped = await exporter.scrape();
  return {
    ranks: scraped
      .samples('pod_eviction_rank')
      .filter(({ labels }) => labels['signal'] === 'nodefs.available')
      .map(({ labels, value }) => [value, labels['pod']]),
    counts: ['node_pods_running', 'node_containers_running'].map((name) => scraped.value(name, { node: 'node-1' })),
  };
}

const ofAll = {
  ranks: [
    [1, 'log-0'],
    [2, 'log-1'],
    [3, 'cart-0'],
  ],
  counts: [3, 3],
};
const ofNone = { ranks: [], counts: [undefined, undefined] };

const narrowed = ['cluster: {namespaces: [shop]}', 'cluster: {podSelector: app=shop}'] as const;

it('victims and counts of a node are served by an exporter that reads all of its pods', async () => {
  await using exporter = await startWith('');
  expect(await aboutTheNode(exporter)).toEqual(ofAll);
  const page = (await exporter.get('/')).text.replaceAll(/<[^>]*>/g, '');
  expect(page).toMatch(/evicts ops\/log-0 first/);
});

it.each(narrowed)('victims and counts of a node are not served with %s, as the page says', async (settings) => {
  await using exporter = await startWith(settings);
  expect(await aboutTheNode(exporter)).toEqual(ofNone);
  expect((await exporter.scrape()).value('pod_used_bytes', { pod: 'cart-0' })).toBeGreaterThanOrEqual(gib);
  expect((await exporter.get('/')).text).toContain('unknown: 2 pods of this node are not read');
  const { cluster } = JSON.parse((await exporter.get('/api/v1/status')).text) as {
    readonly cluster: { readonly nearNodes: { readonly items: readonly { readonly pressure: unknown }[] } };
  };
  expect(cluster.nearNodes.items).toMatchObject([{ node: 'node-1', pressure: { unreadPodCount: 2 } }]);
  expect(cluster.nearNodes.items[0]?.pressure).not.toHaveProperty('victims');
});

it('victims and counts of a node go and return with the settings', async () => {
  await using exporter = await startWith('');
  await exporter.app.apply(settingsOf('cluster: {podSelector: app=shop}'));
  expect(await aboutTheNode(exporter)).toEqual(ofNone);
  await exporter.app.apply(settingsOf(''));
  expect(await aboutTheNode(exporter)).toEqual(ofAll);
});
