// @module-tag sockets

import { expect, it } from 'vitest';

import type { Rule } from '../../sim/access.js';
import { emptyScenario, type Scenario } from '../../sim/model/scenario.js';
import { Exporter, settingsOf } from '../support/exporter.js';
import { cartPod } from '../support/pod-specs.js';

/** An exporter that has just asked a kubelet which takes 40 s to respond. */
async function waiting(): Promise<Exporter> {
  const exporter = await Exporter.start({ settings: 'kubelet: {requestTimeout: 50s}' });
  await exporter.synced();
  await exporter.cluster.setFault('node-1', 'slow:40000');
  const scraped = exporter.scrape({ 'X-Prometheus-Scrape-Timeout-Seconds': '1' });
  await expect.poll(() => exporter.requestCounts()['node-1']).toBe(1);
  await exporter.clock.advance(1_000);
  expect((await scraped).value('node_data_available', { node: 'node-1' })).toBe(0);
  return exporter;
}

/** Waits for the request in flight. */
const isAvailable = async (exporter: Exporter): Promise<boolean> =>
  (await exporter.scrape()).value('node_data_available', { node: 'node-1' }) === 1;

it('a request in flight goes on when settings change', async () => {
  await using exporter = await waiting();
  await exporter.apply('kubelet: {requestTimeout: 45s, maxBodySize: 1Mi}');
  await exporter.apply('kubelet: {requestTimeout: 46s, tls: {serverName: "{node}"}}');
  await exporter.clock.advance(40_000);
  expect(await isAvailable(exporter)).toBe(true);
  expect(exporter.requestCounts()).toEqual({ 'node-1': 1 });
});

it('a scrape ends on the settings that it began with', async () => {
  await using exporter = await Exporter.start();
  await exporter.synced();
  await exporter.cluster.setFault('node-1', 'slow:1000');
  const scraped = exporter.scrape();
  await expect.poll(() => exporter.requestCounts()['node-1']).toBe(1);
  await exporter.app.apply(settingsOf('metrics: {deny: [ephemeral_storage_node_data_available]}'));
  await exporter.clock.advance(1_000);
  expect((await scraped).value('node_data_available', { node: 'node-1' })).toBe(1);
  expect((await exporter.scrape()).samples('node_data_available')).toEqual([]);
});

const scenario: Scenario = {
  ...emptyScenario('node-1', 'node-2'),
  populate: ({ model }) => {
    for (const name of ['cart-0', 'cart-1']) model.addPod(cartPod(name, 'node-1'));
  },
};

const cache = 'cache: {ttl: 5m, nearTtl: 0s}';

/** What was counted of pods, and asked of kubelets; `node-2` fails. */
async function seen(exporter: Exporter): Promise<object> {
  const scraped = await exporter.scrape();
  return {
    available: scraped.samples('node_data_available').map(({ value }) => value),
    evicted: scraped.value('node_evictions_total', { node: 'node-1', cause: 'pod_limit' }),
    started: scraped.value('exporter_lifecycle_events_total', { type: 'started' }),
    requests: exporter.requestCounts(),
  };
}

it.each([
  { of: 'metrics', settings: `${cache}\nmetrics: {deny: [ephemeral_storage_pod_info]}`, connections: 1 },
  { of: 'workloads', settings: `${cache}\nworkloads: {labels: [app]}`, connections: 1 },
  { of: 'the cache', settings: 'cache: {ttl: 4m, nearTtl: 0s}', connections: 1 },
  { of: 'pods', settings: `${cache}\ncluster: {namespaces: [shop]}`, connections: 1 },
  { of: 'kubelets', settings: `${cache}\nkubelet: {requestTimeout: 5s}`, connections: 0 },
])('other settings of $of lose, count and ask nothing again', async ({ settings, connections }) => {
  await using exporter = await Exporter.start({ scenario, settings: cache });
  await exporter.settled();
  const { cluster, clock } = exporter;
  await exporter.scrape();
  await cluster.setFault('node-2', 'status:500');
  await clock.advance(300_000);
  const pod = cluster.model.addPod(cartPod('cart-2', 'node-1'));
  const message = 'Pod ephemeral local storage usage exceeds the total limit of containers 1Gi. ';
  cluster.model.evictPod(pod, { message, isForNode: false });
  await expect
    .poll(() => clock.advance(1_000).then(() => seen(exporter)), { interval: 5 })
    .toMatchObject({ evicted: 1, started: 1 });
  const before = await seen(exporter);
  expect(before).toMatchObject({ available: [1, 1], requests: { 'node-1': 2, 'node-2': 2 } });
  expect(await cluster.kubeletConnectionCount('node-1')).toBe(1);
  await exporter.apply(settings);
  expect(await cluster.kubeletConnectionCount('node-1')).toBe(connections);
  expect(await seen(exporter)).toEqual(before);
});

const rulesFor = (...namespaces: string[]): readonly Rule[] => [
  { verbs: ['list', 'watch'], resources: ['nodes'] },
  { verbs: ['list', 'watch'], resources: ['pods'], namespaces },
];

it('what happens to pods is counted once while a reload waits for its first lists, and after it', async () => {
  const settings = 'cluster: {namespaces: [shop]}';
  await using exporter = await Exporter.start({
    scenario: emptyScenario('node-1'),
    settings,
    rules: rulesFor('shop'),
  });
  await exporter.synced();
  const startedCount = async () =>
    (await exporter.scrape()).value('exporter_lifecycle_events_total', { type: 'started' });
  const start = (name: string): unknown => exporter.cluster.model.addPod(cartPod(name, 'node-1'));
  const applied = exporter.app.apply(settingsOf('cluster: {namespaces: [shop, media]}')).then(() => 'applied');
  await expect.poll(() => exporter.log.join('')).toContain('namespaces/media');
  for (const [index, name] of ['cart-0', 'cart-1', 'cart-2'].entries()) {
    start(name);
    await expect.poll(startedCount).toBe(index + 1);
  }
  exporter.cluster.access.setRules('exporter', rulesFor('shop', 'media'));
  await exporter.clock.advance(50_000);
  expect(await applied).toBe('applied');
  start('cart-3');
  await expect.poll(startedCount).toBe(4);
});
