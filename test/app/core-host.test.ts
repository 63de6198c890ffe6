// @module-tag sockets

import { setImmediate } from 'node:timers/promises';

import { describe, expect, it, vi } from 'vitest';

import type { Rule } from '../../sim/access.js';
import { SimulatedCluster } from '../../sim/cluster.js';
import { emptyScenario } from '../../sim/model/scenario.js';
import { staticCredentials } from '../../src/cluster/credentials/credentials.js';
import type { Pod } from '../../src/cluster/kube/objects.js';
import { identityOf } from '../../src/cluster/kube/pod-identity.js';
import { wholeCluster } from '../../src/cluster/kube/scope.js';
import { parseSelector } from '../../src/cluster/kube/selector-parser.js';
import type { ObjectStore } from '../../src/cluster/watch/object-store.js';
import { EvictionLog } from '../../src/facts/history/eviction-log.js';
import { silentLogger } from '../../src/lib/base/logger.js';
import { Scheduler } from '../../src/lib/base/scheduler.js';
import { SelfMetrics } from '../../src/metrics/telemetry/self-metrics.js';
import { CoreHost } from '../../src/serve/app/core-host.js';
import { aNode, aPod } from '../support/builders.js';
import { settingsOf } from '../support/exporter.js';
import { isLetGo } from '../support/heap.js';
import { ManualClock } from '../support/manual-clock.js';
import { never } from '../support/signals.js';
import { mustNotEnd } from '../support/watch-observers.js';

interface HostUnderTest extends AsyncDisposable {
  readonly host: CoreHost;
  readonly clock: ManualClock;
  readonly cluster: SimulatedCluster;
  /** What the watch of the core writes to. */
  readonly pods: ObjectStore<Pod>;
  readonly evictions: EvictionLog;
}

/** The host of a core of a cluster without pods, after the first lists. */
async function syncedHost(settings: string, rules?: readonly Rule[]): Promise<HostUnderTest> {
  const clock = new ManualClock();
  const cluster = await SimulatedCluster.start({ clock, scenario: emptyScenario('node-1') });
  const { apiUrl, caPem: ca } = cluster;
  const token = rules === undefined ? cluster.token : cluster.issueToken({ user: 'exporter', rules });
  const config = settingsOf(settings);
  const evictions = new EvictionLog(config.evictions, clock);
  const options = {
    credentials: staticCredentials({ server: new URL(apiUrl), ca, token }),
    clock,
    scheduler: new Scheduler(clock),
    random: () => 0.5,
    logger: silentLogger,
    metrics: new SelfMetrics({ version: '0.0.0-test', nodeVersion: process.version }),
    version: '0.0.0-test',
    evictions,
    observer: { capped: () => undefined },
    onUnexpectedEnd: mustNotEnd,
  };
  const host = new CoreHost(options, config, wholeCluster);
  const hasSynced = () => clock.advance(1_000).then(() => host.core.place.store.hasSynced);
  await vi.waitUntil(hasSynced, { interval: 5, timeout: 15_000 });
  const { namespaces, podSelector } = config.cluster;
  const lease = host.watches.pods({ scope: wholeCluster, namespaces, podSelector });
  expect(host.watches.watchCount).toBe(2); // that of nodes and the one that the core uses
  return {
    ...{ host, clock, cluster, evictions, pods: lease.watch.objects },
    [Symbol.asyncDispose]: async () => {
      lease[Symbol.dispose]();
      for (const part of [host, cluster]) await part[Symbol.asyncDispose]();
    },
  };
}

describe('CoreHost', () => {
  it('an eviction is recorded also when the pod came and went in one turn', async () => {
    await using running = await syncedHost('');
    const { pods, clock } = running;
    const eviction = { message: 'Pod was rejected: The node had condition: [DiskPressure]. ', atMs: clock.nowMs() };
    for (const pod of [aPod({ name: 'other' }), aPod({ name: 'evicted', phase: 'Failed', eviction })]) {
      pods.upsert(pod);
      pods.remove(pod);
    }
    await setImmediate();
    expect(running.evictions.records.map(({ pod }) => pod)).toEqual(['evicted']);
  });

  it('an eviction on a node that is selected later is recorded then, and counted once', async () => {
    await using running = await syncedHost('cluster: {nodeSelector: role=front}');
    const { host, pods, clock } = running;
    const { watch } = host.watches.nodes({ scope: wholeCluster, nodeSelector: parseSelector('role=front') });
    const message = 'Usage of EmptyDir volume "cache" exceeds the limit "1Gi". ';
    const pod = aPod({ name: 'evicted', nodeName: 'front-1' });
    pods.upsert(pod);
    pods.upsert({ ...pod, phase: 'Failed', eviction: { message, atMs: clock.nowMs() } });
    await setImmediate();
    expect(running.evictions.records).toEqual([]);
    for (const role of ['back', 'front', 'front']) {
      watch.objects.upsert(aNode({ name: 'front-1', labels: { role } }));
      await setImmediate();
    }
    await vi.waitUntil(() => running.evictions.records.length > 0);
    expect(running.evictions.records.map((record) => record.pod)).toEqual(['evicted']);
    const { nodes } = running.evictions.snapshot({ workloads: [], nodeNames: ['front-1'], showsAllPods: true });
    expect(nodes.map(({ counts }) => [...counts.values()].filter((count) => count > 0))).toEqual([[1]]);
  });

  it('an eviction that is seen before the nodes are listed waits for them', async () => {
    await using running = await syncedHost('');
    const { host, pods, clock, evictions } = running;
    const message = 'Usage of EmptyDir volume "cache" exceeds the limit "1Gi". ';
    const eviction = { message, atMs: clock.nowMs() };
    for (const nodeName of ['node-1', 'front-1']) pods.upsert(aPod({ name: `on-${nodeName}`, nodeName, eviction }));
    const recorded = (): readonly string[] => evictions.records.map(({ pod }) => pod);
    await vi.waitUntil(() => recorded().length === 2);
    evictions.retain(() => false);
    const config = settingsOf('cluster: {nodeSelector: kubernetes.io/hostname=node-1}');
    const listing = host.synced(config, wholeCluster, never);
    await setImmediate();
    expect(recorded()).toEqual([]);
    const next = await listing;
    expect(recorded()).toEqual(['on-node-1']);
    await next.place[Symbol.asyncDispose]();
  });

  it('an evicted pod that waits for nodes that cannot be listed is kept once, however often it changes', async () => {
    await using running = await syncedHost('');
    const { host, pods, clock, cluster } = running;
    await cluster[Symbol.asyncDispose]();
    const stop = new AbortController();
    const config = settingsOf('cluster: {nodeSelector: role=front}');
    const listing = host.synced(config, wholeCluster, stop.signal).catch(() => undefined);
    const eviction = { message: 'Usage of EmptyDir volume "cache" exceeds the limit "1Gi". ', atMs: clock.nowMs() };
    const versions: WeakRef<Pod>[] = [];
    for (const run of ['1', '2', '3']) {
      const pod = aPod({ name: 'evicted', nodeName: 'front-1', eviction, runs: [`container ${run}`] });
      versions.push(new WeakRef(pod));
      pods.upsert(pod);
      await setImmediate();
    }
    expect(await isLetGo(...versions.slice(0, -1))).toBe(true);
    expect(versions.at(-1)?.deref()).toBeDefined();
    stop.abort();
    await listing;
  });

  it.each([
    { ttl: '55s', rememberedMs: 170_000 },
    { ttl: '10s', rememberedMs: 80_000 },
  ])('a deleted pod is remembered for two TTLs of $ttl and a minute', async ({ ttl, rememberedMs }) => {
    await using running = await syncedHost(`cache: {ttl: ${ttl}}`);
    const { pods, host, clock } = running;
    const pod = aPod();
    pods.upsert(pod);
    pods.remove(pod);
    await clock.advance(rememberedMs - 1);
    expect(host.core.place.store.isDeleted(identityOf(pod))).toBe(true);
    await clock.advance(1);
    expect(host.core.place.store.isDeleted(identityOf(pod))).toBe(false);
  });

  it.each(['in force', 'to come', 'former'])(
    'a core that is %s marks nodes only while scrapes read it',
    async (which) => {
      await using running = await syncedHost('');
      const { pods, host } = running;
      const former = host.core;
      const next = await host.synced(former.config, wholeCluster, never);
      if (which === 'former') host.replace(next);
      const { place } = which === 'to come' ? next : former;
      const node = place.store.findNode('node-1');
      if (node === undefined) throw new Error('no node');
      await place.cache.get(node, never);
      if (which !== 'to come') place.setNearNodes(new Set(['node-2']));
      expect([...place.cache.nearNodeNames]).toEqual(which === 'in force' ? ['node-2'] : []);
      pods.upsert(aPod({ nodeName: 'node-1', runs: ['container 1'] }));
      await setImmediate();
      expect(place.cache.hasShortTtl('node-1')).toBe(true); // by the core in force
      await next.place[Symbol.asyncDispose]();
    },
  );

  it.each([
    { lists: 'when all is listed', settings: '', rules: undefined },
    {
      lists: 'while a namespace may not be listed',
      settings: 'cluster: {namespaces: [shop, media]}',
      rules: [
        { verbs: ['list', 'watch'], resources: ['nodes'] },
        { verbs: ['list', 'watch'], resources: ['pods'], namespaces: ['shop'] },
        { verbs: ['get'], resources: ['nodes/stats'] },
      ],
    },
  ])('nothing is kept of a former core $lists', async ({ settings, rules }) => {
    await using running = await syncedHost(settings, rules);
    const { host } = running;
    const replaced = async (): Promise<WeakRef<object>> => {
      const { core } = host;
      const { signal } = new AbortController();
      await core.collector.collect(signal, {});
      host.replace(await host.synced(core.config, wholeCluster, signal));
      return new WeakRef(core.trackers);
    };
    expect(await isLetGo(await replaced())).toBe(true); // the first
    expect(await isLetGo(await replaced())).toBe(true);
  });
});
