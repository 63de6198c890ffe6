// @module-tag sockets

import { describe, expect, it } from 'vitest';

import { emptyScenario, type Scenario } from '../../sim/model/scenario.js';
import type { PodSpec } from '../../sim/model/specs.js';
import { Exporter, leastRules, settingsOf } from '../support/exporter.js';
import { containerSpec } from '../support/pod-specs.js';
import { kib, mib } from '../support/units.js';

const web = (name: string, nodeName: string): PodSpec => ({
  namespace: 'shop',
  name,
  nodeName,
  labels: { app: 'web', 'pod-template-hash': '5d4f8' },
  owner: { kind: 'ReplicaSet', name: 'web-5d4f8' },
  containers: [
    containerSpec(10 * mib, 3 * mib, {
      ...{ name: 'app', limitBytes: 64 * mib, requestBytes: 16 * mib },
      mounts: ['cache', 'settings', 'scratch'],
    }),
    containerSpec(mib, 40 * kib, { name: 'proxy', mounts: ['cache'] }),
  ],
  volumes: [
    { name: 'cache', source: 'emptyDir', content: { initialBytes: 5 * mib } },
    { name: 'settings', source: 'configMap', content: { initialBytes: 8 * kib } },
    { name: 'scratch', source: 'emptyDir', medium: 'Memory', content: { initialBytes: 2 * mib } },
  ],
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
        containers: [containerSpec(12 * kib, 100 * kib, { name: 'etcd' })],
      });
    },
  };
}

const ttlMs = 55_000;

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

it('with a hundred nodes, kubelets are scraped before the first scrape, which requests nothing', async () => {
  const names = Array.from({ length: 100 }, (_, index) => `node-${index}`);
  const once = Object.fromEntries(names.map((name) => [name, 1]));
  await using exporter = await Exporter.start({ scenario: emptyScenario(...names) });
  await exporter.synced();
  await expect
    .poll(async () => {
      await exporter.clock.advance(1_000);
      return exporter.requestCounts();
    })
    .toEqual(once);
  await expect.poll(async () => (await exporter.scrape()).value('node_data_available', { node: 'node-1' })).toBe(1);
  expect(exporter.requestCounts()).toEqual(once);
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

  it('new settings do not restart the grace period of dangling pods', async () => {
    await using exporter = await start(1);
    await exporter.cluster.setApiFault('down');
    exporter.cluster.model.addPod(web('web-5d4f8-new', 'node-1'));
    await exporter.scrape();
    await exporter.clock.advance(60_001);
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
    await exporter.apply('cache: {ttl: 30s}\nmetrics: {profile: full}');
    const scraped = await exporter.scrape();
    expect(scraped.samples('pod_used_bytes')).toHaveLength(2);
    expect([scraped.value('exporter_store_watchers', {}), scraped.value('exporter_store_subscribers', {})]).toEqual([
      2, 2,
    ]);
  });

  it('new settings that cannot be synced leave the old ones in effect', async () => {
    await using exporter = await start(1);
    await exporter.cluster.setApiFault('status:503');
    expect(await exporter.applied('cluster: {namespaces: [shop]}', 1_000)).toMatchObject({
      message: expect.stringMatching(/pods in shop could not be listed within 60 s/) as string,
      isTemporary: true,
    });
    const scraped = await exporter.scrape();
    expect(scraped.samples('pod_used_bytes')).toHaveLength(2);
    expect(scraped.value('exporter_store_objects', { resource: 'pods' })).toBe(2);
  });

  it('new settings serve the families of the other exporter while its name is set, and only then', async () => {
    await using exporter = await start(1);
    const ofBoth = async () => {
      const scraped = await exporter.scrape();
      return [scraped.value('pod_usage', { pod_name: 'etcd-node-1' }), scraped.samples('pod_used_bytes').length];
    };
    expect(await ofBoth()).toEqual([undefined, 2]);
    await exporter.app.apply(settingsOf('metrics: {compatibility: k8s-ephemeral-storage-metrics}'));
    expect(await ofBoth()).toEqual([expect.any(Number), 2]);
    await exporter.app.apply(settingsOf(''));
    expect(await ofBoth()).toEqual([undefined, 2]);
  });

  it('new settings with a pattern that matches no family cause a warning, as those of the start', async () => {
    await using exporter = await start(1, 'metrics: {allow: [ephemeral_storage_nothing]}');
    expect(exporter.log.join('')).toContain('ephemeral_storage_nothing');
    await exporter.app.apply(settingsOf('metrics: {deny: [pod_info]}'));
    expect(exporter.log.join('')).toMatch(/metrics\.deny\[0\].*pod_info/);
  });
});
