// @module-tag sockets

import { expect, it } from 'vitest';

import { SimulatedCluster } from '../../sim/cluster.js';
import { emptyScenario } from '../../sim/model/scenario.js';
import { ClusterReader } from '../../src/commands/cluster-reader.js';
import { staticCredentials } from '../../src/credentials/credentials.js';
import { wholeCluster } from '../../src/kube/scope.js';
import { commandRequests } from '../support/command-context.js';
import { settingsOf } from '../support/exporter.js';
import { ManualClock } from '../support/manual-clock.js';
import { never } from '../support/signals.js';

const readerOf = ({ apiUrl, caPem: ca, token }: SimulatedCluster, clock: ManualClock): ClusterReader =>
  new ClusterReader({
    config: settingsOf(''),
    scope: wholeCluster,
    credentials: staticCredentials({ server: new URL(apiUrl), ca, token }),
    requests: commandRequests(clock),
    context: { clock, random: () => 0.5, version: '0.0.0-test' },
  });

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
  await expect
    .poll(() => clock.advance(500).then(() => outcome.failure), { interval: 5, timeout: 10_000 })
    .toBeDefined();
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
  await expect.poll(() => clock.advance(100).then(() => reader.hasSynced), { interval: 5 }).toBe(true);
  expect([...(await reader.read(60_000, signal)).failures.keys()]).toEqual(['node-1']);
  await cluster.removeNode('node-1');
  await expect.poll(async () => [...(await reader.read(60_000, signal)).failures.keys()], { interval: 5 }).toEqual([]);
});
