// @module-tag sockets

import { describe, expect, it } from 'vitest';

import { emptyScenario, type Scenario } from '../../sim/model/scenario.js';
import { Exporter, type ExporterOptions } from '../support/exporter.js';
import { cartPod } from '../support/pod-specs.js';

const scenario: Scenario = {
  nodes: [
    ...emptyScenario('node-1', 'node-2').nodes,
    { name: 'pool-a-7', labels: { 'kubernetes.io/hostname': 'worker-7' } },
    { name: 'twin-1', labels: { 'kubernetes.io/hostname': 'twin' } },
    { name: 'twin-2', labels: { 'kubernetes.io/hostname': 'twin' } },
  ],
  populate: ({ model }) => {
    model.addPod(cartPod('a', 'node-1'));
    model.addPod(cartPod('b', 'node-1', { namespace: 'ops' }));
    model.addPod(cartPod('c', 'node-2'));
    model.addPod(cartPod('d', 'pool-a-7'));
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

it.each([
  ['a node that is not in the cluster', 'cluster: {node: node-9}', /the cluster has no node "node-9"/],
  ['a host that is not a node', nodeLocal, /no node has the label kubernetes\.io\/hostname=test-host/],
])('new settings that name %s are refused', async (_what, settings, error) => {
  await using exporter = await start({ settings: 'cluster: {node: node-1}' });
  expect(await exporter.applied(settings)).toMatchObject({ message: expect.stringMatching(error) as string });
  expect(await podsOf(exporter)).toEqual(['node-1/a', 'node-1/b']);
  expect((await exporter.scrape()).samples('exporter_scope_info')).toMatchObject([{ labels: { node: 'node-1' } }]);
});

it('new settings are accepted while the node is missing, unless they name another one', async () => {
  await using exporter = await start({ settings: 'cluster: {node: node-9}' });
  await exporter.apply('cluster: {node: node-9}\nkubelet: {requestTimeout: 5s}');
  expect((await exporter.scrape()).value('node_data_available', { node: 'node-9' })).toBe(0);
});
