// @module-tag sockets

import { describe, expect, it } from 'vitest';

import type { Rule } from '../../sim/access.js';
import { emptyScenario, type Scenario } from '../../sim/model/scenario.js';
import type { Status } from '../../src/people/query/status.js';
import { Exporter, type Scraped, settingsOf, settleMs } from '../support/exporter.js';
import { cartPod } from '../support/pod-specs.js';

const hourMs = 3_600_000;
const graceMs = 60_000;
const ttlMs = 55_000;

describe.each([
  { clock: 'set back by an hour', jumpMs: -hourMs, behindMs: 0, expectsAtOnce: false },
  // Looks as if it had been behind until now: what it says is not too late.
  { clock: 'set forward by a day', jumpMs: 24 * hourMs, behindMs: 0, expectsAtOnce: true },
  { clock: 'set once it was 20 minutes behind', jumpMs: hourMs / 3, behindMs: hourMs / 3, expectsAtOnce: false },
  { clock: 'set once it was a day behind', jumpMs: 24 * hourMs, behindMs: 24 * hourMs, expectsAtOnce: false },
])('a wall clock that is $clock', ({ jumpMs, behindMs, expectsAtOnce }) => {
  /** A measured pod on node-1, and one on node-2, which is silent. */
  const start = async (): Promise<Exporter> => {
    const exporter = await Exporter.start({
      behindMs,
      scenario: {
        ...emptyScenario('node-1', 'node-2'),
        populate: ({ model }) => {
          model.addPod(cartPod('cart-0', 'node-1'));
          model.addPod(cartPod('cart-1', 'node-2'));
        },
        faults: { 'node-2': 'status:500' },
      },
    });
    return exporter.settled();
  };
  const podsOf = (scraped: Scraped): number | undefined => scraped.value('workload_pods', { workload: 'cart' });

  it('a wall clock that is set lets pods be expected after their grace period', async () => {
    await using exporter = await start();
    exporter.clock.jumpWallTime(jumpMs);
    expect(podsOf(await exporter.scrape())).toBe(2);
    exporter.cluster.model.addPod(cartPod('cart-2', 'node-2'));
    await expect.poll(async () => (await exporter.scrape()).value('pod_workload_info', { pod: 'cart-2' })).toBe(1);
    expect(podsOf(await exporter.scrape())).toBe(expectsAtOnce ? 3 : 2);
    await exporter.clock.advance(graceMs + 1_000);
    const later = await exporter.scrape();
    expect(podsOf(later)).toBe(3);
    expect(later.value('workload_complete', { workload: 'cart' })).toBe(0);
  });

  it('a wall clock that is set does not make a summary without pods plausible', async () => {
    await using exporter = await start();
    exporter.clock.jumpWallTime(jumpMs);
    await exporter.cluster.setFault('node-1', 'empty');
    await exporter.clock.advance(ttlMs);
    const absent = (await exporter.scrape()).samples('node_absent_info').map(({ labels }) => labels);
    expect(absent).toContainEqual({ node: 'node-1', reason: 'empty' });
  });

  it('a wall clock that is set lets a pod have values as soon as its kubelet lists it', async () => {
    await using exporter = await start();
    exporter.clock.jumpWallTime(jumpMs);
    await exporter.scrape();
    await exporter.clock.advance(3_000);
    exporter.cluster.model.addPod({ ...cartPod('cart-2', 'node-1'), listedAfterMs: 20_000 });
    await expect.poll(async () => (await exporter.scrape()).value('pod_workload_info', { pod: 'cart-2' })).toBe(1);
    for (const passMs of [12_000, 15_000]) {
      expect((await exporter.scrape()).value('pod_used_bytes', { pod: 'cart-2' })).toBeUndefined();
      await exporter.clock.advance(passMs);
    }
    expect((await exporter.scrape()).value('pod_used_bytes', { pod: 'cart-2' })).toBeGreaterThan(0);
  });

  it('a wall clock that is set ages nothing on the status page', async () => {
    await using exporter = await start();
    exporter.clock.jumpWallTime(jumpMs);
    const { health, problems } = JSON.parse((await exporter.get('/api/v1/status')).text) as Status;
    expect(health.settingsAgeMs).toBe(settleMs);
    for (const { lastProgressAgeMs } of health.stores) expect(lastProgressAgeMs).toBeLessThanOrEqual(settleMs);
    expect(problems.map(({ text }) => text)).toEqual([expect.stringMatching(/node without data/)]);
  });
});

it.each(['namespaces: [shop]', 'podSelector: app=shop'])(
  'a kubelet that restarts leaves its node what it had where none of its pods is in scope: %s',
  async (scope) => {
    await using exporter = await Exporter.start({
      scenario: {
        ...emptyScenario('node-1'),
        populate: ({ model }) => void model.addPod({ ...cartPod('cart-0', 'node-1'), namespace: 'media' }),
      },
      settings: `cluster: {${scope}}`,
    });
    await exporter.settled();
    const usedBytes = async () => (await exporter.scrape()).value('node_pods_used_bytes', { filesystem: 'nodefs' });
    const beforeBytes = await usedBytes();
    expect(beforeBytes).toBeGreaterThan(0);
    await exporter.cluster.setFault('node-1', 'empty');
    await exporter.clock.advance(ttlMs);
    expect(await usedBytes()).toBe(beforeBytes);
    await exporter.clock.advance(ttlMs);
    expect(await usedBytes()).toBe(0);
  },
);

it('a node whose last pod is gone is served without pods at once, where all pods are read', async () => {
  await using exporter = await Exporter.start({
    scenario: { ...emptyScenario('node-1'), populate: ({ model }) => void model.addPod(cartPod('cart-0', 'node-1')) },
  });
  await exporter.settled();
  const usedBytes = async () => (await exporter.scrape()).value('node_pods_used_bytes', { filesystem: 'nodefs' });
  expect(await usedBytes()).toBeGreaterThan(0);
  exporter.cluster.model.deletePod('shop', 'cart-0');
  await expect.poll(async () => (await exporter.scrape()).samples('pod_workload_info')).toEqual([]);
  await exporter.clock.advance(ttlMs);
  expect(await usedBytes()).toBe(0);
});

describe('a namespace whose pods may not be listed', () => {
  const rulesFor = (...namespaces: string[]): readonly Rule[] => [
    { verbs: ['list', 'watch'], resources: ['nodes'] },
    { verbs: ['get'], resources: ['nodes/stats'] },
    { verbs: ['list', 'watch'], resources: ['pods'], namespaces },
  ];
  const settings = `
cluster: {namespaces: [shop, media, payments]}
workloads:
  controllers: true
  labels: [app]
  selectors:
    - {name: every, selector: ""}
    - {name: shop-and-media, selector: "", namespaces: [shop, media]}
`;
  const pods = ['shop', 'media', 'payments'].map((namespace) => ({
    ...cartPod('cart-0', 'node-1'),
    namespace,
    labels: { app: 'cart' },
  }));
  const scenario: Scenario = {
    ...emptyScenario('node-1'),
    populate: ({ model }) => {
      for (const pod of pods) model.addPod(pod);
    },
  };
  const start = async (...allowed: string[]): Promise<Exporter> => {
    const exporter = await Exporter.start({ scenario, settings, rules: rulesFor(...allowed) });
    for (const namespace of ['payments', ...(allowed.length === 0 ? ['shop', 'media'] : [])]) {
      await expect.poll(() => exporter.log.join(''), { interval: 5 }).toContain(`namespaces/${namespace}/pods`);
    }
    const listedCount = async () =>
      (await exporter.scrape()).samples('exporter_store_synced').filter(({ value }) => value === 1).length;
    await expect.poll(listedCount, { interval: 5 }).toBe(allowed.length + 1);
    return exporter;
  };
  const completeOf = (scraped: Scraped): Readonly<Record<string, number>> =>
    Object.fromEntries(
      scraped.samples('workload_complete').map(({ labels, value }) => {
        return [[labels['namespace'], labels['workload']].filter((text) => text !== '').join('/'), value];
      }),
    );
  const statusOf = async (exporter: Exporter): Promise<Status> =>
    JSON.parse((await exporter.get('/api/v1/status')).text) as Status;

  it('a namespace whose pods may not be listed costs nothing but its pods, from 30 s on', async () => {
    await using exporter = await start('shop', 'media');
    await exporter.clock.advance(29_999);
    expect((await exporter.get('/readyz')).status).toBe(503);
    expect((await exporter.scrape()).samples('node_data_available')).toEqual([]);
    await exporter.clock.advance(1);
    expect((await exporter.scrape()).samples('node_data_available').map(({ value }) => value)).toEqual([1]);
    await exporter.clock.advance(settleMs);
    expect((await statusOf(exporter)).problems).toMatchObject([
      {
        severity: 'warning',
        text: 'pods of namespace payments not listed (forbidden)',
        detail: 'for 3m30s; 2 workloads incomplete: cart, every',
      },
    ]);
    const scraped = await exporter.scrape();
    expect(completeOf(scraped)).toEqual({
      'shop/cart': 1,
      'media/cart': 1,
      'shop-and-media': 1,
      every: 0,
      cart: 0,
    });
    expect(scraped.value('node_pods_dangling', { node: 'node-1' })).toBe(0);
    expect(scraped.samples('node_pods_running')).toEqual([]);
    expect(
      scraped
        .samples('exporter_store_synced')
        .map(({ labels, value }) => [labels['resource'], labels['namespace'], value]),
    ).toEqual([
      ['nodes', '', 1],
      ['pods', 'media', 1],
      ['pods', 'payments', 0],
      ['pods', 'shop', 1],
    ]);
    expect(scraped.value('exporter_store_watch_connected', { resource: 'pods' })).toBe(1);
  });

  it('a namespace whose pods may not be listed is complete soon after the RoleBinding is there', async () => {
    await using exporter = await start('shop', 'media');
    await exporter.clock.advance(settleMs);
    exporter.cluster.access.setRules('exporter', rulesFor('shop', 'media', 'payments'));
    const synced = async () => {
      await exporter.clock.advance(1_000);
      return (await exporter.scrape()).value('exporter_store_synced', { namespace: 'payments' });
    };
    const startMs = exporter.clock.monotonicMs();
    await expect.poll(synced, { interval: 5, timeout: 15_000 }).toBe(1);
    expect(exporter.clock.monotonicMs() - startMs).toBeLessThanOrEqual(62_000);
    await exporter.clock.advance(ttlMs);
    const scraped = await exporter.scrape();
    expect(new Set(Object.values(completeOf(scraped)))).toEqual(new Set([1]));
    expect(scraped.samples('node_pods_running')).toEqual([]);
    expect((await statusOf(exporter)).problems).toEqual([]);
  });

  it('a namespace whose pods may not be listed does not prevent new settings', async () => {
    await using exporter = await start('shop', 'media');
    await exporter.clock.advance(settleMs);
    const applied = exporter.app.apply(settingsOf(settings.replace('payments', 'payments, secret')));
    await expect.poll(() => exporter.log.join(''), { interval: 5 }).toContain('namespaces/secret/pods');
    await exporter.clock.advance(60_000);
    await applied;
    const { problems } = await statusOf(exporter);
    expect(problems.map(({ text }) => text)).toEqual(['pods of 2 namespaces not listed (forbidden): payments, secret']);
  });

  it('an exporter is not ready when none of its namespaces may be listed', async () => {
    await using exporter = await start();
    await exporter.clock.advance(10 * settleMs);
    expect((await exporter.get('/readyz')).status).toBe(503);
    expect((await exporter.scrape()).samples('node_data_available')).toEqual([]);
  });
});

it('lists are doubted within 90 s in which kubelets report pods that they lack', async () => {
  const names = ['node-1', 'node-2'];
  const podCount = 100;
  await using exporter = await Exporter.start({
    scenario: {
      ...emptyScenario(...names),
      populate: ({ model }) => {
        for (let index = 0; index < podCount; index += 1) {
          model.addPod(cartPod(`cart-${index}`, names[index % 4 < 2 ? 0 : 1] ?? ''));
        }
      },
    },
  });
  const { cluster, clock } = exporter;
  /** Scrapes each second until there are so many nodes and pods of them; returns the time that it took. */
  const timeUntil = async (counts: readonly [nodes: number, pods: number]): Promise<number> => {
    const startMs = clock.monotonicMs();
    const counted = async (): Promise<readonly number[]> => {
      const scraped = await exporter.scrape();
      const pods = scraped.value('workload_pods_measured', { namespace: 'shop', workload: 'cart' }) ?? 0;
      const found = [scraped.samples('node_data_available').length, pods];
      if (String(found) !== String(counts)) await clock.advance(1_000);
      return found;
    };
    await expect.poll(counted, { interval: 5, timeout: 15_000 }).toEqual(counts);
    return clock.monotonicMs() - startMs;
  };
  const lists = (): readonly string[] =>
    cluster.apiRequests
      .filter(({ path, query }) => path === '/api/v1/pods' && !query.has('watch'))
      .map(({ query }) => query.get('resourceVersion') ?? 'newest');
  await exporter.settled();
  await timeUntil([2, podCount]);
  const checked = async (): Promise<readonly string[]> => {
    await clock.advance(1_000);
    await exporter.scrape();
    return lists();
  };
  await expect.poll(checked, { interval: 5 }).toHaveLength(2); // the first list
  await cluster.setApiFault('half-empty');
  cluster.dropWatches();
  cluster.model.addPod({ ...cartPod('late', 'node-1'), namespace: 'other' });
  cluster.expireResourceVersions();
  // Both nodes have half of the pods, and lose half of those.
  await timeUntil([1, podCount / 4]);
  expect(await timeUntil([2, podCount])).toBeLessThanOrEqual(95_000);
  expect(lists().at(-1)).toBe('newest');
});

it('a pod that is gone while its watch loses events is known to be gone within two minutes of being missed', async () => {
  await using exporter = await Exporter.start({
    scenario: {
      ...emptyScenario('node-1'),
      populate: ({ model }) => {
        for (const name of ['cart-0', 'cart-1']) model.addPod(cartPod(name, 'node-1'));
      },
    },
  });
  const { cluster, clock } = exporter;
  await exporter.settled();
  await exporter.scrape(); // the first list is checked
  await clock.advance(2 * graceMs);
  await exporter.scrape();
  await cluster.setApiFault('lost-events');
  cluster.model.deletePod('shop', 'cart-1');
  const startMs = clock.monotonicMs();
  const expectedPods = async (): Promise<number | undefined> => {
    await clock.advance(5_000);
    return (await exporter.scrape()).value('workload_pods', { workload: 'cart' });
  };
  await expect.poll(expectedPods, { interval: 5 }).toBe(1);
  expect(clock.monotonicMs() - startMs).toBeLessThanOrEqual(ttlMs + 2 * graceMs);
});
