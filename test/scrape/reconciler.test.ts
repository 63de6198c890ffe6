import { describe, expect, it } from 'vitest';

import { silentLogger } from '../../src/base/logger.js';
import { WorkQueue } from '../../src/base/work-queue.js';
import type { Node, Pod } from '../../src/kube/objects.js';
import type { NodeSummary } from '../../src/kubelet/summary.js';
import { Reconciler } from '../../src/scrape/reconciler.js';
import { aNode, aNodeSummary, aPod, aPodSummary } from '../support/builders.js';
import { ManualClock } from '../support/manual-clock.js';

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
    select: (all) => [...all],
    scope: { namespaces: [], hasPodSelector: false },
    ttlMs,
    onCounts: ({ knownCount, unknownCount }) => counts.push([elapsedMs(), knownCount, unknownCount]),
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
    ...{ clock, nodes, pods, store, queue, counts, summarise },
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

describe('pods are compared', () => {
  it('every 30 s while scrapes come, whatever their interval', async () => {
    await using world = setUp();
    for (let second = 0; second < 120; second += 15) {
      world.scrape();
      await world.clock.advance(15_000);
    }
    expect(world.counts).toEqual([30, 60, 90, 120].map((second) => [second * 1_000, 2, 0]));
    expect(world.queue.depth('reconcile')).toBe(1);
  });

  it('no more from a minute after the last scrape on, until one comes: no timer is left', async () => {
    await using world = setUp();
    world.scrape();
    await world.clock.advance(90_000);
    expect(world.counts.map(([atMs]) => atMs)).toEqual([30_000, 60_000]);
    expect(world.clock.sleeperCount).toBe(0);
    await world.clock.advance(3_600_000);
    world.scrape();
    await world.clock.advance(30_000);
    expect(world.counts.slice(2)).toEqual([[3_720_000, 2, 0]]);
  });

  it('not before nodes and pods have been listed', async () => {
    await using world = setUp();
    world.store.hasSynced = false;
    world.scrape();
    await world.clock.advance(30_000);
    expect(world.counts).toEqual([]);
    world.store.hasSynced = true;
    await world.clock.advance(30_000);
    expect(world.counts).toHaveLength(1);
  });

  it('all of many nodes, in turns of the event loop', async () => {
    await using world = setUp({ nodeCount: 300 });
    world.scrape();
    await world.clock.advance(30_000);
    expect(world.counts).toEqual([[30_000, 300, 0]]);
  });
});

describe('a node counts neither way', () => {
  it('without a summary: nothing looks healthier', async () => {
    await using world = setUp();
    world.scrape('node-1');
    await world.clock.advance(30_000);
    expect(world.counts).toEqual([[30_000, 1, 0]]);
  });

  it.each([
    [55_000, 59_999, 1],
    [55_000, 60_000, 0],
    [300_000, 299_999, 1],
    [300_000, 300_000, 0],
  ])('with cache.ttl of %d ms and a summary that is %d ms old: %d known', async (ttlMs, ageMs, knownCount) => {
    await using world = setUp({ nodeCount: 1, ttlMs });
    world.summarise(aNode({ name: 'node-0' }), ['cart-0'], ageMs - 30_000);
    world.scrapeOnly();
    await world.clock.advance(30_000);
    expect(world.counts).toEqual([[30_000, knownCount, 0]]);
  });
});
