import { expect, it } from 'vitest';

import { evictionReport } from '../../src/people/report/eviction-report.js';
import { type StatusCluster, type StatusInputs, StatusSource } from '../../src/people/status/status-source.js';
import { anEvictionRecord } from '../support/eviction-builders.js';
import { ManualClock } from '../support/manual-clock.js';
import { aClusterSnapshot, anAbsentNode, aReading } from '../support/snapshot-builders.js';
import { aCluster, aHealth, someStatusSettings } from '../support/status-builders.js';

const clockStart = { nowMs: 1_000_000, monotonicMs: 5_000 };

const settings = someStatusSettings;

const aStatusCluster = (report = aCluster()): StatusCluster => ({ report, reading: aReading() });

function setUp(inputs: Partial<StatusInputs> = {}) {
  const clock = new ManualClock(clockStart);
  const stopping = new AbortController();
  const calls = { count: 0 };
  const { cluster = () => Promise.resolve(aStatusCluster()) } = inputs;
  const source = new StatusSource({
    inputs: {
      checks: () => [{ name: 'pods', isOk: true }],
      health: () => aHealth({ droppedFamilies: ['pod_used_bytes'] }),
      settings: () => settings,
      ...inputs,
      cluster: (signal) => {
        calls.count += 1;
        return cluster(signal);
      },
    },
    version: '1.2.3',
    clock,
    startMs: clock.monotonicMs(),
    stopping: stopping.signal,
  });
  return { source, clock, calls, stopping };
}

/** A cluster that is read until the time is up. */
function untilDeadline(signal: AbortSignal): Promise<StatusCluster> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => {
      resolve(aStatusCluster(aCluster({ isPartial: true })));
    });
  });
}

it('the status has the version, the uptime, the problems and the health', async () => {
  const { source, clock } = setUp();
  await clock.advance(60_000);
  expect((await source.read()).status).toMatchObject({
    version: '1.2.3',
    scope: 'whole cluster',
    generatedAtMs: clockStart.nowMs + 60_000,
    uptimeMs: 60_000,
    isReady: true,
    problems: [{ text: '1 metric family dropped by metrics.maxSeries' }],
    readinessChecks: [{ name: 'pods', isOk: true }],
    health: { droppedFamilies: ['pod_used_bytes'] },
    configuration: 'cache: {}',
  });
});

it('the status has no cluster and the missing lists before the first lists', async () => {
  const { source } = setUp({
    cluster: () => Promise.resolve({ report: undefined, reading: aReading() }),
    checks: () => [{ name: 'pods', isOk: false, message: 'not listed yet: forbidden' }],
  });
  const { status } = await source.read();
  const notListed =
    'Nodes and pods have not been listed since the exporter started at 1970-01-01 00:16:40 UTC. No eviction is known from before, and whether there was one since is not known.';
  expect(status).toMatchObject({
    isReady: false,
    cluster: undefined,
    notListed,
    problems: [{ text: 'not ready: pods', detail: notListed }, {}],
    readinessChecks: [{ name: 'pods', isOk: false, message: 'not listed yet: forbidden' }],
  });
});

it.each([
  ['the steady clock is behind', 7_200_000, 30],
  ['the wall clock is behind', -7_200_000, 30],
  ['an eviction is in the future', 0, -5],
])('ages of evictions are those by the later of wall and steady time when %s', async (_case, jumpMs, minutes) => {
  const { source, clock } = setUp({
    cluster: () => {
      const evictions = [evictionReport(anEvictionRecord({ evictedAtMs }))];
      return Promise.resolve({ report: aCluster(), reading: aReading({ evictions }) });
    },
  });
  clock.jumpWallTime(jumpMs);
  const evictedAtMs = Math.max(clock.nowMs(), clock.steadyNowMs()) - minutes * 60_000;
  const { evictions } = (await source.read()).status;
  expect(evictions.items.map(({ ageMs }) => ageMs)).toEqual([Math.max(0, minutes) * 60_000]);
});

it('the cluster is read once for all requests at the same time and within a second after', async () => {
  const { source, clock, calls } = setUp();
  const [first, second] = await Promise.all([source.read(), source.read()]);
  await clock.advance(999);
  expect(await source.read()).toBe(first);
  expect(second).toBe(first);
  expect(calls.count).toBe(1);
  await clock.advance(1);
  expect(await source.read()).not.toBe(first);
  expect(calls.count).toBe(2);
});

it('the cluster is read again after a quarter of a second while kubelets have not responded', async () => {
  const node = anAbsentNode('node-1', 'timeout');
  const cluster = { report: aCluster(), reading: aReading({ snapshot: aClusterSnapshot({ nodes: [node] }) }) };
  const { source, clock, calls } = setUp({ cluster: () => Promise.resolve(cluster) });
  await source.read();
  await clock.advance(249);
  await source.read();
  expect(calls.count).toBe(1);
  await clock.advance(1);
  await source.read();
  expect(calls.count).toBe(2);
});

it('the cluster is read again when other settings come into force, during the reading or after it', async () => {
  let inForce = settings;
  const apply = (scope: string): void => {
    inForce = { ...settings, scope };
  };
  const { source, calls } = setUp({
    settings: () => inForce,
    cluster: () => {
      if (calls.count === 1) apply('shard 1 of 2');
      return Promise.resolve(aStatusCluster());
    },
  });
  expect((await source.read()).status.scope).toBe('shard 1 of 2');
  expect(calls.count).toBe(2);
  apply('node a');
  expect((await source.read()).status.scope).toBe('node a');
});

it('the cluster is partial after half a second', async () => {
  const { source, clock } = setUp({ cluster: untilDeadline });
  const reading = source.read();
  await clock.advance(500);
  expect((await reading).status.cluster?.isPartial).toBe(true);
  expect(clock.sleeperCount).toBe(1); // until the status is forgotten
});

it('a failed reading of the cluster fails for all that wait, and the next request reads it again', async () => {
  let isBroken = true;
  const { source } = setUp({
    cluster: () => (isBroken ? Promise.reject(new Error('broken')) : Promise.resolve(aStatusCluster())),
  });
  const both = await Promise.allSettled([source.read(), source.read()]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  isBroken = false;
  expect((await source.read()).reading).toBeDefined();
});

it('a status is not kept in memory until the next one is read', async () => {
  const { source, clock, stopping } = setUp();
  await source.read();
  expect(clock.sleeperCount).toBe(1);
  await clock.advance(1_000);
  expect(clock.sleeperCount).toBe(0);
  await source.read();
  stopping.abort();
  expect(clock.sleeperCount).toBe(0);
});
