// @module-tag sockets

import { setTimeout as delay } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import { emptyScenario, type Scenario } from '../../sim/model/scenario.js';
import type { PodSpec } from '../../sim/model/specs.js';
import { Exporter, leastRules, settingsOf, settleMs } from '../support/exporter.js';
import { kib, mib } from '../support/units.js';

const web = (name: string, nodeName: string, more: Partial<PodSpec> = {}): PodSpec => ({
  namespace: 'shop',
  name,
  nodeName,
  labels: { app: 'web', 'pod-template-hash': '5d4f8' },
  owner: { kind: 'ReplicaSet', name: 'web-5d4f8' },
  containers: [
    {
      name: 'app',
      rootfs: { initialBytes: 10 * mib },
      logs: { initialBytes: 3 * mib },
      limitBytes: 64 * mib,
      requestBytes: 16 * mib,
      mounts: ['cache', 'settings', 'scratch'],
    },
    { name: 'proxy', rootfs: { initialBytes: mib }, logs: { initialBytes: 40 * kib }, mounts: ['cache'] },
  ],
  volumes: [
    { name: 'cache', source: 'emptyDir', content: { initialBytes: 5 * mib } },
    { name: 'settings', source: 'configMap', content: { initialBytes: 8 * kib } },
    { name: 'scratch', source: 'emptyDir', medium: 'Memory', content: { initialBytes: 2 * mib } },
  ],
  ...more,
});

/** Pods that stand still, on `nodeCount` nodes. */
function shop(nodeCount: number): Scenario {
  const nodes = Array.from({ length: nodeCount }, (_, index) => `node-${index + 1}`);
  return {
    ...emptyScenario(...nodes),
    kubeletsEvict: false,
    populate: ({ model }) => {
      for (const [index, node] of nodes.entries()) model.addPod(web(`web-5d4f8-${index}`, node));
      model.addPod({
        namespace: 'kube-system',
        name: 'etcd-node-1',
        nodeName: 'node-1',
        isStatic: true,
        containers: [{ name: 'etcd', rootfs: { initialBytes: 12 * kib }, logs: { initialBytes: 100 * kib } }],
      });
    },
  };
}

const ttlMs = 55_000;
const graceMs = 60_000;

async function start(nodeCount: number, settings = '', rules = leastRules): Promise<Exporter> {
  const exporter = await Exporter.start({ scenario: shop(nodeCount), settings, rules });
  return exporter.settled();
}

it.each([
  { accept: 'text/plain', golden: 'shop.txt' },
  { accept: 'application/openmetrics-text', golden: 'shop.openmetrics.txt' },
])('the exposition of a cluster that stands still is the recorded one: $golden', async ({ accept, golden }) => {
  await using exporter = await start(2);
  const { answer, families } = await exporter.scrape({ accept });
  expect(families.length).toBeGreaterThan(20);
  const text = answer.text.slice(0, answer.text.indexOf('# HELP ephemeral_storage_exporter_'));
  await expect(text).toMatchFileSnapshot(`../golden/${golden}`);
});

it('the exposition names a Deployment for its pods without any setting, and adds up to the byte', async () => {
  await using exporter = await start(2);
  const scraped = await exporter.scrape();
  const pod = (10 + 3 + 1 + 5) * mib + (40 + 8) * kib + 4096;
  expect(
    scraped.value('workload_used_bytes', { namespace: 'shop', workload: 'web', workload_type: 'deployment' }),
  ).toBe(2 * pod);
  expect(
    scraped.value('workload_limit_bytes', { namespace: 'shop', workload: 'web', workload_type: 'deployment' }),
  ).toBe(128 * mib);
  expect(
    scraped.value('workload_request_bytes', { namespace: 'shop', workload: 'web', workload_type: 'deployment' }),
  ).toBe(32 * mib);
  expect(scraped.value('workload_complete', { namespace: 'shop', workload: 'web', workload_type: 'deployment' })).toBe(
    1,
  );
  expect(scraped.value('pod_used_bytes', { pod: 'web-5d4f8-0' })).toBe(pod);
  for (const family of ['container_used_bytes', 'pod_component_used_bytes']) {
    const parts = scraped.samples(family).filter(({ labels }) => labels['pod'] === 'web-5d4f8-0');
    expect(parts.reduce((sum, { value }) => sum + value, 0)).toBe(pod);
  }
  expect(scraped.value('volume_used_bytes', { pod: 'web-5d4f8-0', medium: 'Memory' })).toBe(2 * mib);
  expect(
    scraped.value('workload_used_bytes', { namespace: 'kube-system', workload: 'etcd', workload_type: 'staticpod' }),
  ).toBe(112 * kib);
});

it('kubelets are scraped once for twenty concurrent scrapes on a cold cache', async () => {
  await using exporter = await start(3);
  const scrapes = await Promise.all(Array.from({ length: 20 }, () => exporter.scrape()));
  for (const scraped of scrapes)
    expect(scraped.samples('node_data_available').map(({ value }) => value)).toEqual([1, 1, 1]);
  expect(exporter.requestCounts()).toEqual({ 'node-1': 1, 'node-2': 1, 'node-3': 1 });
});

it('kubelets that fail are scraped once per TTL by four scrapers, and have data one TTL after recovery', async () => {
  await using exporter = await start(
    2,
    'workloads: {selectors: [{name: web, selector: app=web}, {name: all, selector: {}}]}',
  );
  await exporter.cluster.setFault('node-2', 'status:500');
  const scrapeFour = async () => Promise.all(Array.from({ length: 4 }, () => exporter.scrape()));
  for (let turn = 0; turn < 3; turn++) {
    for (const scraped of await scrapeFour()) {
      expect(scraped.value('node_absent_info', { node: 'node-2', reason: 'http_status' })).toBe(1);
      expect(scraped.value('workload_complete', { workload: 'web' })).toBe(0);
      expect(scraped.value('workload_pods_measured', { workload: 'web' })).toBe(1);
    }
    await exporter.clock.advance(ttlMs / 2);
    await scrapeFour();
    expect(exporter.requestCounts()['node-2']).toBe(turn + 1);
    await exporter.clock.advance(ttlMs / 2);
  }
  await exporter.cluster.setFault('node-2', undefined);
  const [recovered] = await scrapeFour();
  expect(recovered?.value('node_data_available', { node: 'node-2' })).toBe(1);
  expect(recovered?.value('workload_complete', { workload: 'web' })).toBe(1);
});

it('kubelets that fail are stale below twice the TTL and absent from then on', async () => {
  await using exporter = await start(2);
  await exporter.scrape();
  await exporter.cluster.setFault('node-2', 'reset');
  await exporter.clock.advance(ttlMs);
  const fetchedAt = (await exporter.scrape()).value('node_data_timestamp_seconds', { node: 'node-2' });
  expect(fetchedAt).toBe((exporter.clock.nowMs() - ttlMs) / 1000);
  await exporter.clock.advance(ttlMs - 1);
  expect((await exporter.scrape()).value('node_data_available', { node: 'node-2' })).toBe(1);
  await exporter.clock.advance(1);
  const late = await exporter.scrape();
  expect(late.value('node_absent_info', { node: 'node-2', reason: 'connection' })).toBe(1);
  expect(late.samples('pod_used_bytes').filter(({ labels }) => labels['node'] === 'node-2')).toEqual([]);
});

it('slow kubelets do not delay a scrape beyond its deadline, and their response serves the next scrape', async () => {
  await using exporter = await start(3);
  await exporter.cluster.setFault('node-3', 'slow:5000');
  const scraping = exporter.scrape({ 'x-prometheus-scrape-timeout-seconds': '2' });
  await expect.poll(() => exporter.requestCounts(), { interval: 5 }).toEqual({ 'node-1': 1, 'node-2': 1, 'node-3': 1 });
  const successes = async () => {
    const metric = await exporter.app.metrics.registry
      .getSingleMetric('ephemeral_storage_exporter_kubelet_requests_total')
      ?.get();
    return metric?.values.find(({ labels }) => labels['result'] === 'success')?.value;
  };
  await expect.poll(successes, { interval: 5 }).toBe(2);
  await exporter.clock.advance(1_500);
  const scraped = await scraping;
  expect(scraped.samples('node_data_available').map(({ value }) => value)).toEqual([1, 1, 0]);
  expect(scraped.value('node_absent_info', { node: 'node-3', reason: 'timeout' })).toBe(1);
  await exporter.clock.advance(3_500);
  await expect.poll(successes, { interval: 5 }).toBe(3);
  const next = await exporter.scrape();
  expect(next.samples('node_data_available').map(({ value }) => value)).toEqual([1, 1, 1]);
  expect(exporter.requestCounts()).toEqual({ 'node-1': 1, 'node-2': 1, 'node-3': 1 });
});

it.each([
  { fault: 'status:500', reason: 'http_status' },
  { fault: 'truncated', reason: 'connection' },
  { fault: 'wrong-body', reason: 'decode' },
  { fault: 'html', reason: 'decode' },
  { fault: 'expired-certificate', reason: 'tls' },
  { fault: 'redirect', reason: 'http_status' },
  { fault: 'down', reason: 'connection' },
  { fault: 'empty', reason: 'empty' },
] as const)('a kubelet with the fault $fault is absent for $reason, others are served', async ({ fault, reason }) => {
  await using exporter = await start(2);
  await exporter.cluster.setFault('node-2', fault);
  const scraped = await exporter.scrape();
  expect(scraped.samples('node_absent_info').map(({ labels }) => labels)).toEqual([{ node: 'node-2', reason }]);
  expect(scraped.value('pod_used_bytes', { node: 'node-1', pod: 'web-5d4f8-0' })).toBeGreaterThan(0);
});

it('kubelets that report impossible sizes are served, and the saturated values are counted', async () => {
  await using exporter = await start(1);
  expect((await exporter.scrape()).value('exporter_values_saturated', {})).toBe(0);
  exporter.cluster.model.addPod({
    namespace: 'shop',
    name: 'broken',
    nodeName: 'node-1',
    containers: [{ name: 'app', rootfs: { initialBytes: 2 ** 60 }, logs: { initialBytes: 0 } }],
  });
  await exporter.clock.advance(ttlMs);
  await expect
    .poll(async () =>
      (await exporter.scrape()).value('pod_component_used_bytes', { pod: 'broken', component: 'rootfs' }),
    )
    .toBe(2 ** 53);
  const scraped = await exporter.scrape();
  expect(scraped.value('pod_used_bytes', { pod: 'web-5d4f8-0' })).toBeGreaterThan(0);
  expect(scraped.value('exporter_values_saturated', {})).toBeGreaterThanOrEqual(2);
});

it('kubelets are reached through the node proxy with kubelet.access: proxy and its permission', async () => {
  await using exporter = await start(2, 'kubelet: {access: proxy}', [
    { verbs: ['list', 'watch'], resources: ['nodes', 'pods'] },
    { verbs: ['get'], resources: ['nodes/proxy'] },
  ]);
  expect((await exporter.scrape()).samples('node_data_available').map(({ value }) => value)).toEqual([1, 1]);
});

describe('kubelets that hang', () => {
  /** In milliseconds: how far the clock has to move until `work` is done. */
  async function waitOf(exporter: Exporter, work: Promise<unknown>, stepMs = 250): Promise<number> {
    const done = work.then(() => true);
    for (let waitedMs = 0; ; waitedMs += stepMs) {
      // Responses arrive over sockets.
      for (let turn = 0; turn < 20; turn++) {
        if (await Promise.race([done, delay(5).then(() => false)])) return waitedMs;
      }
      await exporter.clock.advance(stepMs);
    }
  }

  const hangingNodes = ['node-2', 'node-3', 'node-4'];

  it('hanging kubelets are waited for briefly when they begin, then not at all, and asked once per TTL', async () => {
    await using exporter = await start(5);
    for (const node of hangingNodes) await exporter.cluster.setFault(node, 'hang');
    const first = exporter.scrape();
    expect(await waitOf(exporter, first)).toBeLessThanOrEqual(1_000);
    const available = (scraped: Awaited<typeof first>) =>
      scraped.samples('node_data_available').map(({ value }) => value);
    expect(available(await first)).toEqual([1, 0, 0, 0, 1]);
    for (let scrapes = 2; scrapes <= 4; scrapes++) {
      await exporter.clock.advance(ttlMs);
      const next = exporter.scrape();
      expect(await waitOf(exporter, next)).toBe(0);
      expect(available(await next)).toEqual([1, 0, 0, 0, 1]);
      await expect
        .poll(() => hangingNodes.map((node) => exporter.requestCounts()[node]))
        .toEqual(hangingNodes.map(() => scrapes));
    }
    for (const node of hangingNodes) await exporter.cluster.setFault(node, undefined);
    await exporter.clock.advance(ttlMs);
    await exporter.scrape();
    await expect.poll(async () => available(await exporter.scrape())).toEqual([1, 1, 1, 1, 1]);
    expect(hangingNodes.map((node) => exporter.requestCounts()[node])).toEqual([5, 5, 5]);
  });

  it('hanging kubelets are waited for to the end of the scrape when there is nothing to compare with', async () => {
    await using exporter = await start(1);
    await exporter.cluster.setFault('node-1', 'hang');
    expect(await waitOf(exporter, exporter.scrape(), 750)).toBeGreaterThan(4_500);
  });
});

describe('changes of the cluster', () => {
  it('the series of a deleted pod end at once, although a cached summary still lists it', async () => {
    await using exporter = await start(1);
    expect((await exporter.scrape()).value('pod_used_bytes', { pod: 'web-5d4f8-0' })).toBeGreaterThan(0);
    exporter.cluster.model.deletePod('shop', 'web-5d4f8-0');
    await expect
      .poll(async () => (await exporter.scrape()).value('pod_used_bytes', { pod: 'web-5d4f8-0' }), { interval: 10 })
      .toBeUndefined();
    expect(exporter.requestCounts()).toEqual({ 'node-1': 1 });
  });

  it('a pod that was re-created on another node is counted once', async () => {
    await using exporter = await start(2, 'workloads: {selectors: [{name: all, selector: {}}]}');
    const before = (await exporter.scrape()).value('workload_used_bytes', { workload: 'all' });
    exporter.cluster.model.deletePod('shop', 'web-5d4f8-0');
    exporter.cluster.model.addPod(web('web-5d4f8-0', 'node-2'));
    await exporter.clock.advance(settleMs);
    const nodesOf = async () =>
      (await exporter.scrape())
        .samples('pod_used_bytes')
        .flatMap(({ labels }) => (labels['pod'] === 'web-5d4f8-0' ? [labels['node']] : []));
    await expect.poll(nodesOf, { interval: 10 }).toEqual(['node-2']);
    expect((await exporter.scrape()).value('workload_used_bytes', { workload: 'all' })).toBe(before);
  });
});

describe('new settings', () => {
  /** Resolves when the first lists have been checked, as the first scrape wants it, and objects are watched again. */
  const checked = async (exporter: Exporter): Promise<void> => {
    const lists = async (): Promise<readonly (number | undefined)[]> => {
      const { value } = await exporter.scrape();
      return ['nodes', 'pods'].flatMap((resource) => [
        value('exporter_store_lists_total', { resource, result: 'success' }),
        value('exporter_store_watch_connected', { resource }),
      ]);
    };
    await expect.poll(lists, { interval: 10 }).toEqual([2, 1, 2, 1]);
  };

  it('new settings take effect without scraping a kubelet again when they do not concern the sources', async () => {
    await using exporter = await start(2);
    await exporter.scrape();
    await exporter.app.apply(settingsOf('workloads: {labels: [app]}\ncache: {maxBackoff: 1m}'));
    const scraped = await exporter.scrape();
    expect(scraped.samples('workload_used_bytes').map(({ labels }) => labels['workload'])).toEqual(['web']);
    expect(exporter.requestCounts()).toEqual({ 'node-1': 1, 'node-2': 1 });
  });

  it('new settings of the sources take over when they are synced', async () => {
    await using exporter = await start(2);
    await exporter.apply('cluster: {namespaces: [kube-system]}');
    const namespaces = (await exporter.scrape()).samples('pod_used_bytes').map(({ labels }) => labels['namespace']);
    expect(namespaces).toEqual(['kube-system']);
    const storeGauge = async (name: string) =>
      (await exporter.scrape()).value(`exporter_store_${name}`, { resource: 'pods' });
    await expect.poll(async () => storeGauge('watch_connected'), { interval: 10 }).toBe(1);
    expect(await storeGauge('objects')).toBe(1);
  });

  it('new settings of the sources lose no data of a node that fails', async () => {
    await using exporter = await start(2);
    await exporter.scrape();
    await exporter.cluster.setFault('node-2', 'status:500');
    await exporter.clock.advance(ttlMs);
    await exporter.apply('kubelet: {requestTimeout: 5s}');
    const scraped = await exporter.scrape();
    expect(scraped.samples('node_data_available').map(({ value }) => value)).toEqual([1, 1]);
    const fetchedAt = scraped.value('node_data_timestamp_seconds', { node: 'node-2' });
    expect(fetchedAt).toBeLessThanOrEqual((exporter.clock.nowMs() - ttlMs) / 1000);
  });

  it('new settings of the sources do not bring back a pod that was deleted since the last summary', async () => {
    const everyPod = 'workloads: {selectors: [{name: every, selector: ""}]}';
    await using exporter = await start(1, everyPod);
    await exporter.scrape();
    exporter.cluster.model.deletePod('shop', 'web-5d4f8-0');
    const shown = async () => (await exporter.scrape()).samples('pod_used_bytes').map(({ labels }) => labels['pod']);
    await expect.poll(shown, { interval: 10 }).toEqual(['etcd-node-1']);
    await exporter.cluster.setFault('node-1', 'status:500');
    await exporter.apply(`${everyPod}\nkubelet: {requestTimeout: 5s}`);
    expect(await shown()).toEqual(['etcd-node-1']);
  });

  it('new settings do not restart the grace period of dangling pods', async () => {
    await using exporter = await start(1);
    await exporter.cluster.setApiFault('down');
    exporter.cluster.model.addPod(web('web-5d4f8-new', 'node-1'));
    await exporter.scrape();
    await exporter.clock.advance(graceMs + 1);
    expect((await exporter.scrape()).value('node_pods_dangling', { node: 'node-1' })).toBe(1);
    await exporter.app.apply(settingsOf('workloads: {labels: [app]}'));
    expect((await exporter.scrape()).value('node_pods_dangling', { node: 'node-1' })).toBe(1);
  });

  it('new settings that want the same nodes and pods list nothing, and wait for no API server', async () => {
    await using exporter = await start(1);
    const requestCount = (): number => exporter.cluster.apiRequests.length;
    await checked(exporter);
    const before = requestCount();
    await exporter.apply(`cache: {ttl: 40s}\nkubelet: {requestTimeout: 5s}`);
    expect(requestCount()).toBe(before);
    await exporter.cluster.setApiFault('down');
    await exporter.apply('cache: {ttl: 30s}');
    const scraped = await exporter.scrape();
    expect(scraped.samples('pod_used_bytes')).toHaveLength(2);
    expect([scraped.value('exporter_store_watchers', {}), scraped.value('exporter_store_subscribers', {})]).toEqual([
      2, 2,
    ]);
  });

  it('new settings that select other pods watch the former ones for half a minute, and the nodes on', async () => {
    await using exporter = await start(1);
    const shown = async (family: string) => (await exporter.scrape()).value(`exporter_store_${family}`, {});
    const lists = async () =>
      (await exporter.scrape()).value('exporter_store_lists_total', { resource: 'nodes', result: 'success' });
    await checked(exporter);
    await exporter.apply('cluster: {podSelector: app=web}');
    expect([await shown('watchers'), await shown('subscribers'), await lists()]).toEqual([3, 2, 2]);
    await exporter.clock.advance(30_000);
    expect(await shown('watchers')).toBe(2);
  });

  it('new settings that cannot be synced leave the old ones in effect', async () => {
    await using exporter = await start(1);
    await exporter.cluster.setApiFault('status:503');
    const outcome = exporter.app.apply(settingsOf('cluster: {namespaces: [shop]}')).catch((error: unknown) => error);
    await expect
      .poll(
        async () => {
          await exporter.clock.advance(1_000);
          return Promise.race([outcome, Promise.resolve('waiting')]);
        },
        { interval: 5, timeout: 15_000 },
      )
      .toMatchObject({
        message: expect.stringMatching(/pods in shop could not be listed within 60 s/) as string,
        isTemporary: true,
      });
    const scraped = await exporter.scrape();
    expect(scraped.samples('pod_used_bytes')).toHaveLength(2);
    expect(scraped.value('exporter_store_objects', { resource: 'pods' })).toBe(2);
  });
});
