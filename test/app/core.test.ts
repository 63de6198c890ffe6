import { expect, it } from 'vitest';

import type { Pod } from '../../src/cluster/kube/objects.js';
import type { LookupResult } from '../../src/cluster/kubelet/kubelet-cache.js';
import type { CollectOptions } from '../../src/facts/scrape/collector.js';
import { silentLogger } from '../../src/lib/base/logger.js';
import { Scheduler } from '../../src/lib/base/scheduler.js';
import { aNode, aNodeSummary, aPod, aPodSummary } from '../support/builders.js';
import { aCore } from '../support/core.js';
import { isLetGo } from '../support/heap.js';
import { aKubeletCache } from '../support/kubelet-caches.js';
import { ManualClock } from '../support/manual-clock.js';

const nodes = Array.from({ length: 20 }, (_, index) => aNode({ name: `node-${index}` }));

const noPods: readonly Pod[] = [];

/** Twenty nodes of two pods each, whose kubelets respond at once. */
function setUp() {
  const clock = new ManualClock();
  const derived = new Set<string>();
  const lookups: LookupResult[] = [];
  const pods = new Map<string, readonly Pod[]>();
  const whenDerived: { on: () => void } = { on: () => undefined };
  const scheduler = new Scheduler(clock);
  const cache = aKubeletCache({
    requests: scheduler.requests,
    ...{ ttlMs: 55_000, nearTtlMs: 0, maxConcurrentRequests: 100, fetchConfiguration: undefined, clock },
    fetchSummary: ({ name }) => {
      const pods = ['a', 'b'].map((pod) => aPodSummary({ name: pod, namespace: name, uid: `${pod} on ${name}` }));
      return Promise.resolve(aNodeSummary({ nodeName: name, pods }));
    },
    expectsPods: () => false,
    observer: { lookedUp: (result) => void lookups.push(result) },
    logger: silentLogger,
  });
  const { collector } = aCore({
    scheduler,
    store: {
      hasSynced: true,
      nodes: () => nodes,
      podsOn: (nodeName) => pods.get(nodeName) ?? noPods,
      boundNodeNames: () => [],
      unlistedNamespaces: () => [],
      isDeleted: () => false,
      findPod: (nodeName) => {
        derived.add(nodeName);
        whenDerived.on();
        return undefined;
      },
    },
    cache,
    clock,
  });
  const signal = new AbortController().signal;
  const scrape = async (options: CollectOptions = { onView: () => undefined }, until = signal) => {
    const snapshot = await collector.collect(until, options);
    if (snapshot === undefined) throw new Error('nothing collected');
    return snapshot;
  };
  return { scrape, derived, whenDerived, lookups, pods };
}

it('a scrape derives nothing after its deadline: the other nodes have no data yet', async () => {
  const { scrape, derived, whenDerived } = setUp();
  const deadline = new AbortController();
  whenDerived.on = () => {
    if (derived.size === 5) deadline.abort();
  };
  const { nodes: states } = await scrape(undefined, deadline.signal);
  expect(derived.size).toBe(5);
  const count = (state: string) => states.filter((node) => node.state === state).length;
  expect([count('fresh'), count('absent')]).toEqual([5, 15]);
  whenDerived.on = () => undefined;
  expect((await scrape()).nodes.map(({ state }) => state)).toEqual(nodes.map(() => 'fresh'));
});

it('a scrape lets go of what takes the most memory of a pod as soon as text was made of it', async () => {
  const { scrape } = setUp();
  const derived: WeakRef<object>[] = [];
  const snapshot = await scrape({
    onView: (_view, ofPods) => {
      for (const pod of ofPods.values()) derived.push(new WeakRef(pod));
    },
  });
  expect(derived).toHaveLength(40);
  expect(await isLetGo(...derived)).toBe(true);
  expect(snapshot.nodes).toHaveLength(20);
});

it('a scrape looks each node up once, also one with fresh data of which not all is derived yet', async () => {
  const { scrape, lookups, pods } = setUp();
  await scrape();
  expect(lookups.splice(0)).toEqual(nodes.map(() => 'refreshed'));
  pods.set('node-7', [aPod({ nodeName: 'node-7' })]);
  await scrape();
  expect(lookups.splice(0)).toEqual(nodes.map(() => 'fresh'));
});
