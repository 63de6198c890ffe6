import { describe, expect, it } from 'vitest';

import type { Node } from '../../src/cluster/kube/objects.js';
import { refreshesAhead } from '../../src/cluster/kubelet/background-refresher.js';
import type { Lane } from '../../src/lib/base/lane.js';
import { silentLogger } from '../../src/lib/base/logger.js';
import { Scheduler } from '../../src/lib/base/scheduler.js';
import { aNode, aNodeSummary } from '../support/builders.js';
import { aKubeletCache } from '../support/kubelet-caches.js';
import { atOnce } from '../support/lanes.js';
import { ManualClock } from '../support/manual-clock.js';
import { queuedRefresher } from '../support/queued-refresher.js';
import { never } from '../support/signals.js';

const ttlMs = 55_000;

function setUp(nodes: Node[], nearTtlMs = 0, maxConcurrentRequests = 1_000) {
  const clock = new ManualClock();
  const requestsMs = new Map<string, number[]>();
  const lookups: string[] = [];
  const cache = aKubeletCache({
    ttlMs,
    nearTtlMs,
    fetchSummary: async ({ name }, signal) => {
      const earlier = requestsMs.get(name) ?? [];
      requestsMs.set(name, [...earlier, clock.monotonicMs()]);
      await clock.sleep(20 + ((earlier.length * 37) % 200), signal);
      return aNodeSummary({ nodeName: name });
    },
    fetchConfiguration: undefined,
    requests: atOnce,
    maxConcurrentRequests,
    expectsPods: () => false,
    clock,
    observer: { lookedUp: (result) => lookups.push(result) },
    onNearNode: (name) => {
      refresher.mayBeDue(name);
    },
    logger: silentLogger,
  });
  const { refresher, queue } = queuedRefresher({
    cache,
    nodes: () => nodes,
    maxConcurrentRefreshes: maxConcurrentRequests,
    ttlMs,
    nearTtlMs,
    clock,
  });
  const stop = new AbortController();
  const running = queue.run(stop.signal);
  return {
    clock,
    cache,
    refresher,
    queue,
    requestsMs,
    /** The results of one scrape's lookups. */
    scrape: async (): Promise<string[]> => {
      refresher.expectScrape();
      lookups.length = 0;
      const gets = nodes.map((node) => cache.get(node, never));
      await clock.advance(1_000);
      await Promise.all(gets);
      return lookups.slice();
    },
    requestCount: () => [...requestsMs.values()].flat().length,
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      cache[Symbol.dispose]();
      await running;
      expect(clock.sleeperCount).toBe(0);
    },
  };
}

function nodesNamed(count: number): Node[] {
  return Array.from({ length: count }, (_, index) => aNode({ name: `ip-10-0-${index >> 8}-${index & 255}` }));
}

interface NearNodesOptions {
  readonly clock: ManualClock;
  readonly nodes?: readonly Node[];
  readonly background?: Lane;
  readonly maxConcurrentRefreshes?: number;
  readonly maySend?: () => boolean;
  readonly send?: () => Promise<void>;
}

/** Nodes with the shorter TTL, one unless told otherwise, whose kubelets respond at once unless `send` does not. */
function nearNodes({ clock, nodes = nodesNamed(1), background = atOnce, ...options }: NearNodesOptions) {
  const { maxConcurrentRefreshes = 1, maySend = () => true, send = () => Promise.resolve() } = options;
  const requestsMs: number[] = [];
  const requestedAtMs = new Map<string, number>();
  const { refresher, queue } = queuedRefresher({
    cache: {
      refreshInBackground: async ({ name }) => {
        if (!maySend()) return;
        requestsMs.push(clock.monotonicMs());
        requestedAtMs.set(name, clock.monotonicMs());
        await send();
      },
      nextAttemptAtMs: ({ name }) => {
        const atMs = requestedAtMs.get(name);
        return atMs === undefined ? undefined : atMs + ttlMs;
      },
      hasShortTtl: () => true,
    },
    nodes: () => nodes,
    background,
    maxConcurrentRefreshes,
    ttlMs,
    nearTtlMs: 0,
    clock,
  });
  const stop = new AbortController();
  const running = queue.run(stop.signal);
  return {
    refresher,
    queue,
    requestsMs,
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await running;
    },
  };
}

it.each([
  [99, false],
  [100, true],
])('%i nodes are refreshed ahead: %j', (nodeCount, isAhead) => {
  expect(refreshesAhead(nodeCount)).toBe(isAhead);
});

describe('BackgroundRefresher', () => {
  it('no node is asked before the first scrape', async () => {
    await using world = setUp(nodesNamed(5));
    await world.clock.advance(10 * ttlMs);
    expect(world.requestCount()).toBe(0);
  });

  it.each([15_000, 30_000, 60_000, 90_000])(
    'scrapes every %i ms find fresh data, but of a node being asked',
    async (intervalMs) => {
      await using world = setUp(nodesNamed(100));
      expect(new Set(await world.scrape())).toEqual(new Set(['refreshed']));
      await world.clock.advance(intervalMs - 1_000);
      let lookupCount = 0;
      let freshCount = 0;
      for (let elapsedMs = 0; elapsedMs < 30 * 60_000; elapsedMs += intervalMs) {
        const results = await world.scrape();
        expect(results.filter((result) => result !== 'fresh' && result !== 'refreshed')).toEqual([]);
        // Counted once the nodes have had the time to find their phase.
        if (elapsedMs > 15 * 60_000) {
          lookupCount += results.length;
          freshCount += results.filter((result) => result === 'fresh').length;
        }
        await world.clock.advance(intervalMs - 1_000);
      }
      expect(freshCount / lookupCount).toBeGreaterThan(0.95);
    },
  );

  it('requests are spread over the TTL', async () => {
    await using world = setUp(nodesNamed(300));
    for (let round = 0; round < 20; round++) {
      await world.scrape();
      await world.clock.advance(59_000);
    }
    const sinceMs = world.clock.monotonicMs() - ttlMs;
    const buckets = Array.from({ length: 10 }, () => 0);
    for (const timeMs of [...world.requestsMs.values()].flat().filter((time) => time >= sinceMs)) {
      const index = Math.min(9, Math.floor(((timeMs - sinceMs) / ttlMs) * 10));
      buckets[index] = (buckets[index] ?? 0) + 1;
    }
    expect(Math.min(...buckets)).toBeGreaterThan(10);
    expect(Math.max(...buckets)).toBeLessThan(60);
  });

  it('refreshing stops three TTLs after the last scrape and goes on with the next one', async () => {
    await using world = setUp(nodesNamed(1));
    await world.scrape();
    await world.clock.advance(3 * ttlMs);
    const count = world.requestCount();
    expect(count).toBeGreaterThanOrEqual(2);
    expect(count).toBeLessThanOrEqual(3);
    expect([world.queue.depth(), world.clock.sleeperCount]).toEqual([0, 0]);
    await world.clock.advance(20 * ttlMs);
    expect(world.requestCount()).toBe(count);
    world.refresher.expectScrape();
    await world.clock.advance(ttlMs);
    expect(world.requestCount()).toBe(count + 1);
  });

  it('a node with a shorter TTL is asked that often, out of phase, and the others as before', async () => {
    await using world = setUp(nodesNamed(3), 10_000);
    const [near, ...others] = [...nodesNamed(3)].map(({ name }) => name);
    world.cache.setNearNodes(new Set([near ?? '']));
    for (let round = 0; round < 20; round++) {
      await world.scrape();
      await world.clock.advance(14_000);
    }
    expect(world.requestsMs.get(near ?? '')?.length).toBeGreaterThanOrEqual(27);
    expect(world.requestsMs.get(near ?? '')?.length).toBeLessThanOrEqual(31);
    for (const name of others) expect(world.requestsMs.get(name)?.length).toBeLessThanOrEqual(6);
  });

  it('refreshing waits while a scrape runs, but no longer than 10 s', async () => {
    const clock = new ManualClock();
    const scheduler = new Scheduler(clock);
    await using world = nearNodes({ clock, background: scheduler.background });
    const scrape = scheduler.begin();
    world.refresher.expectScrape();
    await clock.advance(1_000);
    expect(world.requestsMs).toEqual([]);
    scrape[Symbol.dispose]();
    await clock.advance(ttlMs - 1);
    expect(world.requestsMs).toHaveLength(1);
    scheduler.begin();
    await clock.advance(9_999);
    expect(world.requestsMs).toHaveLength(1);
    await clock.advance(1);
    expect(world.requestsMs).toHaveLength(2);
  });

  it('a node that is not due any longer waits for no scrape', async () => {
    const clock = new ManualClock();
    const scheduler = new Scheduler(clock);
    await using world = nearNodes({ clock, background: scheduler.background });
    world.refresher.expectScrape();
    await clock.advance(1_000);
    expect(world.requestsMs).toHaveLength(1);
    scheduler.begin();
    expect(await world.refresher.refresh('ip-10-0-0-0')).toBeGreaterThan(0);
  });

  it('a node that cannot be asked is tried now and then, and nothing waits for it', async () => {
    const clock = new ManualClock();
    let isSlotFree = false;
    await using world = nearNodes({ clock, maySend: () => isSlotFree });
    const { refresher, queue, requestsMs } = world;
    refresher.expectScrape();
    await clock.advance(20_000);
    expect([requestsMs, queue.oldestRun, queue.depth()]).toEqual([[], undefined, 1]);
    isSlotFree = true;
    const freeAtMs = clock.monotonicMs();
    await clock.advance(20_000);
    expect(requestsMs).toHaveLength(1);
    expect((requestsMs[0] ?? NaN) - freeAtMs).toBeLessThanOrEqual(ttlMs / 5);
  });

  it('many nodes that are due at once are asked nearly as fast as the slots allow', async () => {
    await using world = setUp(nodesNamed(600), 0, 10);
    world.refresher.expectScrape();
    const fastestMs = (600 / 10) * 20;
    await world.clock.advance(fastestMs + 3_000);
    expect(world.requestCount()).toBe(600);
  });

  it('each of many nodes that are due at once is looked at once', async () => {
    const clock = new ManualClock();
    const inProgress = { count: 0, most: 0, calls: 0 };
    const send = async (): Promise<void> => {
      inProgress.calls += 1;
      inProgress.most = Math.max(inProgress.most, ++inProgress.count);
      await clock.sleep(100, never);
      inProgress.count -= 1;
    };
    await using world = nearNodes({ clock, nodes: nodesNamed(600), maxConcurrentRefreshes: 10, send });
    world.refresher.expectScrape();
    await clock.advance(10_000);
    expect(inProgress).toEqual({ count: 0, most: 10, calls: 600 });
  });

  it('a node that has left is asked no more', async () => {
    const nodes = nodesNamed(2);
    await using world = setUp(nodes);
    await world.scrape();
    const [left] = nodes.splice(0, 1);
    await world.clock.advance(2 * ttlMs);
    expect(world.requestsMs.get(left?.name ?? '')).toHaveLength(1);
    expect(world.queue.depth()).toBe(1);
  });

  it('a node that appears is asked', async () => {
    const nodes = nodesNamed(1);
    await using world = setUp(nodes);
    await world.scrape();
    const added = aNode({ name: 'new' });
    nodes.push(added);
    world.refresher.mayBeDue('new');
    await world.clock.advance(1_000);
    expect((await world.cache.get(added, AbortSignal.abort())).state).toBe('fresh');
  });
});
