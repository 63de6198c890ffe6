// @module-tag sockets

import { setTimeout as delay } from 'node:timers/promises';

import { expect, it } from 'vitest';

import { SimulatedCluster } from '../../sim/cluster.js';
import { staticCredentials } from '../../src/cluster/credentials/credentials.js';
import { wholeCluster } from '../../src/cluster/kube/scope.js';
import { listPods } from '../../src/people/query/list-pods.js';
import { parseListQuery } from '../../src/people/query/list-query.js';
import { ClusterReader } from '../../src/serve/source/cluster-reader.js';
import { commandRequests } from '../support/command-context.js';
import { leastRules, settingsOf } from '../support/exporter.js';
import { atOnce } from '../support/lanes.js';
import { ManualClock } from '../support/manual-clock.js';
import { never } from '../support/signals.js';

const minuteMs = 60_000;
const readEveryMs = 15_000;
/** Kubelets measure volumes every 60 to 90 s and evict seconds later. */
const latenessMs = 2 * minuteMs;

const allPods = parseListQuery('pods', { limit: '1000' });

interface Forecast {
  readonly pod: string;
  readonly saidAtMs: number;
  readonly reachedAtMs: number;
}

it('every forecast of the demo comes true: its pod is evicted', { timeout: 60_000 }, async () => {
  const clock = new ManualClock();
  await using cluster = await SimulatedCluster.start({ clock });
  const evictedAtMs = new Map<string, number>();
  cluster.model.onPodFailed(({ spec }) => evictedAtMs.set(spec.name, clock.nowMs()));
  const token = cluster.issueToken({ user: 'operator', rules: leastRules });
  await using reader = new ClusterReader({
    config: settingsOf('cache: {ttl: 10s}'),
    scope: wholeCluster,
    credentials: staticCredentials({ server: new URL(cluster.apiUrl), ca: cluster.caPem, token }),
    requests: commandRequests(clock),
    context: { clock, random: () => 0.5, version: '0.0.0-test' },
  });
  await reader.synced(never);
  const endMs = clock.nowMs() + 20 * minuteMs;
  const forecasts: Forecast[] = [];
  while (clock.nowMs() < endMs) {
    const saidAtMs = clock.nowMs();
    const reading = await reader.read(never);
    for (const report of (await listPods(reading, allPods, atOnce)).items) {
      const { pod, timeToLimitMs } = { timeToLimitMs: undefined, ...report };
      if (timeToLimitMs !== undefined) forecasts.push({ pod, saidAtMs, reachedAtMs: saidAtMs + timeToLimitMs });
    }
    await clock.advance(readEveryMs);
    await delay(10); // watch events come over sockets
  }
  const due = forecasts.filter(({ reachedAtMs }) => reachedAtMs + latenessMs < endMs);
  const workloads = new Set(due.map(({ pod }) => pod.split('-')[0]));
  expect(workloads).toEqual(new Set(['profiler', 'report', 'resizer']));
  const isFalse = ({ pod, reachedAtMs }: Forecast): boolean =>
    !((evictedAtMs.get(pod) ?? Infinity) <= reachedAtMs + latenessMs);
  expect(due.filter(isFalse)).toEqual([]);
});
