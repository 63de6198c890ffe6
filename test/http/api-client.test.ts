// @module-tag sockets

import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

import { describe, expect, test } from 'vitest';

import { staticCredentials, type TlsMaterial } from '../../src/cluster/credentials/credentials.js';
import { ApiClient } from '../../src/cluster/http/api-client.js';
import { ApiError } from '../../src/cluster/http/api-error.js';
import { TestAuthority } from '../support/certificates.js';
import { untilEnd } from '../support/fixtures.js';
import { ManualClock } from '../support/manual-clock.js';
import { never } from '../support/signals.js';
import { failureOf, httpProxy, LoopbackServer, replyWith, textOf } from './loopback-server.js';

// What is special to the API server; what holds for every GET stands in http-client.test.ts.

const pods = { path: '/api/v1/pods' };

interface ClientOptions {
  readonly tls?: TlsMaterial;
  readonly proxyUrl?: URL;
  readonly clock?: ManualClock;
  readonly headersTimeoutMs?: number;
}

function clientOf(server: URL, options: ClientOptions = {}): ApiClient {
  const { tls = { rejectUnauthorized: true }, proxyUrl, clock = new ManualClock(), ...rest } = options;
  const material = () => Promise.resolve({ headers: { authorization: 'Bearer t0' }, tls });
  const credentials = { ...staticCredentials({ server }), proxyUrl, material };
  return new ApiClient({ credentials, clock, version: '1.2.3', ...rest });
}

const it = test
  .extend('server', ({ onTestFinished }) => untilEnd(onTestFinished, LoopbackServer.listen()))
  .extend('api', ({ server, onTestFinished }) => untilEnd(onTestFinished, clientOf(server.url)));

it('a client reads below the path of the server, with the query', async ({ server }) => {
  using api = clientOf(new URL('/k8s/clusters/c1/', server.url));
  const query = { labelSelector: 'a in (b,c)', limit: '5' };
  expect(await textOf(api.open({ path: '/api/v1/pods', query }, never))).toBe('{}');
  const urls = server.requests.map(({ url }) => url);
  expect(urls).toEqual(['/k8s/clusters/c1/api/v1/pods?labelSelector=a+in+%28b%2Cc%29&limit=5']);
});

it('an error names the path as far as it is not too long to read', async ({ server, api }) => {
  server.answer = replyWith({ status: 404, body: '{"message":"no such thing"}' });
  const error = await failureOf(api.open({ path: `/api/v1/nodes/${'a'.repeat(5_000)}` }, never));
  expect(error.message).toMatch(/^GET \/api\/v1\/nodes\/a+…: .*no such thing/);
  expect(error.message.length).toBeLessThan(600);
});

it('a client reuses a connection of plain HTTP', async ({ server, api }) => {
  await textOf(api.open(pods, never));
  await textOf(api.open(pods, never));
  expect([server.requests.length, server.connections.length]).toEqual([2, 1]);
});

describe('ApiClient: an error response', () => {
  const answered = async (status: number, body: string | Buffer, headers: Record<string, string> = {}) => {
    await using server = await LoopbackServer.listen();
    server.answer = replyWith({ status, headers: { 'content-type': 'application/json', ...headers }, body });
    using api = clientOf(server.url);
    const error = await failureOf(api.open(pods, never));
    expect(error).toBeInstanceOf(ApiError);
    return error;
  };

  it('an error response may be compressed', async () => {
    const error = await answered(400, gzipSync('{"reason":"Expired"}'), { 'content-encoding': 'gzip' });
    expect(error).toMatchObject({ isExpired: true });
  });

  it.each([
    ['not JSON', 'service unavailable'],
    ['cut off', '{"message": "x'],
    ['longer than 64 KiB', JSON.stringify({ message: 'x', filler: 'y'.repeat(64 * 1024) })],
    ['empty', ''],
  ])('an error response is reported by its status when its body is %s', async (_what, body) => {
    expect((await answered(503, body)).message).toBe('GET /api/v1/pods: the API server answered 503');
  });
});

it('the time limit is 35 s to the headers', async ({ server }) => {
  server.answer = () => undefined;
  const clock = new ManualClock();
  using api = clientOf(server.url, { clock });
  const arrived = server.nextRequest();
  const failed = failureOf(api.open(pods, never));
  await arrived;
  await clock.advance(34_999);
  expect(clock.sleeperCount).toBe(1);
  await clock.advance(1);
  const error = await failed;
  expect(error).toMatchObject({ reason: 'timeout' });
  expect(error.message).toBe(`GET /api/v1/pods: no response from ${server.url.host} within 35 s`);
  await server.closed(0);
});

it('the time limit covers the wait for credentials', async () => {
  const clock = new ManualClock();
  const material = () => new Promise<never>(() => undefined);
  const credentials = { ...staticCredentials({ server: new URL('http://127.0.0.1:1') }), material };
  using api = new ApiClient({ credentials, clock, version: '0' });
  const failed = failureOf(api.open(pods, never));
  await clock.advance(35_000);
  expect(await failed).toMatchObject({ reason: 'timeout' });
});

it('the time limit leaves no timer behind', async ({ server }) => {
  const clock = new ManualClock();
  using api = clientOf(server.url, { clock });
  await textOf(api.open(pods, never));
  expect(clock.sleeperCount).toBe(0);
});

describe('ApiClient through a proxy', () => {
  /** SOCKS 5 without authentication, IPv4 targets only. */
  async function socksProxy(tunnels: string[]): Promise<AsyncDisposable & { url: URL }> {
    const sockets = new Set<Socket>();
    const server = createTcpServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('data', () => {
        socket.write(Buffer.from([5, 0]));
        socket.once('data', (request: Buffer) => {
          const host = [...request.subarray(4, 8)].join('.');
          const port = request.readUInt16BE(8);
          tunnels.push(`${host}:${port}`);
          const target = connect(port, host, () => {
            socket.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
            target.pipe(socket).pipe(target);
          });
          sockets.add(target);
        });
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return {
      url: new URL(`socks5://127.0.0.1:${(server.address() as AddressInfo).port}`),
      [Symbol.asyncDispose]: async () => {
        const closed = once(server, 'close');
        server.close();
        for (const socket of sockets) socket.destroy();
        await closed;
      },
    };
  }

  it('a client tunnels TLS, with the credentials of the proxy URL, and reuses the tunnel', async () => {
    const authority = await TestAuthority.create();
    await using server = await LoopbackServer.listenTls(await authority.issueServer());
    const tunnels: string[] = [];
    await using proxy = await httpProxy(tunnels);
    const proxyUrl = new URL(proxy.url);
    proxyUrl.username = 'user';
    proxyUrl.password = 'pass';
    using api = clientOf(server.url, { proxyUrl, tls: { ca: authority.certificate, rejectUnauthorized: true } });
    expect(await textOf(api.open(pods, never))).toBe('{}');
    expect(await textOf(api.open(pods, never))).toBe('{}');
    expect(tunnels).toEqual([`${server.url.host} Basic ${Buffer.from('user:pass').toString('base64')}`]);
  });

  it('a client tunnels plain HTTP through a proxy', async ({ server }) => {
    const tunnels: string[] = [];
    await using proxy = await httpProxy(tunnels);
    using api = clientOf(server.url, { proxyUrl: proxy.url });
    expect(await textOf(api.open(pods, never))).toBe('{}');
    expect(tunnels).toEqual([server.url.host]);
  });

  it('a client goes through SOCKS, with TLS verification inside', async () => {
    const authority = await TestAuthority.create();
    await using server = await LoopbackServer.listenTls(await authority.issueServer());
    const tunnels: string[] = [];
    await using proxy = await socksProxy(tunnels);
    const tls = { ca: authority.certificate, rejectUnauthorized: true };
    using api = clientOf(server.url, { proxyUrl: proxy.url, tls });
    expect(await textOf(api.open(pods, never))).toBe('{}');
    expect(await textOf(api.open(pods, never))).toBe('{}');
    expect(tunnels).toEqual([server.url.host]);
    using untrusting = clientOf(server.url, { proxyUrl: proxy.url });
    expect(await failureOf(untrusting.open(pods, never))).toMatchObject({ reason: 'tls' });
    using misnaming = clientOf(server.url, { proxyUrl: proxy.url, tls: { ...tls, serverName: 'other' } });
    expect(await failureOf(misnaming.open(pods, never))).toMatchObject({ reason: 'tls' });
  });

  it('a client fails with the status of a proxy that refuses', async () => {
    await using proxy = await LoopbackServer.listen(
      createServer().on('connect', (_request, socket) => {
        socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      }),
    );
    using api = clientOf(new URL('https://192.0.2.1'), { proxyUrl: proxy.url });
    const error = await failureOf(api.open(pods, never));
    expect(error).toMatchObject({ reason: 'connection' });
    expect(error.message).toContain('407');
  });

  it('a client closes its connection to a proxy that hangs', async () => {
    const hanging = createServer();
    const connected = once(hanging, 'connect') as Promise<[IncomingMessage, Socket]>;
    await using proxy = await LoopbackServer.listen(hanging);
    using api = clientOf(new URL('https://192.0.2.1'), { proxyUrl: proxy.url, headersTimeoutMs: 50 });
    expect((await failureOf(api.open(pods, never))).message).toContain('Proxy timeout');
    const [, socket] = await connected;
    await once(socket.resume(), 'end');
  });

  it('a client fails at once when the caller aborts while the proxy hangs', async () => {
    const hanging = createServer();
    const connected = once(hanging, 'connect');
    await using proxy = await LoopbackServer.listen(hanging);
    using api = clientOf(new URL('https://192.0.2.1'), { proxyUrl: proxy.url });
    const caller = new AbortController();
    const failed = failureOf(api.open(pods, caller.signal));
    await connected;
    const reason = new Error('stopping');
    caller.abort(reason);
    expect(await failed).toBe(reason);
  });
});

describe('ApiClient: a request with a body', () => {
  const review = {
    path: '/apis/authentication.k8s.io/v1/tokenreviews',
    body: { text: '{"a":"größe"}', secrets: ['s3cret'] },
  };

  it('a request with a body is a POST of JSON, and 201 is a success', async ({ server, api }) => {
    const bodies: string[] = [];
    server.answer = (request, response) => {
      void request.toArray().then((chunks) => {
        bodies.push(Buffer.concat(chunks as Buffer[]).toString());
        response.writeHead(201, { 'content-type': 'application/json' }).end('{"status":{}}');
      });
    };
    expect(await textOf(api.open(review, never))).toBe('{"status":{}}');
    const [request] = server.requests;
    expect([request?.method, request?.url, bodies]).toEqual(['POST', review.path, ['{"a":"größe"}']]);
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': '15',
      authorization: 'Bearer t0',
    });
  });

  it('a request with a body is sent again when the kept connection has ended', async ({ server, api }) => {
    await textOf(api.open(review, never));
    let isFirst = true;
    server.answer = (request, response) => {
      if (isFirst) request.socket.resetAndDestroy();
      else replyWith({})(request, response);
      isFirst = false;
    };
    expect(await textOf(api.open(review, never))).toBe('{}');
    expect(server.connections.length).toBe(2);
  });

  it.for(['', 'x'.repeat(64 * 1024 - 7)])(
    'a request with a body has no secret in its errors',
    async (padding, { server, api }) => {
      const body = JSON.stringify({ message: `${padding}not s3cret, not t0` });
      server.answer = replyWith({ status: 400, body });
      const error = await failureOf(api.open(review, never));
      expect(error.message).toMatch(
        /^POST \/apis\/authentication\.k8s\.io\/v1\/tokenreviews: the API server answered 400/,
      );
      expect(error.message).not.toMatch(/s3c|t0/);
    },
  );
});
