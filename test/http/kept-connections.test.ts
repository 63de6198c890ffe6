// @module-tag sockets

import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { get } from 'node:https';
import { TLSSocket } from 'node:tls';

import { expect, it } from 'vitest';

import type { CredentialMaterial } from '../../src/cluster/credentials/credentials.js';
import { HttpClient } from '../../src/cluster/http/http-client.js';
import { RotatingAgent } from '../../src/cluster/http/rotating-agent.js';
import { TestAuthority } from '../support/certificates.js';
import { ManualClock } from '../support/manual-clock.js';
import { never } from '../support/signals.js';
import { LoopbackServer, replyWith, textOf } from './loopback-server.js';

const unverified: CredentialMaterial = { headers: {}, tls: { rejectUnauthorized: true } };

type ClientOptions = Partial<Pick<ConstructorParameters<typeof HttpClient>[0], 'protocol' | 'maxKeptConnections'>>;

/** A client of plain HTTP unless `options` say otherwise. */
function clientWith(material: () => Promise<CredentialMaterial>, options: ClientOptions = {}) {
  const client = new HttpClient({
    credentials: { material, reread: material, invalidate: fail },
    ...{ protocol: 'http:', version: '0', clock: new ManualClock(), ...options },
  });
  return {
    get: ({ url }: LoopbackServer) => textOf(client.open({ url, what: 'GET', errorFromResponse: fail }, never)),
    [Symbol.dispose]: () => {
      client[Symbol.dispose]();
    },
  };
}

it('connections above the limit are closed after their request, and one that ends makes room', async () => {
  await using one = await LoopbackServer.listen();
  await using other = await LoopbackServer.listen();
  using client = clientWith(() => Promise.resolve(unverified), { maxKeptConnections: 1 });
  for (const server of [one, other, one, other]) await client.get(server);
  expect([one.connections.length, other.connections.length]).toEqual([1, 2]);

  const [kept] = one.connections;
  if (kept === undefined) return fail();
  kept.destroy();
  await once(kept, 'close');
  await new Promise((resolve) => setImmediate(resolve));
  await client.get(other);
  await client.get(other);
  expect(other.connections).toHaveLength(3);
});

it('a connection above the limit resumes the TLS session of its server', async () => {
  const authority = await TestAuthority.create();
  const pair = await authority.issueServer();
  await using one = await LoopbackServer.listenTls(pair);
  await using other = await LoopbackServer.listenTls(pair);
  const areResumed: boolean[] = [];
  other.answer = (request, response) => {
    areResumed.push(request.socket instanceof TLSSocket && request.socket.isSessionReused());
    replyWith({})(request, response);
  };
  const verified = { headers: {}, tls: { ca: authority.certificate, rejectUnauthorized: true } };
  using client = clientWith(() => Promise.resolve(verified), { protocol: 'https:', maxKeptConnections: 1 });
  for (const server of [one, other, one, other, other]) await client.get(server);
  expect(one.connections).toHaveLength(1);
  expect(areResumed).toEqual([false, true, true]);
});

it('a client that was disposed of keeps no connection, not even one of a request that has yet to connect', async () => {
  await using server = await LoopbackServer.listen(createServer({ keepAliveTimeout: 0 })); // it closes none itself
  let arrive: (material: CredentialMaterial) => void = fail;
  const client = clientWith(() => new Promise((resolve) => (arrive = resolve)));
  const body = client.get(server);
  client[Symbol.dispose]();
  arrive(unverified);
  await body;
  await expect.poll(() => server.connections.map(({ destroyed }) => destroyed)).toEqual([true]);
});

function fail(): never {
  throw new Error('not expected');
}

it.each([
  { limit: 'within the limit', maxKeptConnections: 1, areLean: [true, false] },
  { limit: 'without a limit', maxKeptConnections: undefined, areLean: [false, false] },
])('connections that will be kept among many take less memory: $limit', async ({ maxKeptConnections, areLean }) => {
  const authority = await TestAuthority.create();
  const pair = await authority.issueServer();
  await using one = await LoopbackServer.listenTls(pair);
  await using other = await LoopbackServer.listenTls(pair);
  using agents = new RotatingAgent({ isTls: true, proxy: undefined, maxKeptConnections });
  const agent = await agents.agentFor({ ca: authority.certificate, rejectUnauthorized: true });
  const leanOnes: boolean[] = [];
  for (const server of [one, other]) {
    server.answer = replyWith({});
    const [response] = (await once(get(server.url, { agent }), 'response')) as [IncomingMessage];
    // Over the handle of a socket, TLS has an address; over a stream it has none.
    leanOnes.push(response.socket.remoteAddress === undefined);
    response.resume();
    await once(response, 'close');
  }
  expect(leanOnes).toEqual(areLean);
});
