// @module-tag sockets

import { describe, expect, it } from 'vitest';

import { emptyScenario, type Scenario } from '../../sim/model/scenario.js';
import type { PodSpec } from '../../sim/model/specs.js';
import { Exporter, type ExporterOptions, settingsOf, settleMs } from '../support/exporter.js';

const pod = (name: string, nodeName?: string, namespace = 'shop'): PodSpec => ({
  namespace,
  name,
  ...(nodeName === undefined ? {} : { nodeName }),
  containers: [{ name: 'main', rootfs: { initialBytes: 4096 }, logs: { initialBytes: 8192 } }],
});

const scenario: Scenario = {
  nodes: [
    ...emptyScenario('node-1', 'node-2').nodes,
    { name: 'pool-a-7', labels: { 'kubernetes.io/hostname': 'worker-7' } },
    { name: 'twin-1', labels: { 'kubernetes.io/hostname': 'twin' } },
    { name: 'twin-2', labels: { 'kubernetes.io/hostname': 'twin' } },
  ],
  populate: ({ model }) => {
    model.addPod(pod('a', 'node-1'));
    model.addPod(pod('b', 'node-1', 'ops'));
    model.addPod(pod('c', 'node-2'));
    model.addPod(pod('d', 'pool-a-7'));
  },
};

const nodeLocal = 'cluster: {nodeLocal: true}';

async function start(options: ExporterOptions): Promise<Exporter> {
  const exporter = await Exporter.start({ scenario, ...options });
  await exporter.clock.advance(2_500); // half of the time within which exporters of one node list its pods
  return exporter.settled();
}

const podsOf = async (exporter: Exporter) =>
  (await exporter.scrape()).samples('pod_used_bytes').map(({ labels }) => `${labels['node']}/${labels['pod']}`);

/** The selectors of the exporter's requests, each kind once. */
const selectorsOf = ({ cluster }: Exporter) => [
  ...new Set(
    cluster.apiRequests
      .filter(({ user }) => user === 'exporter')
      .map(({ path, query }) => {
        const verb = query.has('watch') ? 'watch' : 'list';
        return `${verb} ${path} ${query.get('fieldSelector') ?? ''}${query.get('labelSelector') ?? ''}`;
      }),
  ),
];

it.each<[how: string, options: ExporterOptions, node: string, pods: readonly string[]]>([
  ['by its name alone', { settings: 'cluster: {node: node-1}' }, 'node-1', ['node-1/a', 'node-1/b']],
  [
    'by $NODE_NAME',
    { settings: nodeLocal, host: { name: 'exporter-x2x4z', nodeName: 'node-2' } },
    'node-2',
    ['node-2/c'],
  ],
  [
    'by the name of the host',
    { settings: nodeLocal, host: { name: 'worker-7', nodeName: undefined } },
    'pool-a-7',
    ['pool-a-7/d'],
  ],
  [
    'in the namespaces that are read',
    { settings: 'cluster: {node: node-1, namespaces: [shop]}' },
    'node-1',
    ['node-1/a'],
  ],
])('an exporter of one node that found it %s measures that and nothing else', async (_how, options, node, pods) => {
  await using exporter = await start(options);
  expect((await podsOf(exporter)).sort()).toEqual(pods);
  const scraped = await exporter.scrape();
  expect(scraped.samples('node_data_available')).toMatchObject([{ labels: { node }, value: 1 }]);
  expect(scraped.samples('exporter_scope_info')).toMatchObject([
    { labels: { shard: '0', total_shards: '1', node }, value: 1 },
  ]);
  expect(scraped.value('exporter_store_objects', { resource: 'nodes' })).toBe(1);
  expect(scraped.value('exporter_store_objects', { resource: 'pods' })).toBe(pods.length);
  const asked = Object.entries(exporter.requestCounts()).filter(([, count]) => count > 0);
  expect(asked).toEqual([[node, 1]]);
  expect((await exporter.get('/readyz?verbose')).text).toContain('[+]node ok');
});

it('an exporter of one node waits before it lists its pods, and shows no series meanwhile', async () => {
  await using exporter = await Exporter.start({ scenario, settings: 'cluster: {node: node-1}' });
  await exporter.clock.advance(2_499);
  const early = await exporter.get('/metrics');
  expect(early.text).not.toMatch(/^ephemeral_storage_pod_/m);
  expect((await exporter.get('/readyz')).status).toBe(503);
  expect(selectorsOf(exporter).filter((request) => request.includes('/pods'))).toEqual([]);
  await exporter.clock.advance(1);
  await exporter.synced();
  expect((await exporter.get('/readyz')).status).toBe(200);
});

it('an exporter of one node shows only the configured workloads with pods on the node', async () => {
  const workloads =
    'workloads: {selectors: [{name: here, selector: "", namespaces: [ops]}, {name: elsewhere, selector: "", namespaces: [media]}]}';
  await using exporter = await start({ settings: `cluster: {node: node-1}\n${workloads}` });
  const shown = (await exporter.scrape()).samples('workload_pods').map(({ labels }) => labels['workload']);
  expect(shown).toEqual(['here']);
});

it('an exporter of one node lists and watches only the node and its pods', async () => {
  await using exporter = await start({ settings: 'cluster: {node: node-1, namespaces: [shop]}' });
  await expect.poll(() => selectorsOf(exporter).length, { interval: 10 }).toBe(4);
  expect(selectorsOf(exporter).sort()).toEqual([
    'list /api/v1/namespaces/shop/pods spec.nodeName=node-1',
    'list /api/v1/nodes metadata.name=node-1',
    'watch /api/v1/namespaces/shop/pods spec.nodeName=node-1',
    'watch /api/v1/nodes metadata.name=node-1',
  ]);
});

it('an exporter of one node looks the node up by one list of its label', async () => {
  await using exporter = await start({ settings: nodeLocal, host: { name: 'worker-7', nodeName: undefined } });
  const lookUps = selectorsOf(exporter).filter((request) => request.includes('hostname'));
  expect(lookUps).toEqual(['list /api/v1/nodes kubernetes.io/hostname=worker-7']);
});

it('an exporter of one node adds a pod when it is bound to the node, and removes it when it is deleted', async () => {
  await using exporter = await start({ settings: 'cluster: {node: node-2}' });
  const { model } = exporter.cluster;
  model.addPod(pod('e'));
  model.bindPod('shop', 'e', 'node-2');
  await exporter.clock.advance(settleMs);
  await expect.poll(() => podsOf(exporter), { interval: 10 }).toEqual(['node-2/c', 'node-2/e']);
  model.deletePod('shop', 'c');
  await expect.poll(() => podsOf(exporter), { interval: 10 }).toEqual(['node-2/e']);
});

it.each<[what: string, host: string, error: RegExp]>([
  ['no node', 'exporter-x2x4z', /no node has the label kubernetes\.io\/hostname=exporter-x2x4z.*--node.*NODE_NAME/],
  ['two nodes', 'twin', /2 nodes have the label kubernetes\.io\/hostname=twin.*twin-1, twin-2.*--node/],
])('an exporter of one node does not start when %s has the name of the host', async (_what, name, error) => {
  const starting = Exporter.start({ scenario, settings: nodeLocal, host: { name, nodeName: undefined } });
  await expect(starting).rejects.toThrow(error);
});

it('an exporter of one node does not start without the permission to look it up, and names the rule', async () => {
  const host = { name: 'worker-7', nodeName: undefined };
  await expect(Exporter.start({ scenario, settings: nodeLocal, host, rules: [] })).rejects.toThrow(
    /hostname=worker-7 could not be looked up: .*cannot list resource "nodes".*resources: \["nodes"\], verbs: \["list"\].*--node/,
  );
});

describe('a node that is not in the cluster', () => {
  const settings = 'cluster: {node: node-9}';
  const noSuchNode = /the cluster has no node "node-9"; set --node of serve, or set NODE_NAME/;

  it('a node that is not in the cluster fails readiness, has its absence as a series, and is logged once', async () => {
    await using exporter = await start({ settings });
    const readiness = await exporter.get('/readyz');
    expect([readiness.status, readiness.text]).toEqual([503, expect.stringMatching(noSuchNode)]);
    const scraped = await exporter.scrape();
    await exporter.scrape();
    expect(scraped.samples('node_data_available')).toMatchObject([{ labels: { node: 'node-9' }, value: 0 }]);
    expect(scraped.value('node_absent_info', { node: 'node-9', reason: 'no_node' })).toBe(1);
    expect(scraped.samples('exporter_scope_info')).toMatchObject([{ labels: { node: 'node-9' } }]);
    const warnings = exporter.log.filter((line) =>
      line.replaceAll('\\"', '"').includes('the cluster has no node "node-9"; set --node of serve, or set NODE_NAME'),
    );
    expect(warnings).toHaveLength(1);
    expect(JSON.parse(warnings[0] ?? '{}')).toMatchObject({ level: 'warn', node: 'node-9' });
  });

  it('a node that was not in the cluster is measured as soon as it joins', async () => {
    await using exporter = await start({ settings });
    await exporter.scrape();
    await exporter.cluster.addNode({ name: 'node-9' });
    await expect.poll(async () => (await exporter.get('/readyz')).status, { interval: 10 }).toBe(200);
    const scraped = await exporter.scrape();
    expect(scraped.samples('node_data_available')).toMatchObject([{ labels: { node: 'node-9' }, value: 1 }]);
    expect(scraped.samples('node_absent_info')).toEqual([]);
    expect(exporter.log.join('')).toContain('the node to measure is no longer missing');
  });

  it('a node is reported when it leaves the cluster', async () => {
    await using exporter = await start({ settings: 'cluster: {node: node-2}' });
    expect((await exporter.get('/readyz')).status).toBe(200);
    await exporter.cluster.removeNode('node-2');
    await expect.poll(async () => (await exporter.get('/readyz')).status, { interval: 10 }).toBe(503);
    expect((await exporter.scrape()).value('node_absent_info', { node: 'node-2', reason: 'no_node' })).toBe(1);
  });
});

it('new settings move an exporter to another node, and from one node to all', async () => {
  await using exporter = await start({ settings: 'cluster: {node: node-1}' });
  await exporter.apply('cluster: {node: node-2}');
  expect(await podsOf(exporter)).toEqual(['node-2/c']);
  expect((await exporter.scrape()).samples('exporter_scope_info')).toMatchObject([{ labels: { node: 'node-2' } }]);
  await exporter.apply('');
  const [info] = (await exporter.scrape()).samples('exporter_scope_info');
  expect(info?.labels).toEqual({ shard: '0', total_shards: '1', node: '' });
  expect(await podsOf(exporter)).toHaveLength(4);
});

it.each([
  ['a node that is not in the cluster', 'cluster: {node: node-9}', /the cluster has no node "node-9"/],
  ['a host that is not a node', nodeLocal, /no node has the label kubernetes\.io\/hostname=test-host/],
])('new settings that name %s are refused', async (_what, settings, error) => {
  await using exporter = await start({ settings: 'cluster: {node: node-1}' });
  const outcome = exporter.app.apply(settingsOf(settings)).catch((thrown: unknown) => thrown);
  await expect
    .poll(
      async () => {
        await exporter.clock.advance(100);
        return Promise.race([outcome, Promise.resolve('waiting')]);
      },
      { interval: 10 },
    )
    .toMatchObject({ message: expect.stringMatching(error) as string });
  expect(await podsOf(exporter)).toEqual(['node-1/a', 'node-1/b']);
  expect((await exporter.scrape()).samples('exporter_scope_info')).toMatchObject([{ labels: { node: 'node-1' } }]);
});

it('new settings are accepted while the node is missing, unless they name another one', async () => {
  await using exporter = await start({ settings: 'cluster: {node: node-9}' });
  await exporter.apply('cluster: {node: node-9}\nkubelet: {requestTimeout: 5s}');
  expect((await exporter.scrape()).value('node_data_available', { node: 'node-9' })).toBe(0);
});
