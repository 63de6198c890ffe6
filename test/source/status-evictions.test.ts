// @module-tag sockets

import { expect, it } from 'vitest';

import { staticCredentials } from '../../src/cluster/credentials/credentials.js';
import { WorkloadResolver } from '../../src/facts/workload/workload-resolver.js';
import type { ClusterReading } from '../../src/people/query/cluster-reading.js';
import { readEvictedPods } from '../../src/serve/source/status-evictions.js';
import { LoopbackServer, replyWith } from '../http/loopback-server.js';
import { commandRequests } from '../support/command-context.js';
import { ManualClock } from '../support/manual-clock.js';
import { never } from '../support/signals.js';

const message = 'Container app exceeded its local ephemeral storage limit "1Gi". ';

interface FailedPod {
  readonly name: string;
  readonly reason?: string;
  readonly message?: string;
  /** Of the transition to the condition DisruptionTarget. */
  readonly at?: string;
}

function podList(pods: readonly FailedPod[]) {
  const items = pods.map(({ name, reason = 'Evicted', at = '2026-01-01T12:00:00Z', message: text = message }) => ({
    metadata: { namespace: 'shop', name, uid: `uid-${name}`, resourceVersion: '1' },
    spec: { nodeName: 'node-1' },
    status: {
      phase: 'Failed',
      reason,
      message: text,
      conditions: [
        { type: 'DisruptionTarget', reason: 'TerminationByKubelet', status: 'True', lastTransitionTime: at },
      ],
    },
  }));
  return { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '9' }, items };
}

async function read(api: LoopbackServer, namespace?: string): Promise<ClusterReading> {
  const clock = new ManualClock({ nowMs: Date.UTC(2026, 0, 1, 13), monotonicMs: 0 });
  const resolver = new WorkloadResolver({ selectors: [], labels: [], controllers: true });
  const credentials = staticCredentials({ server: api.url });
  const requests = commandRequests(clock);
  return readEvictedPods({ credentials, namespace, resolver, clock, requests }, never);
}

it('the status of evicted pods shows why and from where, and not what they used', async () => {
  await using api = await LoopbackServer.listen();
  api.answer = replyWith({ body: JSON.stringify(podList([{ name: 'cart-0' }])) });
  const { evictions, notes, snapshot } = await read(api);
  expect(evictions).toMatchObject([
    {
      namespace: 'shop',
      pod: 'cart-0',
      node: 'node-1',
      cause: 'container_limit',
      container: 'app',
      limitBytes: 2 ** 30,
      evictedAtMs: Date.UTC(2026, 0, 1, 12),
      unknownUsageReason: 'no_exporter',
    },
  ]);
  expect(evictions[0]).not.toHaveProperty('lastUsage.usedBytes');
  expect(notes).toEqual(['Only the status of pods was read, without what they used.']);
  expect(snapshot.nodes).toEqual([]);
});

it('the status of evicted pods is read the newest first, and of no pod that failed for another reason', async () => {
  await using api = await LoopbackServer.listen();
  const pods = [
    { name: 'older', at: '2026-01-01T11:00:00Z' },
    { name: 'newer', at: '2026-01-01T12:30:00Z' },
    { name: 'drained', reason: 'Terminated' },
    { name: 'memory', message: 'The node was low on resource: memory. ' },
  ];
  api.answer = replyWith({ body: JSON.stringify(podList(pods)) });
  const { evictions } = await read(api);
  expect(evictions.map(({ pod }) => pod)).toEqual(['newer', 'older']);
});

it.each([
  [undefined, '/api/v1/pods?'],
  ['shop', '/api/v1/namespaces/shop/pods?'],
])('of namespace %s the failed pods alone are listed', async (namespace, path) => {
  await using api = await LoopbackServer.listen();
  api.answer = replyWith({ body: JSON.stringify(podList([])) });
  await read(api, namespace);
  expect(api.requests).toHaveLength(1);
  expect(api.requests[0]?.url).toContain(path);
  expect(api.requests[0]?.url).toContain('fieldSelector=status.phase%3DFailed');
});

it('the refusal of the API server is an error with what it said', async () => {
  await using api = await LoopbackServer.listen();
  const body = '{"kind":"Status","message":"pods is forbidden: User \\"jane\\" cannot list resource \\"pods\\""}';
  api.answer = replyWith({ status: 403, headers: { 'content-type': 'application/json' }, body });
  await expect(read(api)).rejects.toThrow(/\/api\/v1\/pods.*403.*User "jane" cannot list/);
  await expect(read(api)).rejects.toHaveProperty('name', 'RequestError');
});
