import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

import { beforeAll, describe, expect, it } from 'vitest';

import type { RequestError } from '../../src/base/errors.js';
import { type Credentials, staticCredentials, type TlsMaterial } from '../../src/credentials/credentials.js';
import { ApiClient } from '../../src/http/api-client.js';
import { ApiError } from '../../src/http/api-error.js';
import type { ApiResponse } from '../../src/http/api-transport.js';
import { type KeyPair, TestAuthority } from '../support/certificates.js';
import { ManualClock } from '../support/manual-clock.js';

const pods = { path: '/api/v1/pods' };
const never = new AbortController().signal;

interface Listening extends AsyncDisposable {
  readonly url: URL;
  readonly requests: IncomingMessage[];
  readonly sockets: Set<Socket>;
  connectionCount: number;
}

async function listen(server: Server, protocol = 'http'): Promise<Listening> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    listening.connectionCount += 1;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.prependListener('request', (request: IncomingMessage) => listening.requests.push(request));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const listening: Listening = {
    url: new URL(`${protocol}://127.0.0.1:${(server.address() as AddressInfo).port}`),
    requests: [],
    sockets,
    connectionCount: 0,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      for (const socket of sockets) socket.destroy();
      if (server.listening) await once(server, 'close');
    },
  };
  return listening;
}

const serve = (listener: RequestListener): Promise<Listening> => listen(createServer(listener));
const serveTls = (options: ServerOptions, listener: RequestListener): Promise<Listening> =>
  listen(createTlsServer(options, listener), 'https');

function json(response: ServerResponse, body: unknown, status = 200, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

function client(credentials: Credentials | URL, clock = new ManualClock()): ApiClient {
  return new ApiClient({
    credentials: credentials instanceof URL ? staticCredentials({ server: credentials, token: 't0' }) : credentials,
    clock,
    version: '1.2.3',
  });
}

/** Credentials whose parts the test changes as it goes. */
function changing(server: URL, state: { tokens?: string[]; tls?: TlsMaterial; proxyUrl?: URL }) {
  const { tokens = ['t0'], proxyUrl } = state;
  let invalidations = 0;
  return {
    ...staticCredentials({ server }),
    proxyUrl,
    headers: () =>
      Promise.resolve({ authorization: `Bearer ${tokens[Math.min(invalidations, tokens.length - 1)] ?? ''}` }),
    tls: () => Promise.resolve(state.tls ?? { rejectUnauthorized: true }),
    invalidate: () => {
      invalidations += 1;
    },
    invalidationCount: () => invalidations,
  };
}

async function text({ body }: ApiResponse): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function failure(work: Promise<unknown>): Promise<RequestError> {
  return work.then(
    () => Promise.reject(new Error('it did not fail')),
    (error: unknown) => error as RequestError,
  );
}

describe('ApiClient', () => {
  it('asks for JSON, uncompressed, under its own name, below the path of the server', async () => {
    await using server = await serve((_request, response) => {
      json(response, { items: [] });
    });
    using api = client(new URL('/k8s/clusters/c1/', server.url));
    const response = await api.open(
      { path: '/api/v1/pods', query: { labelSelector: 'a in (b,c)', limit: '5' } },
      never,
    );
    expect(response.status).toBe(200);
    expect(await text(response)).toBe('{"items":[]}');
    const [request] = server.requests;
    expect(request?.method).toBe('GET');
    expect(request?.url).toBe('/k8s/clusters/c1/api/v1/pods?labelSelector=a+in+%28b%2Cc%29&limit=5');
    expect(request?.headers).toMatchObject({
      accept: 'application/json',
      'accept-encoding': 'identity',
      authorization: 'Bearer t0',
      'user-agent': 'ephemeral-storage-exporter/1.2.3',
    });
  });

  it('keeps its connection from request to request', async () => {
    await using server = await serve((_request, response) => {
      json(response, {});
    });
    using api = client(server.url);
    for (let count = 0; count < 5; count += 1) await text(await api.open(pods, never));
    expect(server.requests).toHaveLength(5);
    expect(server.connectionCount).toBe(1);
  });

  it('takes a switch of protocols for a failure', async () => {
    await using server = await serve(({ socket }) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n');
    });
    using api = client(server.url);
    expect(await failure(api.open(pods, never))).toMatchObject({
      reason: 'connection',
      message: 'GET /api/v1/pods: connection failed: it was closed without an answer',
    });
  });

  it('asks again when the server closed the idle connection meanwhile', async () => {
    await using server = await serve((request, response) => {
      if (server.requests.length === 2) request.socket.destroy();
      else json(response, {});
    });
    using api = client(server.url);
    await text(await api.open(pods, never));
    expect(await text(await api.open(pods, never))).toBe('{}');
    expect(server.connectionCount).toBe(2);
  });

  it('passes on a connection that breaks at the first request', async () => {
    await using server = await serve((request) => request.socket.destroy());
    using api = client(server.url);
    expect(await failure(api.open(pods, never))).toMatchObject({ reason: 'connection' });
    expect(server.requests).toHaveLength(1);
  });

  it('says what it asked for when nobody listens', async () => {
    const server = await serve(() => undefined);
    await server[Symbol.asyncDispose]();
    using api = client(server.url);
    const error = await failure(api.open(pods, never));
    expect(error).toMatchObject({ name: 'RequestError', reason: 'connection' });
    expect(error.message).toContain('GET /api/v1/pods: connection failed: connect ECONNREFUSED 127.0.0.1');
  });

  it('decodes gzip although it did not ask for it', async () => {
    await using server = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      response.end(gzipSync('{"a":1}'));
    });
    using api = client(server.url);
    expect(await text(await api.open(pods, never))).toBe('{"a":1}');
  });

  it.each([
    ['gzip', 'no gzip at all', 'decode'],
    ['gzip', gzipSync('{"a":1}').subarray(0, 15), 'decode'],
    ['br', '{}', 'decode'],
  ])('refuses a body in %s that it cannot decode', async (encoding, body, reason) => {
    await using server = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding });
      response.end(body);
    });
    using api = client(server.url);
    expect(await failure(text(await api.open(pods, never)))).toMatchObject({ name: 'RequestError', reason });
  });

  it.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON;stream=watch'])(
    'takes %s for JSON',
    async (type) => {
      await using server = await serve((_request, response) => {
        json(response, {}, 200, { 'content-type': type });
      });
      using api = client(server.url);
      expect(await text(await api.open(pods, never))).toBe('{}');
    },
  );

  it.each(['text/html', 'application/jsonp', 'text/plain; x=application/json'])(
    'refuses %s in place of JSON, as a login page would be',
    async (type) => {
      await using server = await serve((_request, response) => {
        response.writeHead(200, { 'content-type': type }).end('<html>Please log in</html>');
      });
      using api = client(server.url);
      const error = await failure(api.open(pods, never));
      expect(error).toMatchObject({ reason: 'decode', status: 200 });
      expect(error.message).toBe(`GET /api/v1/pods: answered with ${type}, expected application/json`);
    },
  );

  it.each([301, 302, 307, 308])('does not follow a redirect with status %d', async (status) => {
    await using other = await serve((_request, response) => {
      json(response, {});
    });
    await using server = await serve((_request, response) => {
      response.writeHead(status, { location: new URL('/secret-path', other.url).href }).end();
    });
    using api = client(server.url);
    const error = await failure(api.open(pods, never));
    expect(error).toMatchObject({ reason: 'http_status', status });
    expect(error.message).toBe(`GET /api/v1/pods: answered ${status}; redirects are not followed`);
    expect(other.requests).toEqual([]);
  });

  describe('when the server answers with an error', () => {
    const answered = async (status: number, body: string | Buffer, headers: Record<string, string> = {}) => {
      await using server = await serve((_request, response) => {
        response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
      });
      using api = client(server.url);
      const error = await failure(api.open(pods, never));
      expect(error).toBeInstanceOf(ApiError);
      return error;
    };

    it('tells what its Status says', async () => {
      const message = 'pods is forbidden: User "ci" cannot list resource "pods" in API group "" at the cluster scope';
      const error = await answered(403, JSON.stringify({ kind: 'Status', reason: 'Forbidden', message, code: 403 }));
      expect(error).toMatchObject({ reason: 'forbidden', status: 403, statusReason: 'Forbidden' });
      expect(error.message).toBe(
        `GET /api/v1/pods: the API server answered 403: ${message}; ` +
          'grant it with the RBAC rule {apiGroups: [""], resources: ["pods"], verbs: ["list"]} in its ClusterRole',
      );
    });

    it('leaves the token out when its Status repeats it', async () => {
      await using server = await serve((request, response) => {
        const message = `no such token: ${request.headers.authorization ?? ''}`;
        response.writeHead(403, { 'content-type': 'application/json' }).end(JSON.stringify({ message }));
      });
      using api = new ApiClient({
        credentials: staticCredentials({ server: server.url, token: 's3cret' }),
        clock: new ManualClock(),
        version: '1.2.3',
      });
      const { message } = await failure(api.open(pods, never));
      expect(message).toContain('no such token: Bearer …');
      expect(message).not.toContain('s3cret');
    });

    it('reads the Status compressed too', async () => {
      const error = await answered(410, gzipSync('{"reason":"Expired"}'), { 'content-encoding': 'gzip' });
      expect(error).toMatchObject({ isExpired: true, statusReason: 'Expired' });
    });

    it.each([
      ['no JSON', 'service unavailable'],
      ['cut off', '{"message": "x'],
      ['longer than 64 KiB', JSON.stringify({ message: 'x', filler: 'y'.repeat(64 * 1024) })],
      ['empty', ''],
    ])('does without a body that is %s', async (_what, body) => {
      expect((await answered(503, body)).message).toBe('GET /api/v1/pods: the API server answered 503');
    });

    it.each([
      ['3', 3000],
      ['100000', 60_000],
      ['0', undefined],
      ['soon', undefined],
      [new Date(new ManualClock().nowMs() + 5000).toUTCString(), 5000],
      [new Date(new ManualClock().nowMs() - 5000).toUTCString(), undefined],
    ])('reads Retry-After: %s', async (value, retryAfterMs) => {
      expect(await answered(429, '{}', { 'retry-after': value })).toMatchObject({ retryAfterMs, status: 429 });
    });

    it('closes the connection of a body without end', async () => {
      await using server = await serve((_request, response) => {
        response.writeHead(500, { 'content-type': 'application/json' });
        response.write('x'.repeat(100 * 1024));
      });
      using api = client(server.url);
      expect(await failure(api.open(pods, never))).toMatchObject({ status: 500 });
      for (const socket of server.sockets) await once(socket, 'close');
    });
  });

  describe('after a 401', () => {
    const serveToken = (token: string): Promise<Listening> =>
      serve((request, response) => {
        json(response, {}, request.headers.authorization === `Bearer ${token}` ? 200 : 401);
      });

    it('reads the credentials anew and asks once more', async () => {
      await using server = await serveToken('new');
      const credentials = changing(server.url, { tokens: ['old', 'new'] });
      using api = client(credentials);
      expect(await text(await api.open(pods, never))).toBe('{}');
      expect(await text(await api.open(pods, never))).toBe('{}');
      expect(server.requests).toHaveLength(3);
      expect(credentials.invalidationCount()).toBe(1);
    });

    it('gives up when the new ones are refused too, and does not keep them', async () => {
      await using server = await serveToken('other');
      const credentials = changing(server.url, { tokens: ['old', 'new'] });
      using api = client(credentials);
      const error = await failure(api.open(pods, never));
      expect(error).toMatchObject({ reason: 'unauthorized', status: 401 });
      expect(error.message).toContain('the credentials are missing, wrong or expired');
      expect(error.message).not.toMatch(/old|new/);
      expect(server.requests).toHaveLength(2);
      expect(credentials.invalidationCount()).toBe(2);
    });
  });

  describe('when time is up or the caller gives up', () => {
    it('ends a request whose headers do not come within 35 s', async () => {
      await using server = await serve(() => undefined);
      const clock = new ManualClock();
      using api = client(server.url, clock);
      const opening = failure(api.open(pods, never));
      await new Promise((resolve) => setImmediate(resolve));
      await clock.advance(34_999);
      expect(clock.sleeperCount).toBe(1);
      await clock.advance(1);
      const error = await opening;
      expect(error).toMatchObject({ reason: 'timeout' });
      expect(error.message).toBe(`GET /api/v1/pods: no answer of ${server.url.host} within 35 s`);
    });

    it('ends a request whose credentials do not come', async () => {
      const clock = new ManualClock();
      const credentials = {
        ...staticCredentials({ server: new URL('http://127.0.0.1:1') }),
        headers: () => new Promise<never>(() => undefined),
      };
      using api = client(credentials, clock);
      const opening = failure(api.open(pods, never));
      await clock.advance(35_000);
      expect(await opening).toMatchObject({ reason: 'timeout' });
    });

    it('closes the connection at once when the caller gives up before the headers', async () => {
      const asked = deferred<Socket>();
      await using server = await serve((request) => {
        asked.resolve(request.socket);
      });
      using api = client(server.url);
      const caller = new AbortController();
      const opening = failure(api.open(pods, caller.signal));
      const closed = once(await asked.promise, 'close');
      const reason = new Error('shutting down');
      caller.abort(reason);
      expect(await opening).toBe(reason);
      await closed;
    });

    it('closes the connection when the caller gives up in mid body', async () => {
      await using server = await serve((_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).write('{"items":[');
      });
      using api = client(server.url);
      const caller = new AbortController();
      const response = await api.open(pods, caller.signal);
      const [socket] = server.sockets;
      if (socket === undefined) throw new Error('no connection');
      const closed = once(socket, 'close');
      const reading = failure(text(response));
      const reason = new Error('shutting down');
      caller.abort(reason);
      expect(await reading).toBe(reason);
      await closed;
    });

    it('closes the connection of a body that nobody reads', async () => {
      await using server = await serve((_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).write('{"items":[');
      });
      using api = client(server.url);
      const caller = new AbortController();
      await api.open(pods, caller.signal);
      const [socket] = server.sockets;
      if (socket === undefined) throw new Error('no connection');
      const closed = once(socket, 'close');
      caller.abort();
      await closed;
    });

    it('does not ask at all when the caller has given up before', async () => {
      await using server = await serve(() => undefined);
      using api = client(server.url);
      const reason = new Error('shutting down');
      expect(await failure(api.open(pods, AbortSignal.abort(reason)))).toBe(reason);
      expect(server.connectionCount).toBe(0);
    });

    it('leaves no timer behind', async () => {
      await using server = await serve((_request, response) => {
        json(response, {});
      });
      const clock = new ManualClock();
      using api = client(server.url, clock);
      await text(await api.open(pods, never));
      expect(clock.sleeperCount).toBe(0);
    });
  });

  describe('while the body is read', () => {
    it.each(['identity', 'gzip'])('says that the connection broke (%s)', async (encoding) => {
      await using server = await serve((request, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding });
        response.write(encoding === 'gzip' ? gzipSync('{"a":1}').subarray(0, 15) : '{"items":[', () =>
          request.socket.destroy(),
        );
      });
      using api = client(server.url);
      const response = await api.open(pods, never);
      expect(await failure(text(response))).toMatchObject({ name: 'RequestError', reason: 'connection' });
    });

    it('says so when fewer bytes come than promised', async () => {
      await using server = await serve((request, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
        response.write('{}', () => request.socket.end());
      });
      using api = client(server.url);
      expect(await failure(text(await api.open(pods, never)))).toMatchObject({ reason: 'connection' });
    });

    it('closes the connection when the reader stops early', async () => {
      await using server = await serve((_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).write('{"items":[');
      });
      using api = client(server.url);
      const { body } = await api.open(pods, never);
      const [socket] = server.sockets;
      if (socket === undefined) throw new Error('no connection');
      const closed = once(socket, 'close');
      for await (const chunk of body) {
        expect(chunk.toString()).toBe('{"items":[');
        break;
      }
      await closed;
    });
  });
});

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

describe('ApiClient over TLS', () => {
  let authority: TestAuthority;
  let server: KeyPair;
  beforeAll(async () => {
    authority = await TestAuthority.create();
    server = await authority.issueServer({ dnsNames: ['kubernetes'] });
  });
  const ok: RequestListener = (_request, response) => {
    json(response, {});
  };

  it('trusts the authority of the credentials', async () => {
    await using listening = await serveTls(server, ok);
    using api = client(staticCredentials({ server: listening.url, ca: authority.certificate }));
    expect(await text(await api.open(pods, never))).toBe('{}');
  });

  it('refuses a certificate of an unknown authority', async () => {
    await using listening = await serveTls(server, ok);
    using api = client(listening.url);
    const error = await failure(api.open(pods, never));
    expect(error).toMatchObject({ reason: 'tls' });
    expect(error.message).toContain('set the CA that signed the certificate');
    expect(listening.requests).toEqual([]);
  });

  it('refuses an expired certificate', async () => {
    await using listening = await serveTls(await authority.issueServer({ isExpired: true }), ok);
    using api = client(staticCredentials({ server: listening.url, ca: authority.certificate }));
    expect(await failure(api.open(pods, never))).toMatchObject({ reason: 'tls' });
  });

  it('refuses a certificate of another name, unless that name is the one to expect', async () => {
    const other = await authority.issueServer({ dnsNames: ['other'], ipAddresses: ['192.0.2.1'] });
    await using listening = await serveTls(other, ok);
    const tls = { ca: authority.certificate, rejectUnauthorized: true };
    using api = client(changing(listening.url, { tls }));
    expect(await failure(api.open(pods, never))).toMatchObject({ reason: 'tls' });
    using named = client(changing(listening.url, { tls: { ...tls, serverName: 'other' } }));
    expect(await text(await named.open(pods, never))).toBe('{}');
  });

  it('takes any certificate when verification is off', async () => {
    await using listening = await serveTls(server, ok);
    using api = client(changing(listening.url, { tls: { rejectUnauthorized: false } }));
    expect(await text(await api.open(pods, never))).toBe('{}');
  });

  it('shows its client certificate', async () => {
    const options = { ...server, ca: authority.certificate, requestCert: true, rejectUnauthorized: true };
    await using listening = await serveTls(options, ok);
    const tls = { ca: authority.certificate, rejectUnauthorized: true };
    using anonymous = client(changing(listening.url, { tls }));
    expect((await failure(anonymous.open(pods, never))).reason).toMatch(/^(?:tls|connection)$/);
    using known = client(changing(listening.url, { tls: { ...tls, ...(await authority.issueClient('exporter')) } }));
    expect(await text(await known.open(pods, never))).toBe('{}');
  });

  it('connects anew when the TLS material changes, and lets requests under way end', async () => {
    const held: ServerResponse[] = [];
    await using listening = await serveTls(server, (request, response) => {
      if (request.url !== '/slow') {
        json(response, {});
        return;
      }
      response.writeHead(200, { 'content-type': 'application/json' }).write('{');
      held.push(response);
    });
    const state = { tls: { ca: authority.certificate, rejectUnauthorized: true } };
    using api = client(changing(listening.url, state));
    const slow = await api.open({ path: '/slow' }, never);
    await text(await api.open(pods, never));
    await text(await api.open(pods, never));
    expect(listening.connectionCount).toBe(2);
    const [busy, idle] = listening.sockets;
    if (busy === undefined || idle === undefined) throw new Error('no connections');
    const closed = Promise.all([once(busy, 'close'), once(idle, 'close')]);

    const next = await TestAuthority.create('next-ca');
    state.tls = { ca: `${authority.certificate}\n${next.certificate}`, rejectUnauthorized: true };
    await text(await api.open(pods, never));
    await text(await api.open(pods, never));
    expect(listening.connectionCount).toBe(3);

    for (const response of held) response.end('}');
    expect(await text(slow)).toBe('{}');
    await closed;
    expect(listening.sockets.size).toBe(1);
  });

  it('says that plain HTTP answered', async () => {
    await using listening = await serve(ok);
    const url = new URL(listening.url);
    url.protocol = 'https:';
    using api = client(url);
    expect(await failure(api.open(pods, never))).toMatchObject({ reason: 'tls' });
  });
});

describe('ApiClient through a proxy', () => {
  const ok: RequestListener = (_request, response) => {
    json(response, {});
  };

  /** Tunnels CONNECT requests; each is noted with its credentials. */
  async function httpProxy(tunnels: string[]): Promise<Listening> {
    const server = createServer();
    server.on('connect', (request, socket) => {
      tunnels.push(`${request.url ?? ''} ${request.headers['proxy-authorization'] ?? ''}`.trim());
      const [host = '', port = ''] = (request.url ?? '').split(':');
      const target = connect(Number(port), host, () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        target.pipe(socket).pipe(target);
      });
      target.on('error', () => socket.destroy());
      socket.on('error', () => target.destroy());
      socket.on('close', () => target.destroy());
    });
    return listen(server);
  }

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

  it('tunnels TLS, with the credentials of the proxy URL, and keeps the tunnel', async () => {
    const authority = await TestAuthority.create();
    await using server = await serveTls(await authority.issueServer(), ok);
    const tunnels: string[] = [];
    await using proxy = await httpProxy(tunnels);
    const proxyUrl = new URL(proxy.url);
    proxyUrl.username = 'user';
    proxyUrl.password = 'pass';
    using api = client(
      changing(server.url, { proxyUrl, tls: { ca: authority.certificate, rejectUnauthorized: true } }),
    );
    expect(await text(await api.open(pods, never))).toBe('{}');
    expect(await text(await api.open(pods, never))).toBe('{}');
    expect(tunnels).toEqual([`${server.url.host} Basic ${Buffer.from('user:pass').toString('base64')}`]);
  });

  it('tunnels plain HTTP', async () => {
    await using server = await serve(ok);
    const tunnels: string[] = [];
    await using proxy = await httpProxy(tunnels);
    using api = client(changing(server.url, { proxyUrl: proxy.url }));
    expect(await text(await api.open(pods, never))).toBe('{}');
    expect(tunnels).toEqual([server.url.host]);
  });

  it('goes through SOCKS, with TLS verification inside', async () => {
    const authority = await TestAuthority.create();
    await using server = await serveTls(await authority.issueServer(), ok);
    const tunnels: string[] = [];
    await using proxy = await socksProxy(tunnels);
    const tls = { ca: authority.certificate, rejectUnauthorized: true };
    using api = client(changing(server.url, { proxyUrl: proxy.url, tls }));
    expect(await text(await api.open(pods, never))).toBe('{}');
    expect(await text(await api.open(pods, never))).toBe('{}');
    expect(tunnels).toEqual([server.url.host]);
    using untrusting = client(changing(server.url, { proxyUrl: proxy.url }));
    expect(await failure(untrusting.open(pods, never))).toMatchObject({ reason: 'tls' });
    using misnaming = client(changing(server.url, { proxyUrl: proxy.url, tls: { ...tls, serverName: 'other' } }));
    expect(await failure(misnaming.open(pods, never))).toMatchObject({ reason: 'tls' });
  });

  it('says that the proxy refused', async () => {
    await using proxy = await listen(
      createServer().on('connect', (_request, socket) => {
        socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      }),
    );
    using api = client(changing(new URL('https://192.0.2.1'), { proxyUrl: proxy.url }));
    const error = await failure(api.open(pods, never));
    expect(error).toMatchObject({ reason: 'connection' });
    expect(error.message).toContain('407');
  });

  it('closes its connection to a proxy that hangs', async () => {
    const ended = deferred<undefined>();
    await using proxy = await listen(
      createServer().on('connect', (_request, socket) => {
        socket.resume().once('end', () => {
          ended.resolve(undefined);
        });
      }),
    );
    using api = new ApiClient({
      credentials: changing(new URL('https://192.0.2.1'), { proxyUrl: proxy.url }),
      clock: new ManualClock(),
      version: '0',
      headersTimeoutMs: 50,
    });
    expect((await failure(api.open(pods, never))).message).toContain('Proxy timeout');
    await ended.promise;
  });

  it('gives up at once while the proxy hangs', async () => {
    const asked = deferred<undefined>();
    await using proxy = await listen(
      createServer().on('connect', () => {
        asked.resolve(undefined);
      }),
    );
    using api = client(changing(new URL('https://192.0.2.1'), { proxyUrl: proxy.url }));
    const caller = new AbortController();
    const opening = failure(api.open(pods, caller.signal));
    await asked.promise;
    const reason = new Error('shutting down');
    caller.abort(reason);
    expect(await opening).toBe(reason);
  });
});
