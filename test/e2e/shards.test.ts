// @module-tag sockets

import { describe, expect, it } from 'vitest';

import { emptyScenario, type Scenario } from '../../sim/model/scenario.js';
import type { PodSpec } from '../../sim/model/specs.js';
import { shardOf } from '../../src/cluster/kube/scope.js';
import { Exporter, type Scraped, settleMs } from '../support/exporter.js';
import type { ParsedSample } from '../support/exposition-parser.js';
import { readProjectFile } from '../support/install-lines.js';
import { containerSpec } from '../support/pod-specs.js';
import { mib } from '../support/units.js';

const ttlMs = 55_000;

const nodes = Array.from({ length: 6 }, (_, index) => `node-${index + 1}`);
const ownNodes = (shard: number): readonly string[] => nodes.filter((name) => shardOf(name, 2) === shard);

/** A pod of the Deployment web, whose size says which one it is. */
const web = (index: number, nodeName?: string): PodSpec => ({
  namespace: 'shop',
  name: `web-5d4f8-${index}`,
  ...(nodeName === undefined ? {} : { nodeName }),
  labels: { app: 'web', 'pod-template-hash': '5d4f8' },
  owner: { kind: 'ReplicaSet', name: 'web-5d4f8' },
  containers: [
    containerSpec((index + 1) * mib, 3 * mib, {
      ...(index === 2 ? {} : { limitBytes: 64 * mib }),
      requestBytes: 16 * mib,
    }),
  ],
  volumes: [{ name: 'cache', source: 'emptyDir', content: { initialBytes: 5 * mib } }],
});

const lonely = (nodeName: string): PodSpec => ({
  namespace: 'ops',
  name: 'lonely',
  nodeName,
  labels: { app: 'lonely' },
  containers: [containerSpec(mib, mib)],
});

const shop: Scenario = {
  ...emptyScenario(...nodes),
  kubeletsEvict: false,
  populate: ({ model }) => {
    for (const [index, node] of nodes.entries()) model.addPod(web(index, node));
    model.addPod(web(99));
    model.addPod(lonely('node-1'));
  },
};

const resolver = `
workloads:
  selectors: [{name: lonely, selector: app=lonely}, {name: nobody, selector: app=nobody}, {name: all, selector: {}}]
  labels: [app]
  controllers: true
`;

const combinations = {
  sum: (values: readonly number[]) => values.reduce((a, b) => a + b, 0),
  max: (values: readonly number[]) => Math.max(...values),
  min: (values: readonly number[]) => Math.min(...values),
};

/** How the series of a workload on several shards are combined, as the page for operators shows it. */
const workloadFamilies = new Map(
  Array.from(
    readProjectFile('docs/operate.md').matchAll(/^\| `ephemeral_storage_(workload_\w+)` +\| (sum|max|min) +\|/gm),
    ([, name = '', how]) => [name, combinations[how as keyof typeof combinations]] as const,
  ),
);

/** All series of the cluster, `name{labels}` to value, combined where several exporters have the same one. */
function clusterSeries({ families }: Scraped): readonly { readonly key: string; readonly sample: ParsedSample }[] {
  return families
    .filter(({ name }) => /^ephemeral_storage_(?!exporter_)/.test(name))
    .flatMap(({ samples }) =>
      samples.map((sample) => ({ key: `${sample.name}${JSON.stringify(sample.labels)}`, sample })),
    );
}

/** Of one exporter. */
function seriesOf(scraped: Scraped): ReadonlyMap<string, number> {
  return combinedSeries([scraped]);
}

/** Throws when two shards have the same series, unless it is one of a workload: no node may be measured twice. */
function combinedSeries(shards: readonly Scraped[]): ReadonlyMap<string, number> {
  const found = new Map<string, { readonly name: string; readonly values: number[] }>();
  for (const { key, sample } of shards.flatMap(clusterSeries)) {
    const entry = found.get(key) ?? { name: sample.name.replace('ephemeral_storage_', ''), values: [] };
    entry.values.push(sample.value);
    found.set(key, entry);
  }
  return new Map(
    Array.from(found)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, { name, values }]) => [key, combine(key, name, values)]),
  );
}

function combine(key: string, name: string, values: readonly number[]): number {
  const [only = NaN, ...others] = values;
  const rule = workloadFamilies.get(name);
  if (name.startsWith('workload_') && rule === undefined) throw new Error(`no rule for ${name}`);
  if (others.length === 0) return only;
  if (rule === undefined) throw new Error(`two shards have ${key}`);
  return rule(values);
}

interface Exporters extends AsyncDisposable {
  readonly whole: Exporter;
  readonly shards: readonly Exporter[];
}

/** One exporter of the whole cluster and two that share it. */
async function start(): Promise<Exporters> {
  const whole = await Exporter.start({ scenario: shop, settings: resolver });
  const shards = await Promise.all(
    [0, 1].map((shard) =>
      whole.another({
        settings: `cluster: {totalShards: 2}${resolver}`,
        host: { name: `e-${shard}`, nodeName: undefined },
      }),
    ),
  );
  await Promise.all([whole, ...shards].map((exporter) => exporter.synced()));
  await whole.clock.advance(settleMs);
  return {
    whole,
    shards,
    [Symbol.asyncDispose]: async () => {
      for (const exporter of [...shards, whole]) await exporter[Symbol.asyncDispose]();
    },
  };
}

async function scrapes({ whole, shards }: Exporters) {
  const [ofWhole, ...ofShards] = await Promise.all([whole, ...shards].map((exporter) => exporter.scrape()));
  if (ofWhole === undefined) throw new Error('no scrape');
  return { ofWhole, ofShards };
}

/** Series in which the shards together differ from the whole. */
async function difference(exporters: Exporters): Promise<readonly string[]> {
  const { ofWhole, ofShards } = await scrapes(exporters);
  const [expected, actual] = [seriesOf(ofWhole), combinedSeries(ofShards)];
  const keys = new Set([...expected.keys(), ...actual.keys()]);
  return [...keys].filter((key) => expected.get(key) !== actual.get(key));
}

it('shards together serve exactly what one exporter of the whole cluster serves', async () => {
  await using exporters = await start();
  const { ofWhole, ofShards } = await scrapes(exporters);
  expect(seriesOf(ofWhole).size).toBeGreaterThan(200);
  expect(combinedSeries(ofShards)).toEqual(seriesOf(ofWhole));
  expect(ofWhole.value('workload_pods', { namespace: 'shop', workload: 'web', workload_type: 'deployment' })).toBe(6);
  for (const [shard, scraped] of ofShards.entries()) {
    const names = scraped.samples('node_data_available').map(({ labels }) => labels['node']);
    expect(names).toEqual(ownNodes(shard));
    expect(names.length).toBeGreaterThan(0);
    expect(scraped.samples('node_absent_info')).toEqual([]);
  }
});

it('shards hand over a pod that is re-created under the same name on a node of another shard', async () => {
  await using exporters = await start();
  await scrapes(exporters);
  const { model } = exporters.whole.cluster;
  const from = ownNodes(0)[0] ?? '';
  const to = ownNodes(1)[0] ?? '';
  const index = nodes.indexOf(from);
  model.deletePod('shop', `web-5d4f8-${index}`);
  model.addPod(web(index, to));
  await exporters.whole.clock.advance(settleMs);
  const nodesOf = async () =>
    (await scrapes(exporters)).ofShards.map((scraped) =>
      scraped
        .samples('pod_used_bytes')
        .flatMap(({ labels }) => (labels['pod'] === `web-5d4f8-${index}` ? labels['node'] : [])),
    );
  await expect.poll(nodesOf, { interval: 10 }).toEqual([[], [to]]);
  await expect.poll(() => difference(exporters), { interval: 10 }).toEqual([]);
});

it('shards agree with the whole on nodes that fail and pods that dangle', async () => {
  await using exporters = await start();
  const { whole } = exporters;
  await scrapes(exporters);
  await whole.cluster.setFault('node-1', 'status:500');
  await whole.cluster.setFault('node-4', 'truncated');
  await whole.cluster.setApiFault('down');
  whole.cluster.model.addPod(web(50, 'node-2'));
  whole.cluster.model.addPod(web(51, 'node-3'));
  await whole.clock.advance(ttlMs);
  const stale = await scrapes(exporters);
  expect(combinedSeries(stale.ofShards)).toEqual(seriesOf(stale.ofWhole));
  expect(stale.ofWhole.value('node_data_timestamp_seconds', { node: 'node-1' })).toBe(
    (whole.clock.nowMs() - ttlMs) / 1000,
  );
  await whole.clock.advance(2 * ttlMs);
  const { ofWhole, ofShards } = await scrapes(exporters);
  // The one pod of it runs on a node that fails: the shard without pods of it does not know that.
  const lonely = '{"namespace":"","workload":"lonely","workload_type":"selector"}';
  const expected = new Map([...seriesOf(ofWhole), [`ephemeral_storage_workload_used_bytes${lonely}`, 0]]);
  expect(combinedSeries(ofShards)).toEqual(expected);
  expect(expected.get(`ephemeral_storage_workload_data_available${lonely}`)).toBe(0);
  expect(ofWhole.value('node_data_available', { node: 'node-1' })).toBe(0);
  expect(ofWhole.value('node_absent_info', { node: 'node-4', reason: 'connection' })).toBe(1);
  expect(ofWhole.value('node_pods_dangling', { node: 'node-2' })).toBe(1);
  expect(ofWhole.value('workload_complete', { namespace: 'shop', workload: 'web', workload_type: 'deployment' })).toBe(
    0,
  );
});

describe('new settings', () => {
  const shardSettings = (shard: number, totalShards: number): string =>
    `cluster: {shard: ${shard}, totalShards: ${totalShards}}`;

  it('new settings move an exporter to another shard', async () => {
    await using exporter = await Exporter.start({ scenario: shop, settings: shardSettings(0, 2) });
    await exporter.synced();
    const measured = async () =>
      (await exporter.scrape()).samples('node_data_available').map(({ labels }) => labels['node']);
    expect(await measured()).toEqual(ownNodes(0));
    await exporter.apply(shardSettings(1, 2));
    expect(await measured()).toEqual(ownNodes(1));
    expect((await exporter.scrape()).samples('exporter_scope_info')).toMatchObject([{ labels: { shard: '1' } }]);
    await exporter.apply('');
    expect(await measured()).toEqual(nodes);
    const [info, ...others] = (await exporter.scrape()).samples('exporter_scope_info');
    expect([info?.labels, others]).toEqual([{ shard: '0', total_shards: '1', node: '' }, []]);
  });
});
