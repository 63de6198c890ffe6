// @module-tag sockets

import path from 'node:path';

import { expect, it } from 'vitest';

import type { Rule } from '../../sim/access.js';
import { emptyScenario, type Scenario } from '../../sim/model/scenario.js';
import { addDaemonSet } from '../../sim/model/simulated-workloads.js';
import type { PodSpec } from '../../sim/model/specs.js';
import type { EvictionReport } from '../../src/people/report/eviction-report.js';
import { Exporter, type ExporterOptions, settingsOf } from '../support/exporter.js';
import { containerSpec } from '../support/pod-specs.js';
import { temporaryFolder } from '../support/programs.js';
import { mib } from '../support/units.js';

const minuteMs = 60_000;

/** Grows by 6 MiB a minute, and is above its limit in the fourth minute. */
const agent = {
  namespace: 'ops',
  name: 'agent',
  nodeNames: ['node-1', 'node-2'],
  containers: [
    containerSpec(0, 0, {
      ...{ name: 'agent', limitBytes: 20 * mib },
      rootfs: { initialBytes: 0, bytesPerSecond: mib / 10 },
    }),
  ],
};

const cart: PodSpec = {
  namespace: 'shop',
  name: 'cart-0',
  nodeName: 'node-1',
  owner: { kind: 'StatefulSet', name: 'cart' },
  containers: [containerSpec(mib, mib, { mounts: ['data'] })],
  volumes: [{ name: 'data', source: 'emptyDir', sizeLimitBytes: 10 * mib, content: { initialBytes: 4 * mib } }],
};

const emptyDirMessage = 'Usage of EmptyDir volume "data" exceeds the limit "10Mi". ';

const scenario: Scenario = {
  ...emptyScenario('node-1', 'node-2'),
  populate: ({ model }) => {
    model.addPod(cart);
  },
};

async function start(options: ExporterOptions = {}): Promise<Exporter> {
  const exporter = await Exporter.start({ scenario, ...options });
  return exporter.synced();
}

/** Scrapes once a minute. */
async function scrapeFor(exporter: Exporter, minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    await exporter.clock.advance(minuteMs);
    await exporter.scrape();
  }
}

async function evictionsOf(exporter: Exporter): Promise<readonly EvictionReport[]> {
  const answer = await exporter.get('/api/v1/evictions');
  expect(answer.status).toBe(200);
  const { items } = JSON.parse(answer.text) as { readonly items: readonly (EvictionReport & { ageMs?: number })[] };
  return items.map((eviction) => ({ ...eviction, ageMs: undefined }));
}

async function evict(exporter: Exporter, message: string, name = 'cart-0', waitMs = 5_000): Promise<void> {
  const pod = exporter.cluster.model.pods.find(({ spec }) => spec.name === name);
  if (pod === undefined) throw new Error(`no pod ${name}`);
  exporter.cluster.model.evictPod(pod, { message, isForNode: false });
  await exporter.clock.advance(waitMs);
}

async function recorded(exporter: Exporter, count: number): Promise<readonly EvictionReport[]> {
  await expect.poll(async () => (await evictionsOf(exporter)).length, { interval: 5 }).toBe(count);
  return evictionsOf(exporter);
}

const cartLabels = { namespace: 'shop', workload: 'cart', workload_type: 'statefulset' };

it('an eviction of a DaemonSet pod that is deleted at once is counted, and has its last values', async () => {
  await using exporter = await start({
    scenario: {
      ...emptyScenario('node-1', 'node-2'),
      populate: (context) => {
        addDaemonSet(context, agent);
      },
    },
  });
  const labels = { namespace: 'ops', workload: 'agent', workload_type: 'daemonset', cause: 'pod_limit' };
  await scrapeFor(exporter, 3);
  expect((await exporter.scrape()).value('workload_evictions_total', labels)).toBe(0);
  await exporter.clock.advance(minuteMs);
  const evictions = await recorded(exporter, 2);
  const scraped = await exporter.scrape();
  expect(scraped.value('workload_evictions_total', labels)).toBe(2);
  expect(new Set(evictions.map(({ node }) => node))).toEqual(new Set(['node-1', 'node-2']));
  for (const { namespace, pod, node, evictedAtMs, lastUsage, ...eviction } of evictions) {
    expect(exporter.cluster.model.pods.map(({ spec }) => spec.name)).not.toContain(pod);
    expect(scraped.value('node_evictions_total', { node, cause: 'pod_limit' })).toBe(1);
    expect(eviction).toMatchObject({
      cause: 'pod_limit',
      limitBytes: 20 * mib,
      workloads: [{ workload: 'agent', workloadType: 'daemonset', workloadNamespace: 'ops' }],
    });
    if (lastUsage === undefined) throw new Error('no last usage');
    const { usedBytes = 0, limits, samples, growthBytesPerSecond = 0, limitForAnHourBytes } = lastUsage;
    expect(limits).toMatchObject([
      { rule: 'pod', limitBytes: 20 * mib },
      { rule: 'container', container: 'agent' },
    ]);
    expect(usedBytes).toBeGreaterThan(15 * mib);
    expect(usedBytes).toBeLessThan(25 * mib);
    expect(samples.length).toBeGreaterThan(3); // more often than every minute, as the eviction was near
    expect(growthBytesPerSecond / (mib / 10)).toBeCloseTo(1, 0);
    expect(limitForAnHourBytes).toBeUndefined(); // far above twice the peak
    const ofPod = { namespace, pod, node, cause: 'pod_limit' };
    expect(scraped.value('pod_evicted_used_bytes', ofPod)).toBe(usedBytes);
    expect(scraped.value('pod_evicted_limit_bytes', ofPod)).toBe(20 * mib);
    expect(scraped.value('pod_evicted_timestamp_seconds', ofPod)).toBe(evictedAtMs / 1000);
  }
});

it('an eviction reported long after the pod is forgotten has its last values, also over a reload', async () => {
  await using exporter = await start();
  exporter.cluster.model.addPod({ ...cart, name: 'cart-1' });
  await scrapeFor(exporter, 3);
  await exporter.cluster.setApiFault('down');
  await evict(exporter, emptyDirMessage);
  await scrapeFor(exporter, 1);
  const measured = (await exporter.scrape()).samples('pod_used_bytes').map(({ labels }) => labels['pod']);
  expect(measured).toEqual(['cart-1']);
  await exporter.apply('cache: {ttl: 50s}');
  await exporter.cluster.setApiFault(undefined);
  await exporter.clock.advance(30_000);
  expect((await recorded(exporter, 1))[0]?.lastUsage).toMatchObject({ components: { emptydir: 4 * mib } });
  const labels = { ...cartLabels, cause: 'emptydir_limit' };
  expect((await exporter.scrape()).value('workload_evictions_total', labels)).toBe(1);
});

it('an eviction outlives new settings of the source, and leaves when its namespace is out of scope', async () => {
  await using exporter = await start();
  await scrapeFor(exporter, 3);
  await evict(exporter, emptyDirMessage);
  const [before] = await recorded(exporter, 1);
  await exporter.apply('cache: {ttl: 30s}');
  expect(await evictionsOf(exporter)).toEqual([before]);
  const scraped = await exporter.scrape();
  expect(scraped.value('workload_evictions_total', { ...cartLabels, cause: 'emptydir_limit' })).toBe(1);
  await exporter.apply('cluster: {namespaces: [ops]}');
  expect(await evictionsOf(exporter)).toEqual([]);
});

it('an eviction that a shorter retention had forgotten is listed with a longer one, while the pod is there', async () => {
  await using exporter = await start({ settings: 'evictions: {retention: 1m}' });
  await evict(exporter, emptyDirMessage, 'cart-0', 2 * minuteMs);
  expect(await evictionsOf(exporter)).toEqual([]);
  for (const [retention, listed] of [
    ['1h', [{ pod: 'cart-0' }]],
    ['1m', []],
  ] as const) {
    await exporter.apply(`evictions: {retention: ${retention}}`);
    await exporter.clock.advance(1_000);
    expect(await evictionsOf(exporter)).toMatchObject(listed);
  }
});

it('an eviction of a scope is not listed by a reload that fails, at no time', async () => {
  const rules: readonly Rule[] = [
    { verbs: ['list', 'watch'], resources: ['nodes'] },
    { verbs: ['list', 'watch'], resources: ['pods'], namespaces: ['shop', 'billing'] },
  ];
  await using exporter = await start({ settings: 'cluster: {namespaces: [shop]}', rules });
  exporter.cluster.model.addPod({ ...cart, namespace: 'billing', name: 'bill-0' });
  for (const name of ['cart-0', 'bill-0']) await evict(exporter, emptyDirMessage, name);
  exporter.cluster.access.setRules('exporter', rules.slice(1));
  const wanted = settingsOf('cluster: {namespaces: [billing], nodeSelector: role}');
  const outcome = exporter.app.apply(wanted).catch((error: unknown) => error);
  await expect
    .poll(() => exporter.cluster.apiRequests.map(({ path: asked }) => asked))
    .toContain('/api/v1/namespaces/billing/pods');
  for (let second = 0; second < 61; second += 1) {
    await exporter.clock.advance(1_000);
    expect((await evictionsOf(exporter)).map(({ pod }) => pod)).toEqual(['cart-0']);
  }
  expect(await outcome).toMatchObject({ message: expect.stringContaining('nodes could not be listed') as string });
});

it('an eviction has series for an hour, and is listed for a day', async () => {
  await using exporter = await start();
  await evict(exporter, emptyDirMessage);
  await recorded(exporter, 1);
  await exporter.clock.advance(54 * minuteMs);
  expect((await exporter.scrape()).samples('pod_evicted_timestamp_seconds')).toHaveLength(1);
  await exporter.clock.advance(6 * minuteMs);
  expect((await exporter.scrape()).samples('pod_evicted_timestamp_seconds')).toEqual([]);
  expect(await evictionsOf(exporter)).toMatchObject([{ pod: 'cart-0' }]);
});

it('an eviction is listed with its last values after a restart, once, and not counted again', async () => {
  await using folder = await temporaryFolder();
  const settings = `evictions: {file: ${path.join(folder.path, 'evictions.json')}}`;
  await using cluster = await start();
  for (const name of ['cart-1', 'last']) cluster.cluster.model.addPod({ ...cart, name });
  const first = await (await cluster.another({ settings })).synced();
  await scrapeFor(first, 3);
  await evict(first, emptyDirMessage);
  await recorded(first, 1);
  await evict(first, emptyDirMessage, 'last', 3_000);
  const before = await recorded(first, 2); // the last one is not in the file yet
  expect(before).toMatchObject([{ pod: 'last' }, { pod: 'cart-0', lastUsage: { components: { emptydir: 4 * mib } } }]);
  await first[Symbol.asyncDispose]();

  await using second = await cluster.another({ settings });
  await second.synced();
  expect(await evictionsOf(second)).toEqual(before); // the pod is still there, and listed
  const labels = { ...cartLabels, cause: 'emptydir_limit' };
  const ofPod = { namespace: 'shop', pod: 'cart-0', cause: 'emptydir_limit' };
  const scraped = await second.scrape();
  expect(scraped.value('workload_evictions_total', labels)).toBe(0);
  expect(scraped.value('node_evictions_total', { node: 'node-1', cause: 'emptydir_limit' })).toBe(0);
  expect(scraped.value('pod_evicted_used_bytes', ofPod)).toBe(before[1]?.lastUsage?.usedBytes);

  await second.clock.advance(60 * minuteMs);
  expect((await second.scrape()).samples('pod_evicted_used_bytes')).toEqual([]);
  expect(await evictionsOf(second)).toEqual(before);
});

it('an eviction of before can be read while the API server is away since the start, and pages say what is not known', async () => {
  await using folder = await temporaryFolder();
  const settings = `evictions: {file: ${path.join(folder.path, 'evictions.json')}}`;
  await using cluster = await start();
  const first = await (await cluster.another({ settings })).synced();
  await evict(first, emptyDirMessage);
  const [before] = await recorded(first, 1);
  await first[Symbol.asyncDispose]();
  await cluster.cluster.setApiFault('down');

  await using second = await cluster.another({ settings });
  await expect
    .poll(async () => {
      await second.clock.advance(1_000);
      return (await second.get('/readyz')).text;
    })
    .toContain('connection');
  const why = 'The API server has not answered since the exporter started at';
  const last = /Evictions are those known so far, the last at [^<"]* UTC: later ones may be missing\./;
  const pages = ['/', '/evictions', '/problems', `/evictions/${before?.uid ?? ''}`];
  for (const address of [...pages, '/api/v1/evictions', '/api/v1/status', `/api/v1${pages[3] ?? ''}`]) {
    const { status, text } = await second.get(address);
    expect([address, status]).toEqual([address, 200]);
    expect([address, text]).toEqual([address, expect.stringContaining(why)]);
    expect([address, text]).toEqual([address, expect.stringMatching(last)]);
    if (address !== '/problems') expect([address, text]).toEqual([address, expect.stringContaining('cart-0')]);
  }
  expect(await evictionsOf(second)).toEqual([before]);
  for (const address of ['/nodes', '/pods', '/workloads', '/namespaces', '/search?search=cart', '/pods/shop/cart-0']) {
    for (const form of [address, `/api/v1${address}`]) {
      const { status, text } = await second.get(form);
      expect([form, status, text]).toEqual([form, 503, expect.stringContaining(why)]);
    }
  }
  expect((await second.get('/api/v1/evictions/none')).status).toBe(503);
  expect((await second.scrape()).samples('pod_evicted_timestamp_seconds')).toEqual([]);

  await using others = await cluster.another({ settings: `${settings}\ncluster: {namespaces: [ops]}` });
  const { status, text } = await others.get('/api/v1/evictions');
  expect([status, JSON.parse(text)]).toEqual([200, expect.objectContaining({ totalCount: 0 })]);
  expect((await others.get('/')).text).toContain('No eviction is known from before');
});
