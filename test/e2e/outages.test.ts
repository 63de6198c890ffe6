// @module-tag sockets

import { describe, expect, it } from 'vitest';

import type { Rule } from '../../sim/access.js';
import { emptyScenario, type Scenario } from '../../sim/model/scenario.js';
import type { CacheFault } from '../../sim/simulated-faults.js';
import type { Status } from '../../src/people/status/status.js';
import { cartPod } from '../support/cart-pod.js';
import { Exporter, type Scraped, settingsOf, settleMs } from '../support/exporter.js';

const hourMs = 3_600_000;
const graceMs = 60_000;
const ttlMs = 55_000;

it('a hundred silent nodes are one line in the log, with their number and examples', async () => {
  const names = Array.from({ length: 100 }, (_, index) => `node-${String(index).padStart(2, '0')}`);
  await using exporter = await Exporter.start({ scenario: emptyScenario(...names) });
  await exporter.synced();
  for (const name of names) await exporter.cluster.setFault(name, 'down');
  const scraped = await exporter.scrape();
  expect(scraped.samples('node_absent_info')).toHaveLength(100);
  await exporter.clock.advance(1_000);
  const lines = exporter.log.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  expect(lines.filter(({ level }) => level === 'warn')).toEqual([
    expect.objectContaining({
      msg: 'failed to scrape kubelets',
      nodeCount: 100,
      nodes: 'node-00, node-01, node-02 and 97 more',
      reason: 'connection',
    }),
  ]);
});

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

  it('a namespace whose pods may not be listed is named by /readyz, which is ready from 30 s on', async () => {
    await using exporter = await start('shop', 'media');
    await exporter.clock.advance(30_000);
    const [ready, verbose] = await Promise.all([exporter.get('/readyz'), exporter.get('/readyz?verbose')]);
    expect(ready.status).toBe(200);
    expect(ready.text).toMatch(/^ok, without pods in payments: not listed yet: .*forbidden/);
    expect(verbose.text.trimEnd().split('\n')).toEqual([
      '[+]nodes ok: watched, last progress 30s ago',
      '[+]pods in media ok: watched, last progress 30s ago',
      expect.stringMatching(/^\[-\]pods in payments: not listed yet: .*forbidden.* \(ready without it\)$/),
      '[+]pods in shop ok: watched, last progress 30s ago',
      '[+]running ok',
      'readyz check passed',
    ]);
  });

  it('a namespace whose pods may not be listed is the headline of the page, with its cost and what to do', async () => {
    await using exporter = await start('shop', 'media');
    await exporter.clock.advance(settleMs);
    await exporter.scrape();
    const { problems, isReady, cluster, health } = await statusOf(exporter);
    expect(isReady).toBe(true);
    expect(problems).toEqual([
      {
        severity: 'critical',
        text: 'pods of namespace payments not listed (forbidden)',
        detail: 'for 3m; 2 workloads incomplete: cart, every',
        hint: expect.stringMatching(/RoleBinding in payments/) as string,
        section: 'trust',
      },
    ]);
    expect(cluster?.summary.unlistedNamespaceCount).toBe(1);
    expect(health.unlisted).toEqual([
      {
        resource: 'pods',
        namespace: 'payments',
        reason: 'forbidden',
        message: expect.stringContaining('RBAC rule') as string,
        forMs: settleMs,
      },
    ]);
    const page = (await exporter.get('/')).text;
    expect(page).toContain('pods of namespace payments not listed (forbidden)');
    expect(page).not.toMatch(/class="ok"><dt>(?:Running pods measured|Pods)/);
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

it('a watch that loses events is found out by a list: what it lost is there within three minutes', async () => {
  const names = Array.from({ length: 20 }, (_, index) => `cart-${index}`);
  const scenario: Scenario = {
    ...emptyScenario('node-1'),
    populate: ({ model }) => {
      for (const name of names) model.addPod(cartPod(name, 'node-1'));
    },
  };
  await using exporter = await Exporter.start({ scenario });
  await exporter.settled();
  const shown = async (): Promise<readonly (number | undefined)[]> => {
    const scraped = await exporter.scrape();
    const families = ['exporter_store_objects', 'exporter_store_drift_total', 'exporter_store_watch_connected'];
    return families.map((family) => scraped.value(family, { resource: 'pods' }));
  };
  expect(await shown()).toEqual([20, 0, 1]);
  await exporter.cluster.setApiFault('lost-events');
  exporter.cluster.model.deletePod('shop', 'cart-0');
  for (const name of ['late-1', 'late-2', 'late-3']) exporter.cluster.model.addPod(cartPod(name, 'node-1'));
  await exporter.clock.advance(settleMs);
  await exporter.cluster.setApiFault(undefined);
  const startMs = exporter.clock.monotonicMs();
  const corrected = async (): Promise<number | undefined> => {
    await exporter.clock.advance(60_000);
    return (await shown())[1];
  };
  await expect.poll(corrected, { interval: 5, timeout: 15_000 }).toBe(4);
  expect(exporter.clock.monotonicMs() - startMs).toBeLessThanOrEqual(240_000);
  expect(await shown()).toEqual([22, 4, 1]);
  expect(exporter.log.join('')).toContain('the store differed from the API server: a list has corrected it');
});

describe('an exporter that starts while lists are not complete', () => {
  const scenario: Scenario = {
    ...emptyScenario('node-1', 'node-2'),
    populate: ({ model }) => {
      for (let index = 0; index < 16; index += 1) model.addPod(cartPod(`cart-${index}`, `node-${(index % 2) + 1}`));
    },
  };
  const podsOf = (scraped: Scraped): readonly (number | undefined)[] =>
    ['nodes', 'pods'].map((resource) => scraped.value('exporter_store_objects', { resource }));

  it.each<CacheFault>(['empty', 'half-empty'])('an exporter with %s lists is complete in 3 minutes', async (fault) => {
    await using first = await Exporter.start({ scenario });
    await first.synced();
    await first.cluster.setApiFault(fault);
    await using exporter = await first.another();
    await exporter.synced();
    await first.cluster.setApiFault(undefined);
    const startMs = exporter.clock.monotonicMs();
    const isWhole = async (): Promise<readonly (number | undefined)[]> => {
      await exporter.clock.advance(15_000);
      return podsOf(await exporter.scrape());
    };
    await expect.poll(isWhole, { interval: 5, timeout: 15_000 }).toEqual([2, 16]);
    expect(exporter.clock.monotonicMs() - startMs).toBeLessThanOrEqual(180_000);
  });
});

describe('lists of a server that has lost objects from its cache', () => {
  const names = ['node-1', 'node-2'];
  const scenario = (podCount: number): Scenario => ({
    ...emptyScenario(...names),
    populate: ({ model }) => {
      for (let index = 0; index < podCount; index += 1) {
        model.addPod(cartPod(`cart-${index}`, names[index % 4 < 2 ? 0 : 1] ?? ''));
      }
    },
  });
  const podsOf = (scraped: Scraped): number =>
    scraped.value('workload_pods_measured', { namespace: 'shop', workload: 'cart' }) ?? 0;
  const nodesOf = (scraped: Scraped): number => scraped.samples('node_data_available').length;

  /** Scrapes each second until the condition holds; returns the time that it took. */
  const timeUntil = async (exporter: Exporter, holds: (scraped: Scraped) => boolean): Promise<number> => {
    const startMs = exporter.clock.monotonicMs();
    const check = async (): Promise<boolean> => {
      const scraped = await exporter.scrape();
      if (holds(scraped)) return true;
      await exporter.clock.advance(1_000);
      return false;
    };
    await expect.poll(check, { interval: 5, timeout: 15_000 }).toBe(true);
    return exporter.clock.monotonicMs() - startMs;
  };

  const listsOf = ({ cluster }: Exporter): readonly string[] =>
    cluster.apiRequests
      .filter(({ path, query }) => path === '/api/v1/pods' && !query.has('watch'))
      .map(({ query }) => query.get('resourceVersion') ?? 'newest');

  /** Both nodes have half of the pods, and lose half of those. The store lists again. */
  const start = async (podCount: number, fault: CacheFault): Promise<Exporter> => {
    const exporter = await Exporter.start({ scenario: scenario(podCount) });
    await exporter.settled();
    await timeUntil(exporter, () => listsOf(exporter).length === 2); // the first one is checked
    expect(podsOf(await exporter.scrape())).toBe(podCount);
    await exporter.cluster.setApiFault(fault);
    exporter.cluster.dropWatches();
    exporter.cluster.model.addPod({ ...cartPod('late', 'node-1'), namespace: 'other' });
    exporter.cluster.expireResourceVersions();
    return exporter;
  };
  it.each([4, 50])('lists that lack objects remove none of %d pods and no node when empty', async (podCount) => {
    await using exporter = await start(podCount, 'empty');
    const dropped = (): number => exporter.log.filter((line) => line.includes('dropped a list without most')).length;
    const isWrong = (scraped: Scraped): boolean => podsOf(scraped) !== podCount || nodesOf(scraped) !== 2;
    await timeUntil(exporter, (scraped) => dropped() === 2 || isWrong(scraped));
    expect(isWrong(await exporter.scrape())).toBe(false);
    expect((await exporter.get('/readyz')).status).toBe(200);
  });

  it('lists are doubted within 90 s in which kubelets report pods that they lack', async () => {
    await using exporter = await start(100, 'half-empty');
    await timeUntil(exporter, (scraped) => nodesOf(scraped) === 1 && podsOf(scraped) === 25);
    expect(await timeUntil(exporter, (scraped) => podsOf(scraped) === 100)).toBeLessThanOrEqual(95_000);
    expect(nodesOf(await exporter.scrape())).toBe(2);
    expect(listsOf(exporter).at(-1)).toBe('newest');
  });

  it('lists are not doubted while nobody scrapes', async () => {
    await using exporter = await start(100, 'half-empty');
    await timeUntil(exporter, (scraped) => podsOf(scraped) === 25);
    await exporter.clock.advance(60_000); // the list in place of the version that has expired
    const lists = listsOf(exporter);
    for (let minute = 0; minute < 10; minute += 1) await exporter.clock.advance(60_000);
    expect(listsOf(exporter)).toEqual(lists);
  });
});

describe('pods of kubelets that no list contains', () => {
  const scenario = (unknownCount: number): Scenario => ({
    ...emptyScenario('node-1'),
    populate: ({ model }) => {
      model.addPod(cartPod('cart-0', 'node-1'));
      for (let index = 0; index < unknownCount; index += 1) {
        model.addPod({ ...cartPod(`other-${index}`, 'node-1'), namespace: 'other' });
      }
    },
  });

  it.each(['cluster:\n  namespaces: [shop]', 'cluster:\n  podSelector: example.com/none=set'])(
    'pods of kubelets that are out of scope cause no list: %j',
    async (settings) => {
      await using exporter = await Exporter.start({ scenario: scenario(30), settings });
      await exporter.synced();
      for (let minute = 0; minute < 5; minute += 1) {
        await exporter.clock.advance(60_000);
        await exporter.scrape();
      }
      const newest = exporter.cluster.apiRequests.filter(
        ({ query }) => !query.has('watch') && !query.has('resourceVersion'),
      );
      expect(newest).toEqual([]);
    },
  );
});
