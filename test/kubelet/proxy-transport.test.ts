import { expect, it } from 'vitest';

import type { ApiRequest } from '../../src/cluster/http/api-client.js';
import { apiErrorFromStatus } from '../../src/cluster/http/api-error.js';
import { KubeletClient } from '../../src/cluster/kubelet/client.js';
import { proxyTransport } from '../../src/cluster/kubelet/proxy-transport.js';
import { Scheduler } from '../../src/lib/base/scheduler.js';
import { aNode } from '../support/builders.js';
import { ManualClock } from '../support/manual-clock.js';
import { never } from '../support/signals.js';
import { bodyOf } from '../watch/scripted-api.js';

function clientOf(answer: (request: ApiRequest) => Promise<string>): KubeletClient {
  const transport = proxyTransport({
    open: async (request) => bodyOf(await answer(request)),
  });
  return new KubeletClient({
    transport,
    requestTimeoutMs: 1_000,
    maxBodyBytes: 1_000,
    clock: new ManualClock(),
    lane: new Scheduler(new ManualClock()).newLane(),
    observer: { requestFinished: () => undefined },
  });
}

const oneGi = { thresholds: [{ signal: 'nodefs.available', value: { amount: 2 ** 30 } }] };

it.each([
  ['fetchSummary', { node: { nodeName: 'node-1' } }, { nodeName: 'node-1' }, 'stats/summary'],
  ['fetchConfiguration', { kubeletconfig: { evictionHard: { 'nodefs.available': '1Gi' } } }, oneGi, 'configz'],
] as const)('%s reads %j through the API server, at an escaped path', async (method, body, expected, path) => {
  const requests: ApiRequest[] = [];
  const client = clientOf((request) => {
    requests.push(request);
    return Promise.resolve(JSON.stringify(body));
  });
  for (const name of ['node-1', '../pods?x=%2f']) {
    expect(await client[method](aNode({ name }), never)).toMatchObject(expected);
  }
  const escaped = ['node-1', '..%2Fpods%3Fx%3D%252f'];
  expect(requests).toEqual(escaped.map((name) => ({ path: `/api/v1/nodes/${name}/proxy/${path}` })));
});

const unreachable = (words: string): string => `error trying to reach service: ${words}`;

it.each<[number, string, string]>([
  [503, unreachable('dial tcp 10.200.1.2:10250: connect: connection refused'), 'connection'],
  [503, unreachable('dial tcp 10.200.1.2:10250: connect: no route to host'), 'connection'],
  [503, unreachable('dial tcp: lookup node-1: no such host'), 'connection'],
  [502, unreachable('EOF'), 'connection'],
  [503, unreachable('tls: failed to verify certificate: x509: certificate signed by unknown authority'), 'tls'],
  [503, unreachable('x509: certificate is valid for 10.0.0.9, not 10.200.1.2'), 'tls'],
  [503, unreachable('remote error: tls: bad certificate'), 'tls'],
  [504, unreachable('net/http: TLS handshake timeout'), 'timeout'],
  [504, unreachable('context deadline exceeded'), 'timeout'],
  [500, 'Internal Error: failed to list pod stats', 'http_status'],
  [503, 'the server is currently unable to handle the request', 'http_status'],
  [400, 'address not allowed: dial tcp', 'http_status'],
])('the reason is taken from the words of the API server: %i %s', async (status, message, reason) => {
  const client = clientOf(({ path }) => {
    throw apiErrorFromStatus({ what: `GET ${path}`, status, body: { message } });
  });
  await expect(client.fetchSummary(aNode(), never)).rejects.toMatchObject({
    reason,
    status,
    message: `GET /api/v1/nodes/node-1/proxy/stats/summary: the API server answered ${status}: ${message}`,
  });
});

it('the error of a kubelet without isolation of local storage is explained', async () => {
  const client = clientOf(({ path }) => {
    throw apiErrorFromStatus({ what: `GET ${path}`, status: 500, body: undefined });
  });
  const node = aNode({ enforcesStorageLimits: false });
  await expect(client.fetchSummary(node, never)).rejects.toThrow('answered 500; the node reports no capacity');
  await expect(client.fetchConfiguration(node, never)).rejects.toThrow(/answered 500$/);
});

it('the error for a body that is not a summary names the access through the API server', async () => {
  const client = clientOf(() => Promise.resolve('{}'));
  await expect(client.fetchSummary(aNode(), never)).rejects.toThrow(
    'summary of node node-1 through the API server: JSON that is not a summary: it has no node with a nodeName',
  );
});
