// @module-tag sockets

import { expect, it } from 'vitest';

import { SimulatedCluster } from '../../sim/cluster.js';
import { emptyScenario } from '../../sim/model/scenario.js';
import { staticCredentials } from '../../src/cluster/credentials/credentials.js';
import { wholeCluster } from '../../src/cluster/kube/scope.js';
import type { ClusterReading } from '../../src/people/query/cluster-reading.js';
import { type AskedPlace, ClusterReader } from '../../src/serve/source/cluster-reader.js';
import type { CommandRequests } from '../../src/serve/source/command-requests.js';
import { podSpec } from '../sim/pods.js';
import { commandRequests } from '../support/command-context.js';
import { settingsOf } from '../support/exporter.js';
import { ManualClock } from '../support/manual-clock.js';
import { never } from '../support/signals.js';

const readerOf = (
  { apiUrl, caPem: ca, token }: SimulatedCluster,
  clock: ManualClock,
  {
    place,
    settings = '',
    ...requests
  }: Partial<ConstructorParameters<typeof CommandRequests>[0]> & {
    readonly place?: AskedPlace;
    readonly settings?: string;
  } = {},
): ClusterReader =>
  new ClusterReader({
    config: settingsOf(settings),
    scope: wholeCluster,
    credentials: staticCredentials({ server: new URL(apiUrl), ca, token }),
    requests: commandRequests(clock, requests),
    context: { clock, random: () => 0.5, version: '0.0.0-test' },
    place,
  });

const nodesOf = ({ snapshot }: ClusterReading): readonly string[] => snapshot.nodes.map(({ nodeName }) => nodeName);

it('the reader waits half a minute for an API server that may come back, and reports its last answer', async () => {
  const clock = new ManualClock();
  await using cluster = await SimulatedCluster.start({ clock, scenario: emptyScenario('node-1') });
  await cluster.setApiFault('status:503');
  await using reader = readerOf(cluster, clock);
  const outcome: { failure?: unknown } = {};
  const startMs = clock.monotonicMs();
  const waiting = reader.synced(never).catch((error: unknown) => {
    outcome.failure = error;
  });
  await expect.poll(() => cluster.apiRequests.length, { interval: 5 }).toBeGreaterThanOrEqual(2);
  await expect.poll(() => clock.advance(500).then(() => outcome.failure), { interval: 5 }).toBeDefined();
  await waiting;
  expect(clock.monotonicMs() - startMs).toBeGreaterThanOrEqual(30_000);
  expect(String(outcome.failure).split('\n')).toMatchObject([
    expect.stringMatching(/nodes could not be listed within 30 s: .*503/),
    expect.stringMatching(/pods could not be listed within 30 s: .*503/),
  ]);
});

it('the reader reports no failures of nodes that are gone', async () => {
  const clock = new ManualClock();
  await using cluster = await SimulatedCluster.start({ clock, scenario: emptyScenario('node-1', 'node-2') });
  await cluster.setFault('node-1', 'status:500');
  await using reader = readerOf(cluster, clock);
  const { signal } = new AbortController();
  await reader.synced(never);
  expect([...(await reader.read(signal)).failures.keys()]).toEqual(['node-1']);
  await cluster.removeNode('node-1');
  await expect.poll(async () => [...(await reader.read(signal)).failures.keys()], { interval: 5 }).toEqual([]);
});

it('later readings know what was last known of a node that fails', async () => {
  const clock = new ManualClock();
  await using cluster = await SimulatedCluster.start({ clock, scenario: emptyScenario('node-1') });
  await using reader = readerOf(cluster, clock);
  await reader.synced(never);
  await reader.read(never);
  await cluster.setFault('node-1', 'status:500');
  await clock.advance(120_000);
  const { snapshot, lastKnownOf } = await reader.read(never);
  const [view] = snapshot.nodes;
  if (view?.state !== 'absent') throw new Error('the node has data');
  expect(lastKnownOf(view)).toMatchObject({ ageMs: 120_000 });
  expect(lastKnownOf({ ...view, reason: 'skipped' })).toBeUndefined();
});

it.each<AskedPlace>([
  { node: 'node-1' },
  { pod: { name: 'cart-0' } },
  { pod: { name: 'cart-0', namespace: 'shop' } },
  { node: 'node-1', pod: { name: 'web-0' } },
])('of %j, the kubelet of its node alone is asked and waited for', async (place) => {
  const clock = new ManualClock();
  await using cluster = await SimulatedCluster.start({ clock, scenario: emptyScenario('node-1', 'node-2') });
  cluster.model.addPod(podSpec('cart-0', { namespace: 'shop', nodeName: 'node-1' }));
  cluster.model.addPod(podSpec('web-0', { namespace: 'shop', nodeName: 'node-2' }));
  await cluster.setFault('node-2', 'hang');
  await using reader = readerOf(cluster, clock, { place });
  await reader.synced(never);
  const reading = await reader.read(never);
  expect(nodesOf(reading)).toEqual(['node-1']);
  expect(reading.snapshot.nodes[0]?.state).toBe('fresh');
  expect(cluster.kubeletRequestCount('node-2')).toBe(0);
});

it.each<AskedPlace>([
  { node: 'node-9' },
  { node: 'node-3' },
  { pod: { name: 'none' } },
  { pod: { name: 'cart-0', namespace: 'ops' } },
])('of %j, which is on no node that is scraped, all nodes are read', async (place) => {
  const clock = new ManualClock();
  const scenario = emptyScenario('node-1', 'node-2', 'node-3');
  await using cluster = await SimulatedCluster.start({ clock, scenario });
  cluster.model.addPod(podSpec('cart-0', { namespace: 'shop', nodeName: 'node-1' }));
  const settings = 'cluster: {skipNodes: [kubernetes.io/hostname=node-3]}';
  await using reader = readerOf(cluster, clock, { place, settings });
  await reader.synced(never);
  expect(nodesOf(await reader.read(never))).toEqual(['node-1', 'node-2', 'node-3']);
  expect(cluster.kubeletRequestCount('node-3')).toBe(0);
});
