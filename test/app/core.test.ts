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
import { never } from '../support/signals.js';

const nodes = Array.from({ length: 20 }, (_, index) => aNode({ name: `node-${index}` }));

const noPods: readonly Pod[] = [];

/** Twenty nodes of two pods each, whose kubelets respond at once. */
function setUp() {
  const clock = new ManualClock();
  const lookups: LookupResult[] = [];
  const pods = new Map<string, readonly Pod[]>();
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
      findPod: () => undefined,
    },
    cache,
    clock,
  });
  const scrape = async (options: CollectOptions = { onView: () => undefined }) => {
    const snapshot = await collector.collect(never, options);
    if (snapshot === undefined) throw new Error('nothing collected');
    return snapshot;
  };
  return { scrape, lookups, pods };
}

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
