// @module-tag sockets

import { setImmediate } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import { SimulatedCluster } from '../../sim/cluster.js';
import { emptyScenario } from '../../sim/model/scenario.js';
import { ClusterConnection } from '../../src/app/cluster-connection.js';
import { ClusterSource } from '../../src/app/cluster-source.js';
import { silentLogger } from '../../src/base/logger.js';
import { Scheduler } from '../../src/base/scheduler.js';
import { staticCredentials } from '../../src/credentials/credentials.js';
import type { Pod } from '../../src/kube/objects.js';
import { identityOf } from '../../src/kube/pod-identity.js';
import { wholeCluster } from '../../src/kube/scope.js';
import { SelfMetrics } from '../../src/telemetry/self-metrics.js';
import type { ObjectStore } from '../../src/watch/object-store.js';
import { aPod } from '../support/builders.js';
import { settingsOf } from '../support/exporter.js';
import { ManualClock } from '../support/manual-clock.js';
import { mustNotEnd } from '../support/watch-observers.js';

interface SourceUnderTest extends AsyncDisposable {
  readonly source: ClusterSource;
  readonly clock: ManualClock;
  /** What the source's watch writes to. */
  readonly pods: ObjectStore<Pod>;
  /** The changes that the recorder of evictions was told of. */
  readonly told: readonly string[];
}

/** The source of a cluster without pods, after its first lists. */
async function syncedSource(settings: string, isActive = (): boolean => true): Promise<SourceUnderTest> {
  const clock = new ManualClock();
  const cluster = await SimulatedCluster.start({ clock, scenario: emptyScenario('node-1') });
  const { apiUrl, caPem: ca, token } = cluster;
  const options = {
    credentials: staticCredentials({ server: new URL(apiUrl), ca, token }),
    clock,
    scheduler: new Scheduler(clock),
    random: () => 0.5,
    logger: silentLogger,
    metrics: new SelfMetrics({ version: '0.0.0-test', nodeVersion: process.version }),
    version: '0.0.0-test',
    onUnexpectedEnd: mustNotEnd,
  };
  const connection = new ClusterConnection(options);
  const told: string[] = [];
  const source = new ClusterSource({
    ...options,
    connection,
    config: settingsOf(settings),
    scope: wholeCluster,
    isActive,
    onPodChange: ({ type, object: { name } }) => told.push(`${type} ${name}`),
  });
  await source.synced({ timeoutMs: 10_000 }, new AbortController().signal);
  const lease = source.watches.pods({ scope: wholeCluster, namespaces: [], podSelector: [] });
  expect(source.watches.watchCount).toBe(2); // that of nodes and the one that the source uses
  return {
    ...{ source, clock, told, pods: lease.watch.objects },
    [Symbol.asyncDispose]: async () => {
      lease[Symbol.dispose]();
      for (const part of [source, connection, cluster]) await part[Symbol.asyncDispose]();
    },
  };
}

describe('ClusterSource', () => {
  it('an eviction is reported also when the pod came and went in one turn, and no other such pod is', async () => {
    await using running = await syncedSource('');
    const { pods, clock } = running;
    const eviction = { message: 'Pod was rejected: The node had condition: [DiskPressure]. ', atMs: clock.nowMs() };
    for (const pod of [aPod({ name: 'other' }), aPod({ name: 'evicted', phase: 'Failed', eviction })]) {
      pods.upsert(pod);
      pods.remove(pod);
    }
    await setImmediate();
    expect(running.told).toEqual(['added evicted', 'removed evicted']);
  });

  it.each([
    { ttl: '55s', rememberedMs: 170_000 },
    { ttl: '10s', rememberedMs: 80_000 },
  ])('a deleted pod is remembered for two TTLs of $ttl and a minute', async ({ ttl, rememberedMs }) => {
    await using running = await syncedSource(`cache: {ttl: ${ttl}}`);
    const { pods, source, clock } = running;
    const pod = aPod();
    pods.upsert(pod);
    pods.remove(pod);
    await clock.advance(rememberedMs - 1);
    expect(source.store.isDeleted(identityOf(pod))).toBe(true);
    await clock.advance(1);
    expect(source.store.isDeleted(identityOf(pod))).toBe(false);
  });

  it.each([true, false])('summaries and nodes are marked as far as scrapes read the source: %s', async (isActive) => {
    await using running = await syncedSource('', () => isActive);
    const { pods, source } = running;
    source.activate();
    const node = source.store.findNode('node-1');
    if (node === undefined) throw new Error('no node');
    await source.cache.get(node, new AbortController().signal);
    source.setNearNodes(new Set(['node-2']));
    expect([...source.cache.nearNodeNames]).toEqual(isActive ? ['node-2'] : []);
    pods.upsert(aPod({ nodeName: 'node-1', runs: ['container 1'] }));
    await setImmediate();
    expect(source.cache.hasShortTtl('node-1')).toBe(isActive);
  });
});
