// @module-tag sockets

import { isIP } from 'node:net';

import { beforeAll, describe, expect, it } from 'vitest';

import type { TlsMaterial } from '../../src/cluster/credentials/credentials.js';
import { KubeletClient } from '../../src/cluster/kubelet/client.js';
import { directTransport, type DirectTransportOptions } from '../../src/cluster/kubelet/direct-transport.js';
import { Scheduler } from '../../src/lib/base/scheduler.js';
import { failureOf, LoopbackServer, replyWith, textOf } from '../http/loopback-server.js';
import { aNode } from '../support/builders.js';
import { type KeyPair, TestAuthority } from '../support/certificates.js';
import { ManualClock } from '../support/manual-clock.js';
import { never } from '../support/signals.js';

// What is special to kubelets; what holds for every GET stands in test/http/http-client.test.ts.

let authority: TestAuthority;
let pair: KeyPair;

beforeAll(async () => {
  authority = await TestAuthority.create();
  pair = await authority.issueServer();
});

function transportOf(
  serverName?: string,
  options: Partial<DirectTransportOptions> = {},
): ReturnType<typeof directTransport> {
  const tls: TlsMaterial = { ca: authority.certificate, serverName, rejectUnauthorized: true };
  const material = () => Promise.resolve({ headers: { authorization: 'Bearer token-1' }, tls });
  return directTransport({
    addressTypes: ['InternalIP'],
    port: undefined,
    credentials: { material, invalidate: () => undefined, reread: material },
    clock: new ManualClock(),
    version: '1.2.3',
    isApiServerAway: () => false,
    ...options,
  });
}

function nodeOf({ port }: LoopbackServer, name = 'node-1') {
  return aNode({ name, addresses: [{ type: 'InternalIP', address: '127.0.0.1' }], kubeletPort: port });
}

it.each([
  ['node-1', '{node}'],
  ['node-1.nodes.example', '{node}.nodes.example'],
  ['kubelet', 'kubelet'],
])('a kubelet certificate for %s is accepted with the server name %s', async (dnsName, serverName) => {
  const named = await authority.issueServer({ dnsNames: [dnsName], ipAddresses: ['192.0.2.1'] });
  await using kubelet = await LoopbackServer.listenTls(named);
  using transport = transportOf(serverName);
  expect(await textOf(transport.locate(nodeOf(kubelet), '/stats/summary').open(never))).toBe('{}');
});

it('the certificate of a node is not accepted for another node, even when the connection is kept', async () => {
  const named = await authority.issueServer({ dnsNames: ['node-1'], ipAddresses: ['192.0.2.1'] });
  await using kubelet = await LoopbackServer.listenTls(named);
  using transport = transportOf('{node}');
  await textOf(transport.locate(nodeOf(kubelet, 'node-1'), '/stats/summary').open(never));
  const failed = transport.locate(nodeOf(kubelet, 'node-2'), '/stats/summary').open(never);
  expect(await failureOf(failed)).toMatchObject({ reason: 'tls' });
  expect(kubelet.requests).toHaveLength(1);
});

describe('a name of a node', () => {
  let namedPair: KeyPair;
  beforeAll(async () => {
    namedPair = await authority.issueServer({ dnsNames: ['kubelet'] });
  });
  const resolvingTo = (addresses: readonly string[]): ReturnType<typeof directTransport> =>
    transportOf('kubelet', {
      addressTypes: ['Hostname'],
      resolve: () => Promise.resolve(addresses.map((address) => ({ address, family: isIP(address) }))),
    });
  const named = ({ port }: LoopbackServer, address: string) =>
    aNode({ name: 'node-1', addresses: [{ type: 'Hostname', address }], kubeletPort: port });

  it('a name of a node is connected to at what it resolves to and is usable', async () => {
    await using kubelet = await LoopbackServer.listenTls(namedPair);
    using transport = resolvingTo(['169.254.169.254', '127.0.0.1']);
    expect(await textOf(transport.locate(named(kubelet, 'node-1.example'), '/stats/summary').open(never))).toBe('{}');
  });

  it('a name of a node is resolved by the system', async () => {
    await using kubelet = await LoopbackServer.listenTls(namedPair);
    using transport = transportOf('kubelet', { addressTypes: ['Hostname'] });
    expect(await textOf(transport.locate(named(kubelet, 'localhost'), '/stats/summary').open(never))).toBe('{}');
  });

  it('a name that resolves to no usable address is refused before a connection is opened', async () => {
    const addresses = ['169.254.169.254', '::ffff:169.254.169.254'];
    await using kubelet = await LoopbackServer.listenTls(namedPair);
    using transport = resolvingTo(addresses);
    const endpoint = transport.locate(named(kubelet, 'node-1.example'), '/stats/summary');
    expect(await failureOf(endpoint.open(never))).toMatchObject({
      reason: 'not_ready',
      message: `${endpoint.what}: node-1.example resolves to ${addresses.join(', ')}; link-local, unspecified, multicast and reserved addresses are refused`,
    });
    expect(kubelet.requests).toEqual([]);
  });
});

it('summaries and configurations are read over one connection', async () => {
  await using kubelet = await LoopbackServer.listenTls(pair);
  using transport = transportOf();
  const clock = new ManualClock();
  const client = new KubeletClient({
    ...{ transport, clock, requestTimeoutMs: 10_000, maxBodyBytes: 1_000_000 },
    lane: new Scheduler(clock).newLane(),
    observer: { requestFinished: () => undefined },
  });
  kubelet.answer = replyWith({ body: '{"node":{"nodeName":"node-1"},"pods":[]}' });
  expect(await client.fetchSummary(nodeOf(kubelet), never)).toMatchObject({ nodeName: 'node-1', pods: [] });
  kubelet.answer = replyWith({ body: '{"kubeletconfig":{"evictionHard":{"nodefs.available":"1Gi"}}}' });
  expect(await client.fetchConfiguration(nodeOf(kubelet), never)).toMatchObject({
    thresholds: [{ signal: 'nodefs.available', value: { amount: 2 ** 30 } }],
  });
  expect(kubelet.requests.map(({ url }) => url)).toEqual(['/stats/summary', '/configz']);
  expect(kubelet.connections).toHaveLength(1);
});
