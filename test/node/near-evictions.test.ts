import { setMaxListeners } from 'node:events';

import { describe, expect, it } from 'vitest';

import { Random } from '../../sim/model/random.js';
import type { Node, Pod } from '../../src/cluster/kube/objects.js';
import { identityOf } from '../../src/cluster/kube/pod-identity.js';
import type { KubeletCache } from '../../src/cluster/kubelet/kubelet-cache.js';
import { noEvictionsSeen } from '../../src/facts/history/eviction-snapshot.js';
import { nearestNodes, nodeEvictionMs, podEvictionMs } from '../../src/facts/node/near-evictions.js';
import type { PodLister } from '../../src/facts/node/node-snapshot.js';
import { Scheduler } from '../../src/lib/base/scheduler.js';
import { aContainer, anFsStats, aNode, aNodeSummary, aPod, aPodSummary } from '../support/builders.js';
import { aCore } from '../support/core.js';
import { settingsOf } from '../support/exporter.js';
import { aKubeletCache } from '../support/kubelet-caches.js';
import { ManualClock } from '../support/manual-clock.js';
import { queuedRefresher } from '../support/queued-refresher.js';
import { aLimitRatio, aMeasuredPod, aNodeThreshold } from '../support/snapshot-builders.js';

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

describe('podEvictionMs and nodeEvictionMs', () => {
  const ratio = (usedBytes: number) => aLimitRatio({ usedBytes, limitBytes: 1_000 });
  const uncrossed = (headroom: number) => aNodeThreshold({ threshold: 100, headroom, isCrossed: false });

  it.each([
    { pods: 'without a limit', used: [], bytesPerSecond: 0, expected: undefined },
    { pods: 'just below 80 % of its limit', used: [799], bytesPerSecond: 0, expected: undefined },
    { pods: 'at 80 % of its limit', used: [800], bytesPerSecond: 0, expected: Infinity },
    { pods: 'at 80 % of its limit that shrinks', used: [800], bytesPerSecond: -5, expected: Infinity },
    { pods: 'at its limit', used: [1_000], bytesPerSecond: 0, expected: Infinity },
    { pods: 'above its limit', used: [1_001], bytesPerSecond: 0, expected: 0 },
    { pods: 'that reaches its limit in time', used: [450], bytesPerSecond: 5, expected: 110_000 },
    { pods: 'that reaches its limit too late', used: [440], bytesPerSecond: 5, expected: undefined },
    { pods: 'that is near and grows slowly', used: [900], bytesPerSecond: 1, expected: 100_000 },
    { pods: 'with several limits', used: [10, 990, 500], bytesPerSecond: 10, expected: 1_000 },
  ])('the time to an eviction of a pod $pods is $expected ms', ({ used, bytesPerSecond, expected }) => {
    const pod = aMeasuredPod({ ratios: used.map(ratio) });
    expect(podEvictionMs(pod, new Map([[pod.summary, bytesPerSecond]]), 55_000)).toBe(expected);
  });

  it.each([
    { unenforced: 'exempt', expected: undefined },
    { unenforced: 'memory_medium', expected: undefined },
    { unenforced: 'dedicated_imagefs', expected: 0 },
    { unenforced: undefined, expected: 0 },
  ] as const)('only a limit that can bind has a time to an eviction: $unenforced', ({ unenforced, expected }) => {
    const limit = { ...ratio(2_000), unenforced };
    expect(podEvictionMs(aMeasuredPod({ ratios: [limit] }), new Map(), 55_000)).toBe(expected);
    const unknown = aMeasuredPod({ pod: undefined, ratios: [ratio(2_000)] });
    expect(podEvictionMs(unknown, new Map(), 55_000)).toBeUndefined();
  });

  it.each([
    { threshold: uncrossed(25), expected: undefined },
    { threshold: uncrossed(24), expected: Infinity },
    { threshold: aNodeThreshold(), expected: 0 },
  ])('a disk $threshold.headroom above its threshold has $expected ms to an eviction', ({ threshold, expected }) => {
    expect(nodeEvictionMs([aMeasuredPod()], [threshold])).toBe(expected);
  });

  it.each([
    { crossesInMs: 110_000, headroom: 900, expected: 110_000 },
    { crossesInMs: 110_001, headroom: 900, expected: undefined },
    { crossesInMs: undefined, headroom: 900, expected: undefined },
    { crossesInMs: 9_000, headroom: 24, expected: 9_000 },
  ])('a disk that would be full in $crossesInMs ms is near within two TTLs', ({ crossesInMs, headroom, expected }) => {
    expect(nodeEvictionMs([], [uncrossed(headroom)], { crossesInMs, ttlMs: 55_000 })).toBe(expected);
  });
});

it.each([
  { nodeCount: 5, nearCount: 5, expectedCount: 5 },
  { nodeCount: 40, nearCount: 40, expectedCount: 10 },
  { nodeCount: 1_000, nearCount: 900, expectedCount: 100 },
  { nodeCount: 5_000, nearCount: 900, expectedCount: 100 },
  { nodeCount: 1_000, nearCount: 3, expectedCount: 3 },
])('the nearest of $nearCount nodes in $nodeCount are $expectedCount', ({ nodeCount, nearCount, expectedCount }) => {
  const nodes = new Map(Array.from({ length: nearCount }, (_, index) => [`n${index}`, 0]));
  expect(nearestNodes(nodes, nodeCount).size).toBe(expectedCount);
});

it('the nearest nodes are those that evict first, then in the given order', () => {
  const times = [Infinity, 3, Infinity, 0, 2, 2, 1, 9, 8, 7, 6, 5];
  const nodes = new Map(times.map((timeMs, index) => [String(index), timeMs]));
  expect([...nearestNodes(nodes, 12)].join(' ')).toBe('3 6 4 5 1 11 10 9 8 7');
});

const mebibyte = 2 ** 20;
const limitBytes = 1_024 * mebibyte;

/** The bytes that a pod uses: as many as at its start until `fillsAtMs`, then growing at one speed. */
interface SimulatedUsage {
  readonly initialBytes: number;
  readonly fillsAtMs: number;
  readonly bytesPerMs: number;
  /** When its kubelet evicts it: 9 to 15 s after it exceeds its limit, as on real nodes. */
  readonly evictedAtMs: number;
}

interface SimulationOptions {
  /** Of all pods. */
  readonly growingShare: number;
  /** Usage of the others as a share of the limit: up to this one. */
  readonly maxSteadyRatio: number;
  readonly nearTtl: string;
}

/** 20 minutes of a cluster of 100 nodes with 10 pods each, a limit on each pod, and scrapes every 15 s. */
class Simulation implements PodLister {
  readonly hasSynced = true;
  readonly #options: SimulationOptions;
  readonly #random = new Random(1);
  readonly #clock = new ManualClock({ nowMs: 0, monotonicMs: 0 });
  readonly #nodes: readonly Node[];
  readonly #pods = new Map<string, readonly Pod[]>();
  readonly #usage = new Map<string, SimulatedUsage>();
  #requestCount = 0;
  #evictedCount = 0;
  #seenCount = 0;

  constructor(options: SimulationOptions) {
    this.#options = options;
    this.#nodes = Array.from({ length: 100 }, (_, index) => aNode({ name: `node-${index}` }));
    for (const { name } of this.#nodes) this.#pods.set(name, this.#podsOf(name));
  }

  async run() {
    const { clock, cache, collector, queued } = this.#exporter();
    const stop = new AbortController();
    setMaxListeners(0, stop.signal);
    const running = queued?.queue.run(stop.signal);
    for (const { name } of this.#nodes) {
      for (const pod of this.podsOn(name)) void this.#evictInTime(pod, cache, stop.signal);
    }
    for (let scrape = 0; scrape < 80; scrape++) {
      queued?.refresher.expectScrape();
      await collector.collect(stop.signal);
      await clock.advance(15_000);
    }
    stop.abort();
    await running;
    return {
      evictions: this.#evictedCount,
      seen: this.#seenCount / this.#evictedCount,
      requests: this.#requestCount,
    };
  }

  nodes(): Iterable<Node> {
    return this.#nodes;
  }

  podsOn(nodeName: string): readonly Pod[] {
    return this.#pods.get(nodeName) ?? [];
  }

  boundNodeNames(): Iterable<string> {
    return this.#pods.keys();
  }

  unlistedNamespaces(): readonly string[] {
    return [];
  }

  findPod(_namespace: string, name: string): Pod | undefined {
    return this.podsOn(name.split('.')[1] ?? '').find((pod) => pod.name === name);
  }

  isDeleted(): boolean {
    return false;
  }

  #exporter() {
    const clock = this.#clock;
    const config = settingsOf(`cache: {nearTtl: ${this.#options.nearTtl}}`);
    const { ttlMs, nearTtlMs } = config.cache;
    const scheduler = new Scheduler(clock);
    const cache = aKubeletCache({
      requests: scheduler.requests,
      ttlMs,
      nearTtlMs,
      maxConcurrentRequests: 64,
      fetchSummary: ({ name }) => Promise.resolve(this.#summary(name)),
      fetchConfiguration: undefined,
      expectsPods: () => false,
      clock,
      observer: { lookedUp: () => undefined },
      onNearNode: (name) => queued?.refresher.mayBeDue(name),
      logger: silent,
    });
    const evictions = { snapshot: () => noEvictionsSeen };
    const setNearNodes = (names: ReadonlySet<string>): void => {
      cache.setNearNodes(names);
    };
    const { collector } = aCore({ config, store: this, cache, evictions, setNearNodes, scheduler, clock });
    const nearNodes = (): readonly Node[] => this.#nodes.filter(({ name }) => cache.nearNodeNames.has(name));
    const queued =
      nearTtlMs === 0
        ? undefined
        : queuedRefresher({ ttlMs, nearTtlMs, maxConcurrentRefreshes: 64, cache, nodes: nearNodes, clock });
    return { clock, cache, collector, queued };
  }

  #podsOf(nodeName: string): readonly Pod[] {
    return Array.from({ length: 10 }, (_, index) => {
      const pod = aPod({ name: `pod-${index}.${nodeName}`, nodeName, containers: [aContainer({ limitBytes })] });
      this.#usage.set(pod.uid, this.#randomUsage());
      return pod;
    });
  }

  /** A growing pod starts at any time and takes from 45 s to an hour for its limit, short times being as likely as long ones. */
  #randomUsage(): SimulatedUsage {
    const { growingShare, maxSteadyRatio } = this.#options;
    const initialBytes = this.#random.next() * maxSteadyRatio * limitBytes;
    if (this.#random.next() >= growingShare)
      return { initialBytes, fillsAtMs: Infinity, bytesPerMs: 0, evictedAtMs: Infinity };
    const fillsAtMs = 60_000 + this.#random.next() * 900_000;
    const durationMs = 45_000 * 80 ** this.#random.next();
    const startBytes = this.#random.next() * 0.3 * limitBytes;
    const evictedAtMs = fillsAtMs + durationMs + 9_000 + this.#random.next() * 6_000;
    return { initialBytes: startBytes, fillsAtMs, bytesPerMs: (limitBytes - startBytes) / durationMs, evictedAtMs };
  }

  #summary(nodeName: string) {
    this.#requestCount += 1;
    const nowMs = this.#clock.monotonicMs();
    return aNodeSummary({
      nodeName,
      nodefs: anFsStats({ capacityBytes: 2 ** 40, availableBytes: 2 ** 39, usedBytes: 2 ** 39 }),
      pods: this.podsOn(nodeName).map(({ name, uid }) => {
        const { initialBytes, fillsAtMs, bytesPerMs } = this.#usage.get(uid) ?? this.#randomUsage();
        const grownBytes = nowMs > fillsAtMs ? (nowMs - fillsAtMs) * bytesPerMs : 0;
        return aPodSummary({ name, usedBytes: Math.round(initialBytes + grownBytes), startTimeMs: -86_400_000 });
      }),
    });
  }

  async #evictInTime(pod: Pod, cache: KubeletCache, signal: AbortSignal): Promise<void> {
    const { uid, nodeName = '' } = pod;
    const { evictedAtMs = Infinity } = this.#usage.get(uid) ?? {};
    if (evictedAtMs === Infinity) return;
    await this.#clock.sleep(evictedAtMs, signal).catch(() => undefined);
    if (signal.aborted) return;
    this.#evictedCount += 1;
    const last = cache.history(nodeName)?.find(identityOf(pod))?.summary.usedBytes ?? 0;
    if (last > limitBytes) this.#seenCount += 1;
    this.#pods.set(
      nodeName,
      this.podsOn(nodeName).filter((other) => other.uid !== uid),
    );
  }
}

it.each([
  { growingShare: 0.04, maxSteadyRatio: 0.7 },
  { growingShare: 0.1, maxSteadyRatio: 0.7 },
])('evictions for limits are measured before they happen: $growingShare of the pods grow', async (cluster) => {
  const plain = await new Simulation({ ...cluster, nearTtl: '0' }).run();
  const near = await new Simulation({ ...cluster, nearTtl: '10s' }).run();
  expect(near.evictions).toBeGreaterThan(20);
  expect(plain.seen).toBeLessThan(0.4);
  expect(near.seen).toBeGreaterThanOrEqual(0.9);
  expect(near.requests / plain.requests).toBeLessThanOrEqual(1.5);
});

it('nodes cost at most half of the requests more when all have a pod near its limit', async () => {
  const cluster = { growingShare: 0, maxSteadyRatio: 1 };
  const plain = await new Simulation({ ...cluster, nearTtl: '0' }).run();
  const near = await new Simulation({ ...cluster, nearTtl: '10s' }).run();
  expect(near.requests / plain.requests).toBeGreaterThan(1.25);
  expect(near.requests / plain.requests).toBeLessThanOrEqual(1.5);
});
