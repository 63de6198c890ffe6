// @module-tag sockets

import { describe, expect, it } from 'vitest';

import { emptyScenario, type Scenario } from '../../sim/model/scenario.js';
import type { PodSpec } from '../../sim/model/specs.js';
import type { Status } from '../../src/people/query/status.js';
import { Exporter, type ExporterOptions, settleMs } from '../support/exporter.js';
import { containerSpec } from '../support/pod-specs.js';
import { mib } from '../support/units.js';

const ttlMs = 55_000;

const web = (name: string, nodeName: string, more: Partial<PodSpec> = {}): PodSpec => ({
  namespace: 'shop',
  name,
  nodeName,
  labels: { app: 'web', 'pod-template-hash': '5d4f8' },
  owner: { kind: 'ReplicaSet', name: 'web-5d4f8' },
  containers: [containerSpec(90 * mib, 3 * mib, { limitBytes: 100 * mib })],
  ...more,
});

const shop: Scenario = {
  ...emptyScenario('node-1', 'node-2'),
  populate: ({ model }) => {
    model.addPod(web('web-5d4f8-1', 'node-1'));
    model.addPod(web('web-5d4f8-2', 'node-2'));
  },
};

async function start(options: ExporterOptions = {}): Promise<Exporter> {
  const exporter = await Exporter.start({ scenario: shop, ...options });
  return exporter.settled();
}

async function statusOf(exporter: Exporter): Promise<Status> {
  const answer = await exporter.get('/api/v1/status');
  expect(answer.status).toBe(200);
  return JSON.parse(answer.text) as Status;
}

describe('the status of a cluster', () => {
  it('the status of a cluster has the same values as the metrics', async () => {
    await using exporter = await start();
    const { cluster } = await statusOf(exporter);
    const scraped = await exporter.scrape();
    expect(cluster?.nearPods.items.map(({ pod, nearestLimit: of }) => [pod, of?.rule, of?.ratio])).toEqual(
      ['web-5d4f8-1', 'web-5d4f8-2'].map((pod) => [pod, 'pod', scraped.value('limit_ratio', { pod, rule: 'pod' })]),
    );
    expect(cluster?.summary).toMatchObject({ freshNodeCount: 2, expectedPodCount: 2, measuredPodCount: 2 });
  });

  it('the status of a cluster reports dropped families as long as they are dropped', async () => {
    await using exporter = await start({ settings: 'metrics: {maxSeries: 40}' });
    await exporter.scrape();
    const { problems, health } = await statusOf(exporter);
    expect(problems.map(({ text }) => text)).toContainEqual(expect.stringContaining('dropped by metrics.maxSeries'));
    expect(health.droppedFamilies).not.toEqual([]);
    await exporter.apply('metrics: {maxSeries: 5000}');
    await exporter.scrape();
    await exporter.clock.advance(1_000);
    expect((await statusOf(exporter)).health.droppedFamilies).toEqual([]);
  });

  it('the status keeps what was last known of a silent node, of pods that are there, out of all metrics', async () => {
    await using exporter = await start();
    exporter.cluster.model.addPod(web('web-5d4f8-3', 'node-2'));
    await exporter.clock.advance(settleMs);
    await statusOf(exporter);
    await exporter.cluster.setFault('node-2', 'status:500');
    await exporter.clock.advance(2 * ttlMs);
    const { cluster, problems } = await statusOf(exporter);
    expect(problems.find(({ id }) => id === 'node_without_data')?.detail).toMatch(
      /^last data 1m50s ago; 2 pods not measured, 1 workload incomplete: shop\/web$/,
    );
    const facts = { node: 'node-2', dataState: 'absent', dataAgeMs: 2 * ttlMs, absenceReason: 'http_status' };
    const items = async () =>
      (JSON.parse((await exporter.get('/api/v1/pods?node=node-2')).text) as { readonly items: { pod: string }[] })
        .items;
    const pods = async () => (await items()).map(({ pod }) => pod);
    expect(await items()).toContainEqual(expect.objectContaining({ ...facts, pod: 'web-5d4f8-3' }));
    expect(await pods()).toEqual(['web-5d4f8-2', 'web-5d4f8-3']);
    expect(cluster?.summary).toMatchObject({ podCount: 1, nearLimitPodCount: 3, unknownLimitPodCount: 0 });
    expect((await exporter.scrape()).samples('pod_used_bytes')).toHaveLength(1);
    exporter.cluster.model.deletePod('shop', 'web-5d4f8-3');
    await exporter.clock.advance(5_000);
    await expect.poll(pods).toEqual(['web-5d4f8-2']);
  });

  it('the status keeps what was measured of pods until a restarted kubelet has measured their volumes', async () => {
    const volumes = [
      { name: 'index', source: 'emptyDir', sizeLimitBytes: 100 * mib, content: { initialBytes: 92 * mib } },
    ] as const;
    const index = (name: string, nodeName: string): PodSpec => ({
      ...web(name, nodeName),
      containers: [containerSpec(mib, 0, { mounts: ['index'], limitBytes: 3_000 * mib })],
      volumes,
    });
    const scenario: Scenario = {
      ...shop,
      populate: ({ model }) => {
        model.addPod(index('index-0', 'node-1'));
        model.addPod(index('index-1', 'node-2'));
      },
    };
    await using exporter = await start({ scenario, settings: 'cache: {ttl: 10s}\nkubelet: {requestTimeout: 5s}' });
    await statusOf(exporter);
    for (const node of ['node-1', 'node-2']) await exporter.cluster.setFault(node, 'restarted');
    await exporter.clock.advance(10_000);
    const { cluster } = await statusOf(exporter);
    const scraped = await exporter.scrape();
    expect(scraped.samples('pod_volume_stats_pending').map(({ value }) => value)).toEqual([1, 1]);
    const listed = JSON.parse((await exporter.get('/api/v1/pods?search=index')).text) as {
      items: { nearestLimit?: object }[];
    };
    expect(listed.items.map(({ nearestLimit }) => nearestLimit)).toEqual([undefined, undefined]);
    expect(cluster?.nearPods.totalCount).toBe(0);
    expect(cluster?.summary).toMatchObject({ nearLimitPodCount: 0, unknownLimitPodCount: 2, pendingPodCount: 2 });
    await exporter.clock.advance(settleMs);
    const after = await statusOf(exporter);
    expect(after.problems.map(({ text }) => text)).toEqual(['2 pods near a limit']);
    const nearest = { rule: 'emptydir', volume: 'index', ratio: 0.92 };
    expect(after.cluster?.nearPods.items[0]).toMatchObject({
      state: 'measured',
      dataState: 'fresh',
      nearestLimit: nearest,
    });
  });

  it('the status shows an API server that is away as one problem, with nodes that cannot check tokens', async () => {
    await using exporter = await start();
    await statusOf(exporter);
    await exporter.cluster.setApiFault('down');
    for (const node of ['node-1', 'node-2']) await exporter.cluster.setFault(node, 'status:401');
    await expect
      .poll(async () => {
        await exporter.clock.advance(10_000);
        return (await statusOf(exporter)).problems;
      })
      .toMatchObject([
        {
          severity: 'critical',
          text: 'API server not reachable',
          detail: expect.stringMatching(
            /^no events for .*; changes of nodes and pods are not seen; 2 nodes without data \(credentials not accepted\): node-1, node-2; last data .* ago; 2 pods not measured, 1 workload incomplete: shop\/web; 2 pods were near a limit or above one when last known: shop\/web-5d4f8-1, shop\/web-5d4f8-2$/,
          ) as string,
          hint: 'Check the API server and the network between it and the exporter. Without the API server, kubelets cannot check tokens. Wait until it is back.',
        },
      ]);
    const { cluster } = await statusOf(exporter);
    expect(cluster?.nodes.items[0]).toMatchObject({
      reason: 'unauthorized',
      hint: expect.stringMatching(/^Without the/) as string,
    });
  });

  it.each([
    ['status:401', 'the API server answered 401', 'does not accept the credentials'],
    ['status:403', 'the API server answered 403', 'Bind a role'],
  ] as const)('problems are shown while the API server answers %s since the start', async (fault, error, hint) => {
    await using exporter = await Exporter.start();
    await exporter.cluster.setApiFault(fault);
    for (const path of ['/problems', '/api/v1/problems', '/']) {
      await expect
        .poll(async () => {
          await exporter.clock.advance(1_000);
          return exporter.get(path);
        })
        .toMatchObject({
          status: 200,
          text: expect.stringMatching(new RegExp(`not ready: nodes, pods[^]*${error}[^]*${hint}`)) as string,
        });
    }
  });

  it('the status has the settings in effect and the scope, also after a change', async () => {
    await using exporter = await start();
    const { host } = new URL(exporter.cluster.apiUrl);
    expect(await statusOf(exporter)).toMatchObject({ scope: 'whole cluster', clusterName: host, links: [] });
    await exporter.apply(
      'cluster: {namespaces: [shop]}\ncache: {ttl: 30s}\nweb: {clusterName: prod, links: ["Grafana=https://g.example.com/"]}',
    );
    const { scope, configuration, clusterName, links } = await statusOf(exporter);
    expect({ clusterName, links }).toEqual({
      clusterName: 'prod',
      links: [{ name: 'Grafana', url: 'https://g.example.com/' }],
    });
    expect(scope).toBe('namespace shop');
    expect(configuration).toContain('ttl: 30s');
  });
});

it('a request for the status does not count as a scrape, and nothing is refreshed ahead for it', async () => {
  const names = Array.from({ length: 100 }, (_, index) => `node-${index}`);
  await using exporter = await start({ scenario: emptyScenario(...names) });
  await exporter.get('/');
  const before = exporter.requestCounts();
  await exporter.clock.advance(ttlMs * 1.5);
  for (let turn = 0; turn < 5; turn += 1) await exporter.get('/livez'); // the requests have arrived by then
  expect(exporter.requestCounts()).toEqual(before);
  const { health } = await statusOf(exporter);
  expect(health.scrapes).toEqual({ success: 0, deadline: 0, rejected: 0, aborted: 0, error: 0 });
  expect(health).not.toHaveProperty('seriesCount');
  await exporter.scrape();
  const scraped = exporter.requestCounts();
  await exporter.clock.advance(ttlMs * 1.5);
  await expect.poll(() => exporter.requestCounts()['node-1']).toBeGreaterThan(scraped['node-1'] ?? 0);
});

it('a request for the status while many nodes are first read shows how many have answered; the next one has all', async () => {
  const names = Array.from({ length: 10 }, (_, index) => `node-${index}`);
  await using exporter = await Exporter.start({ scenario: emptyScenario(...names), settings: 'cache: {ttl: 5s}' });
  await exporter.synced();
  for (const name of names.slice(4)) await exporter.cluster.setFault(name, 'slow:2000');
  const view = async (): Promise<Status> => {
    const asking = statusOf(exporter);
    await expect.poll(() => Object.values(exporter.requestCounts()).every((count) => count >= 1)).toBe(true);
    await exporter.clock.advance(500);
    return asking;
  };
  const { problems } = await view();
  const [being] = problems;
  expect(problems).toEqual([
    expect.objectContaining({ severity: 'warning', text: 'being read: 4 of 10 nodes have answered' }),
  ]);
  expect(being?.detail).toBeUndefined();
  await exporter.clock.advance(2_000);
  await expect.poll(async () => (await view()).problems).toEqual([]);
  expect(Object.values(exporter.requestCounts())).toEqual(names.map(() => 1));
});

it('a request for the status shows no age of what arrives meanwhile, and all nodes are read after it', async () => {
  const names = Array.from({ length: 80 }, (_, index) => `node-${index}`);
  await using exporter = await Exporter.start({ scenario: emptyScenario(...names) });
  await exporter.synced();
  const asking = exporter.get('/');
  await expect.poll(() => Object.values(exporter.requestCounts()).some((count) => count > 0)).toBe(true);
  await exporter.clock.advance(500);
  expect((await asking).text).not.toContain('last data 0s');
  await expect.poll(() => Object.values(exporter.requestCounts()).every((count) => count === 1)).toBe(true);
  await expect
    .poll(async () => {
      await exporter.clock.advance(250);
      return statusOf(exporter);
    })
    .toMatchObject({ problems: [], cluster: { summary: { freshNodeCount: 80 } } });
});
