import { expect, it } from 'vitest';

import { wholeCluster } from '../../src/cluster/kube/scope.js';
import { PodHistory } from '../../src/cluster/kubelet/pod-history.js';
import { EvictionLog } from '../../src/facts/history/eviction-log.js';
import { NodeTrackers } from '../../src/facts/node/node-trackers.js';
import { WorkloadResolver } from '../../src/facts/workload/workload-resolver.js';
import type { Core } from '../../src/serve/app/core.js';
import { EvictionTracker } from '../../src/serve/app/eviction-tracker.js';
import { loadText } from '../config/support.js';
import { aContainerSummary, anFsStats, aNode, aNodeSummary, aPod, aPodSummary } from '../support/builders.js';
import { anEvictionRecord } from '../support/eviction-builders.js';
import { ManualClock } from '../support/manual-clock.js';
import { aFreshLookup, podsOfNode, trackerOptions } from '../support/tracker-options.js';

it('reports of evictions are made once, and the same array until there is another eviction', () => {
  const clock = new ManualClock();
  const log = new EvictionLog({ retentionMs: 60_000, maxRecords: 2 }, clock);
  const tracker = new EvictionTracker(log, () => expect.unreachable());
  const evict = (pod: string): void => {
    log.restore([...log.records, anEvictionRecord({ pod, evictedAtMs: clock.nowMs(), seenAtMs: clock.nowMs() })]);
  };
  evict('cart-0');
  const first = tracker.reports();
  expect(tracker.reports()).toBe(first);
  evict('cart-1');
  expect(tracker.reports().map(({ pod }) => pod)).toEqual(['cart-0', 'cart-1']);
  expect(tracker.reports()[0]).toBe(first[0]);
});

it('an eviction has the verdict of its node as last derived, by the growth of its pods', () => {
  const clock = new ManualClock();
  const log = new EvictionLog({ retentionMs: 60_000, maxRecords: 2 }, clock);
  const pod = aPod();
  const containers = [aContainerSummary({ rootfsBytes: 30, logsBytes: 0 })];
  const nodefs = anFsStats({ capacityBytes: 100, availableBytes: 5, usedBytes: 95 });
  const history = new PodHistory({ clock, keepDepartedMs: () => 60_000 });
  const summaries = [10, 30].map((usedBytes) =>
    aNodeSummary({ nodefs, pods: [aPodSummary({ usedBytes, containers })] }),
  );
  for (const [turn, summary] of summaries.entries()) history.add(summary, turn * 60_000, turn * 60_000);
  const resolver = new WorkloadResolver({ selectors: [], labels: [], controllers: false });
  const trackers = new NodeTrackers(trackerOptions({ pods: podsOfNode(() => [pod]), resolver }));
  const [, summary = aNodeSummary()] = summaries;
  trackers.of(aNode()).view(aNode(), aFreshLookup(summary));
  const message = 'The node was low on resource: ephemeral-storage. Threshold quantity: 10, available: 5. ';
  const object = aPod({ phase: 'Failed', eviction: { message, atMs: clock.nowMs() } });
  const place = { store: { findNode: () => aNode() }, cache: { history: () => history } };
  const core = { config: loadText(''), place, trackers, resolver } as unknown as Core;
  new EvictionTracker(log, () => core).podChanged({ object, previous: pod, isInitial: false }, core);
  expect(log.records[0]?.nodeVerdict).toMatchObject({
    shortage: { missing: 5, isAssumed: false },
    first: { amount: 30, growth: { bytes: 20, durationMs: 60_000 } },
  });
});

it.each([
  ['a namespace', { config: loadText('cluster: {namespaces: [ops]}'), scope: wholeCluster }],
  ['a node', { config: loadText(''), scope: { ...wholeCluster, nodeName: 'node-9' } }],
])('nothing of %s out of scope is forgotten before a reload ends, also when it fails', async (_what, settings) => {
  const log = new EvictionLog({ retentionMs: 60_000, maxRecords: 2 }, new ManualClock());
  log.restore([anEvictionRecord({ namespace: 'shop', evictedAtMs: Date.UTC(2026, 0, 1) })]);
  const store = { findNode: () => aNode(), mayBeGone: () => false };
  const tracker = new EvictionTracker(log, () => ({ ...settings, place: { store } }) as unknown as Core);
  const reload = tracker.duringReload(() => {
    tracker.retain();
    expect(log.records).toHaveLength(1);
    return Promise.reject(new Error('not synced'));
  });
  await expect(reload).rejects.toThrow('not synced');
  expect(log.records).toEqual([]);
});
