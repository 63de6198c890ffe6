import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { silentLogger } from '../../src/base/logger.js';
import { WorkQueue } from '../../src/base/work-queue.js';
import type { Node, Pod } from '../../src/kube/objects.js';
import type { NodeSummary } from '../../src/kubelet/summary.js';
import { Reconciler } from '../../src/scrape/reconciler.js';
import { aNode, aNodeSummary, aPod, aPodSummary } from '../support/builders.js';
import { atOnce } from '../support/lanes.js';
import { ManualClock } from '../support/manual-clock.js';
import { unknownPods } from '../support/running-store.js';

interface Summarised {
  readonly summary: NodeSummary;
  readonly atMs: number;
}

/** A reconciler with a queue for it alone. Each node has one pod that runs for long, and its summary lists it. */
function setUp({ nodeCount = 2, ttlMs = 55_000 } = {}) {
  const clock = new ManualClock();
  const nodes = Array.from({ length: nodeCount }, (_, index) => aNode({ name: `node-${index}` }));
  const pods: Pod[] = nodes.map(({ name }, index) => aPod({ name: `cart-${index}`, nodeName: name }));
  const summaries = new Map<string, Summarised>();
  const counts: [atMs: number, knownCount: number, unknownCount: number][] = [];
  const relistedAtMs: number[] = [];
  const suspicions = unknownPods(clock, () => relistedAtMs.push(elapsedMs()));
  const startMs = clock.monotonicMs();
  const elapsedMs = (): number => clock.monotonicMs() - startMs;
  const store = {
    hasSynced: true,
    nodes: () => nodes,
    podsOn: (name: string) => pods.filter(({ nodeName }) => nodeName === name),
    unlistedNamespaces: () => [],
    findPod: (namespace: string, name: string) => pods.find((pod) => pod.namespace === namespace && pod.name === name),
    isDeleted: () => false,
  };
  const reconciler = new Reconciler({
    store,
    cache: {
      lastSummary: ({ name }) => {
        const found = summaries.get(name);
        return found && { summary: found.summary, ageMs: clock.monotonicMs() - found.atMs };
      },
    },
    lane: atOnce,
    scope: { namespaces: [], hasPodSelector: false },
    ttlMs,
    onCounts: ({ knownCount, unknownCount }) => {
      counts.push([elapsedMs(), knownCount, unknownCount]);
      suspicions.compare({ knownCount, unknownCount });
    },
    schedule: (delayMs) => {
      queue.add('reconcile', 'pods', delayMs);
    },
    clock,
  });
  const queue = new WorkQueue({
    handlers: { reconcile: (_name: string, signal: AbortSignal) => reconciler.reconcile(signal) },
    clock,
    random: () => 0,
    logger: silentLogger,
    observer: {
      taskRetried: () => {
        throw new Error('it must not fail');
      },
    },
  });
  const stop = new AbortController();
  const running = queue.run(stop.signal);
  const summarise = ({ name }: Node, names: readonly string[], ageMs = 0): void => {
    const summary = aNodeSummary({ nodeName: name, pods: names.map((pod) => aPodSummary({ name: pod })) });
    summaries.set(name, { summary, atMs: clock.monotonicMs() - ageMs });
  };
  return {
    ...{ clock, nodes, pods, store, queue, counts, relistedAtMs, summarise },
    /** Each node is asked, but silent ones. */
    scrape: (...silent: readonly string[]): void => {
      nodes.forEach((node, index) => {
        if (!silent.includes(node.name)) summarise(node, [`cart-${index}`]);
      });
      reconciler.scraped();
    },
    scrapeOnly: (): void => {
      reconciler.scraped();
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await running;
      expect(clock.sleeperCount).toBe(0);
    },
  };
}

describe('Reconciler', () => {
  it('pods are compared every 20 s while scrapes come, whatever their interval', async () => {
    await using world = setUp();
    for (let second = 0; second < 120; second += 15) {
      world.scrape();
      await world.clock.advance(15_000);
    }
    expect(world.counts).toEqual([20, 40, 60, 80, 100, 120].map((second) => [second * 1_000, 2, 0]));
    expect(world.queue.depth('reconcile')).toBe(1);
  });

  it('pods are compared until 90 s after the last scrape, and again when one comes: no timer is left', async () => {
    await using world = setUp();
    world.scrape();
    await world.clock.advance(120_000);
    expect(world.counts.map(([atMs]) => atMs)).toEqual([20_000, 40_000, 60_000, 80_000]);
    expect(world.clock.sleeperCount).toBe(0);
    await world.clock.advance(3_600_000);
    world.scrape();
    await world.clock.advance(20_000);
    expect(world.counts.slice(4)).toEqual([[3_740_000, 2, 0]]);
  });

  it('pods are not compared before nodes and pods have been listed', async () => {
    await using world = setUp();
    world.store.hasSynced = false;
    world.scrape();
    await world.clock.advance(20_000);
    expect(world.counts).toEqual([]);
    world.store.hasSynced = true;
    await world.clock.advance(20_000);
    expect(world.counts).toHaveLength(1);
  });

  it('pods of many nodes are all compared, in turns of the event loop', async () => {
    await using world = setUp({ nodeCount: 300 });
    world.scrape();
    await world.clock.advance(20_000);
    expect(world.counts).toEqual([[20_000, 300, 0]]);
  });
});

/** Kubelets respond to a scrape a little later. */
const responseMs = 50;

it('pods are listed again within 85 s of a list without any pod while there is a scrape in each minute', async () => {
  const seconds = (min: number, max: number) =>
    fc.integer({ min: min * 10, max: max * 10 }).map((tenths) => tenths * 100);
  await fc.assert(
    fc.asyncProperty(seconds(5, 60), seconds(1, 180), async (intervalMs, emptyAtMs) => {
      await using world = setUp();
      const startMs = world.clock.monotonicMs();
      const until = async (atMs: number): Promise<void> => {
        const isEmptied = world.pods.length > 0 && emptyAtMs <= atMs;
        if (isEmptied) await world.clock.advance(startMs + emptyAtMs - world.clock.monotonicMs());
        if (isEmptied) world.pods.length = 0;
        await world.clock.advance(startMs + atMs - world.clock.monotonicMs());
      };
      for (let atMs = 0; atMs < emptyAtMs + 150_000; atMs += intervalMs) {
        world.scrapeOnly();
        await until(atMs + responseMs);
        world.nodes.forEach((node, index) => {
          world.summarise(node, [`cart-${index}`]);
        });
        await until(atMs + intervalMs);
      }
      const [relistedAtMs = Infinity] = world.relistedAtMs;
      expect(relistedAtMs - emptyAtMs).toBeGreaterThanOrEqual(60_000);
      expect(relistedAtMs - emptyAtMs).toBeLessThanOrEqual(85_000);
    }),
    { numRuns: 100 },
  );
});

describe('Reconciler: nodes that count neither way', () => {
  it('a node without a summary counts neither way: nothing looks healthier', async () => {
    await using world = setUp();
    world.scrape('node-1');
    await world.clock.advance(20_000);
    expect(world.counts).toEqual([[20_000, 1, 0]]);
  });

  it.each([
    [55_000, 59_999, 1],
    [55_000, 60_000, 0],
    [300_000, 299_999, 1],
    [300_000, 300_000, 0],
  ])('with cache.ttl of %d ms, a summary that is %d ms old counts as %d known', async (ttlMs, ageMs, knownCount) => {
    await using world = setUp({ nodeCount: 1, ttlMs });
    world.summarise(aNode({ name: 'node-0' }), ['cart-0'], ageMs - 20_000);
    world.scrapeOnly();
    await world.clock.advance(20_000);
    expect(world.counts).toEqual([[20_000, knownCount, 0]]);
  });
});
