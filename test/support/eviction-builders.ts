/** Evictions for tests: each builder returns a valid object with the changes of the test. */
import type { EvictionRecord, LastUsage } from '../../src/facts/history/eviction-record.js';
import type { EvictionContext } from '../../src/facts/history/last-usage.js';
import { builder } from './builder.js';
import { aNode } from './builders.js';
import { aDeployment, aPodUsage } from './snapshot-builders.js';
import { mib } from './units.js';

const evictedAtMs = Date.UTC(2026, 0, 1, 12);

/** A pod of `shop/Deployment/cart` whose emptyDir `data` was above its limit; it was measured 20 s before. */
export function anEvictionRecord(overrides: Partial<EvictionRecord> = {}): EvictionRecord {
  const name = overrides.pod ?? 'cart-0';
  return {
    namespace: 'shop',
    pod: name,
    uid: `uid-${name}`,
    node: 'node-1',
    labels: {},
    workloads: [aDeployment('cart')],
    cause: 'emptydir_limit',
    container: '',
    volume: 'data',
    limitBytes: 100 * mib,
    message: 'Usage of EmptyDir volume "data" exceeds the limit "100Mi". ',
    evictedAtMs,
    seenAtMs: evictedAtMs + 500,
    wasSeenLive: true,
    diskPressure: false,
    lastUsage: aLastUsage(),
    ...overrides,
  };
}

export const aLastUsage = builder<LastUsage>(() => ({
  fetchedAtMs: evictedAtMs - 20_000,
  usage: aPodUsage({ usedBytes: 90 * mib }),
  ratios: [
    {
      rule: 'emptydir',
      container: '',
      volume: 'data',
      usedBytes: 80 * mib,
      limitBytes: 100 * mib,
      ratio: 0.8,
      unenforced: undefined,
    },
  ],
  samples: [
    { atMs: evictedAtMs - 75_000, usedBytes: 60 * mib },
    { atMs: evictedAtMs - 20_000, usedBytes: 90 * mib },
  ],
  growthBytesPerSecond: 571_950.5,
  limitForAnHourBytes: 2_304 * mib,
}));

/** Of a pod of `shop/Deployment/cart` that was not measured. */
export const anEvictionContext = builder<EvictionContext>(() => ({
  node: aNode({ diskPressure: false }),
  layout: { hasDedicatedImagefs: false, hasSplitImagefs: false },
  measurement: undefined,
  snapshot: undefined,
  maxAgeMs: 120_000,
  samplesOf: () => [],
  workloads: [aDeployment('cart')],
  attribution: 'measured',
}));
