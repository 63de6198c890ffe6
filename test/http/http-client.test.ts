// @module-tag sockets

import { TLSSocket } from 'node:tls';
import { gzipSync } from 'node:zlib';

import { beforeAll, describe, expect, test } from 'vitest';

import type { CredentialMaterial } from '../../src/cluster/credentials/credentials.js';
import { staticCredentials } from '../../src/cluster/credentials/credentials.js';
import { ApiClient } from '../../src/cluster/http/api-client.js';
import { directTransport } from '../../src/cluster/kubelet/direct-transport.js';
import { aNode } from '../support/builders.js';
import { type KeyPair, TestAuthority } from '../support/certificates.js';
import { untilEnd } from '../support/fixtures.js';
import { ManualClock } from '../support/manual-clock.js';
import { never } from '../support/signals.js';
import { failureOf, LoopbackServer, replyPartly, replyWith, textOf } from './loopback-server.js';

// What holds for every GET, whether it goes to the API server or directly to a kubelet.

const version = '1.2.3';

let authority: TestAuthority;
let otherAuthority: TestAuthority;
let pair: KeyPair;

beforeAll(async () => {
  [authority, otherAuthority] = await Promise.all([TestAuthority.create(), TestAuthority.create('other-ca')]);
  pair = await authority.issueServer();
});

interface TargetOptions {
  readonly clock: ManualClock;
  readonly server: URL;
  readonly material: () => Promise<CredentialMaterial>;
  readonly invalidate: () => void;
}

interface Target extends Disposable {
  open(signal: AbortSignal): Promise<AsyncIterable<Buffer>>;
  /** With the same credentials: another path of the server, or the kubelet at another address. */
  openOther(server: URL): Promise<AsyncIterable<Buffer>>;
}

interface TargetKind {
  readonly name: string;
  /** Begins error messages. */
  readonly what: (server: URL) => string;
  /** Names the server in error messages. */
  readonly serverKind: string;
  readonly authorityHint: string;
  readonly serverNameHint: string;
  readonly create: (options: TargetOptions) => Target;
}

const path = '/stats/summary';

const apiServer: TargetKind = {
  name: 'the API server',
  what: () => `GET ${path}`,
  serverKind: 'the API server',
  authorityHint: 'set the CA that signed the certificate',
  serverNameHint: 'set the server name that the certificate carries',
  create: ({ server, clock, material, invalidate }) => {
    const credentials = { ...staticCredentials({ server }), material, invalidate, reread: material };
    const client = new ApiClient({ credentials, clock, version });
    return {
      open: (signal) => client.open({ path }, signal),
      openOther: ({ port }) => client.open({ path: `/other/${port}` }, never),
      [Symbol.dispose]: () => {
        client[Symbol.dispose]();
      },
    };
  },
};

const kubelet: TargetKind = {
  name: 'a kubelet',
  what: ({ origin }) => `summary of node node-1 from ${origin}`,
  serverKind: 'the kubelet',
  authorityHint: 'set kubelet.tls.caFile to the CA that signed the certificate',
  serverNameHint: 'set kubelet.tls.serverName to a name that the certificate carries',
  create: ({ server, clock, ...credentials }) => {
    const transport = directTransport({
      addressTypes: ['InternalIP'],
      port: undefined,
      credentials: { ...credentials, reread: credentials.material },
      clock,
      version,
      maxKeptConnections: 2,
      isApiServerAway: () => false,
    });
    const nodeAt = ({ hostname, port }: URL) => {
      const addresses = [{ type: 'InternalIP', address: hostname }];
      return aNode({ name: 'node-1', addresses, kubeletPort: Number(port) });
    };
    return {
      open: (signal) => transport.locate(nodeAt(server), path).open(signal),
      openOther: (other) => transport.locate(nodeAt(other), path).open(never),
      [Symbol.dispose]: () => {
        transport[Symbol.dispose]();
      },
    };
  },
};

/** The next request needs another connection. */
const closing = replyWith({ headers: { connection: 'close', 'content-type': 'application/json' } });

const gzipHeaders = { 'content-type': 'application/json', 'content-encoding': 'gzip' };

describe.each([apiServer, kubelet].map((kind) => [kind.name, kind] as const))('a GET from %s', (_name, kind) => {
  /** A client with credentials that the test changes. */
  class Client implements Disposable {
    readonly target: Target;
    readonly clock = new ManualClock();
    readonly #what: string;
    tls: CredentialMaterial['tls'] = { ca: authority.certificate, rejectUnauthorized: true };
    tokens = ['token-1'];
    invalidationCount = 0;

    constructor({ url }: Pick<LoopbackServer, 'url'>) {
      this.#what = kind.what(url);
      this.target = kind.create({
        server: url,
        clock: this.clock,
        material: () =>
          Promise.resolve({ headers: { authorization: `Bearer ${this.tokens[0] ?? ''}` }, tls: this.tls }),
        invalidate: () => {
          this.invalidationCount += 1;
          if (this.tokens.length > 1) this.tokens.shift();
        },
      });
    }

    read(signal = never): Promise<string> {
      return textOf(this.target.open(signal));
    }

    /** Of a request, whose message must begin with what was requested. */
    async failure(): Promise<Error> {
      const error = await failureOf(this.read());
      expect(error.message.slice(0, this.#what.length + 2)).toBe(`${this.#what}: `);
      expect(error.message).not.toMatch(/token-\d/);
      return error;
    }

    [Symbol.dispose](): void {
      this.target[Symbol.dispose]();
    }
  }

  const it = test
    .extend('server', ({ onTestFinished }) => untilEnd(onTestFinished, LoopbackServer.listenTls(pair)))
    .extend('client', ({ server, onTestFinished }) => untilEnd(onTestFinished, new Client(server)));

  it('a request asks for uncompressed JSON with the token and the version', async ({ server, client }) => {
    expect(await client.read()).toBe('{}');
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]).toMatchObject({ method: 'GET', url: path });
    expect(server.requests[0]?.headers).toMatchObject({
      host: server.url.host,
      authorization: 'Bearer token-1',
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': 'ephemeral-storage-exporter/1.2.3',
    });
  });

  it('a request is sent only once when a new connection breaks', async ({ server, client }) => {
    server.answer = (request) => void request.socket.destroy();
    expect(await client.failure()).toMatchObject({ reason: 'connection' });
    expect(server.requests).toHaveLength(1);
  });

  it('a request fails when nothing listens', async () => {
    const server = await LoopbackServer.listenTls(pair);
    const { url } = server;
    await server[Symbol.asyncDispose]();
    using client = new Client({ url });
    const error = await client.failure();
    expect(error).toMatchObject({ name: 'RequestError', reason: 'connection' });
    expect(error.message).toContain(`connection failed: connect ECONNREFUSED ${url.host}`);
  });

  it('a request is not sent when the caller has aborted', async ({ server, client }) => {
    const reason = new Error('stopping');
    expect(await failureOf(client.read(AbortSignal.abort(reason)))).toBe(reason);
    expect(server.connections).toEqual([]);
  });

  it('a request waits for credentials only until the caller aborts', async () => {
    const material = () => new Promise<never>(() => undefined);
    using target = kind.create({
      clock: new ManualClock(),
      server: new URL('https://127.0.0.1:1'),
      material,
      invalidate: () => undefined,
    });
    const caller = new AbortController();
    const failed = failureOf(target.open(caller.signal));
    const reason = new Error('stopping');
    caller.abort(reason);
    expect(await failed).toBe(reason);
  });

  it('a connection is reused', async ({ server, client }) => {
    for (let count = 0; count < 5; count += 1) await client.read();
    expect([server.requests.length, server.connections.length]).toEqual([5, 1]);
  });

  it('a connection that the server closes while it is idle costs no failure', async ({ server, client }) => {
    await client.read();
    server.answer = (request, response) => {
      if (request.socket === server.connections[0]) request.socket.destroy();
      else replyWith({})(request, response);
    };
    expect(await client.read()).toBe('{}');
    expect([server.requests.length, server.connections.length]).toEqual([3, 2]);
  });

  it('a connection is closed on disposal when it is idle', async ({ server }) => {
    const client = new Client(server);
    await client.read();
    client[Symbol.dispose]();
    await server.closed(0);
  });

  it('a connection is closed after its request when disposal comes earlier', async ({ server }) => {
    let finish = (): void => undefined;
    server.answer = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{');
      finish = () => void response.end('}');
    };
    const client = new Client(server);
    const body = await client.target.open(never);
    client[Symbol.dispose]();
    finish();
    expect(await textOf(Promise.resolve(body))).toBe('{}');
    await server.closed(0);
  });

  it('a connection is closed at once when the caller aborts before the headers', async ({ server, client }) => {
    server.answer = () => undefined;
    const caller = new AbortController();
    const arrived = server.nextRequest();
    const failed = failureOf(client.read(caller.signal));
    await arrived;
    const reason = new Error('stopping');
    caller.abort(reason);
    expect(await failed).toBe(reason);
    await server.closed(0);
  });

  it('a connection is closed at once when the caller aborts within the body', async ({ server, client }) => {
    server.answer = replyPartly;
    const caller = new AbortController();
    const body = await client.target.open(caller.signal);
    const failed = failureOf(textOf(Promise.resolve(body)));
    await new Promise((resolve) => setImmediate(resolve));
    const reason = new Error('stopping');
    caller.abort(reason);
    expect(await failed).toBe(reason);
    await server.closed(0);
  });

  it('a connection is closed at once when the caller aborts before it reads the body', async ({ server, client }) => {
    server.answer = replyPartly;
    const caller = new AbortController();
    const body = await client.target.open(caller.signal);
    const reason = new Error('stopping');
    caller.abort(reason);
    await server.closed(0);
    expect(await failureOf(textOf(Promise.resolve(body)))).toBe(reason);
  });

  it('a connection is closed at once when the reader stops early', async ({ server, client }) => {
    server.answer = replyPartly;
    for await (const chunk of await client.target.open(never)) {
      expect(chunk.toString()).toBe('{"items":[');
      break;
    }
    await server.closed(0);
  });

  it.for(['application/json', 'application/json; charset=utf-8', 'Application/JSON;stream=watch'])(
    'a response of type %s is accepted',
    async (type, { server, client }) => {
      server.answer = replyWith({ headers: { 'content-type': type } });
      expect(await client.read()).toBe('{}');
    },
  );

  it.for<[Record<string, string>, string]>([
    [{ 'content-type': 'text/html' }, 'text/html'],
    [{ 'content-type': 'application/jsonp' }, 'application/jsonp'],
    [{ 'content-type': 'text/plain; x=application/json' }, 'text/plain; x=application/json'],
    [{}, 'none'],
  ])('a response with the headers %j is refused', async ([headers, type], { server, client }) => {
    server.answer = replyWith({ headers, body: '<html>Please log in</html>' });
    const error = await client.failure();
    expect(error).toMatchObject({ reason: 'decode', status: 200 });
    expect(error.message).toMatch(new RegExp(`: content type "${type}" instead of application/json$`));
  });

  it.for<[string, Record<string, string>, (text: string) => string | Buffer]>([
    ['', {}, (text) => text],
    [', compressed', { 'content-encoding': 'gzip' }, (text) => gzipSync(text)],
  ])('a response that repeats the token is read without it%s', async ([, headers, encode], { server, client }) => {
    server.answer = (request, response) => {
      const body = encode(JSON.stringify({ nodeName: request.headers.authorization }));
      replyWith({ headers: { 'content-type': 'application/json', ...headers }, body })(request, response);
    };
    client.tokens = ['a-token-of-more-than-16-characters'];
    expect(await client.read()).toBe('{"nodeName":"Bearer …"}');
  });

  it.for(['content-type', 'content-encoding'])(
    'a response whose %s repeats the token is refused without it',
    async (name, { server, client }) => {
      server.answer = (request, response) => {
        const headers = { 'content-type': 'application/json', [name]: request.headers.authorization ?? '' };
        replyWith({ headers })(request, response);
      };
      client.tokens = ['a-token-of-more-than-16-characters'];
      const error = await client.failure();
      expect(error).toMatchObject({ reason: 'decode' });
      expect(error.message).not.toContain('16-characters');
    },
  );

  it('a response is decompressed at any ratio', async ({ server, client }) => {
    server.answer = replyWith({ headers: gzipHeaders, body: gzipSync(Buffer.alloc(15 * 1024 * 1024, ' ')) });
    expect(await client.read()).toHaveLength(15 * 1024 * 1024);
  });

  it.for<[string, string | Buffer, string]>([
    ['gzip', 'not gzip', 'corrupt compressed body'],
    ['gzip', gzipSync('{"a":1}').subarray(0, 15), 'corrupt compressed body'],
    ['br', '{}', 'unsupported content encoding "br"'],
  ])('a response in %s that cannot be decoded is refused', async ([encoding, body, message], { server, client }) => {
    const headers = { 'content-type': 'application/json', 'content-encoding': encoding };
    server.answer = replyWith({ headers, body });
    const error = await client.failure();
    expect(error).toMatchObject({ name: 'RequestError', reason: 'decode' });
    expect(error.message).toContain(message);
  });

  it.for<[string, Record<string, string>, string | Buffer]>([
    ['whose last chunk is missing', {}, '{"items":['],
    ['shorter than its Content-Length', { 'content-length': '100' }, '{"items":['],
    ['whose last compressed chunk is missing', { 'content-encoding': 'gzip' }, gzipSync('{"a":1}').subarray(0, 15)],
  ])('a response %s is a failed connection', async ([, headers, body], { server, client }) => {
    server.answer = (request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', ...headers });
      response.write(body, () => request.socket.destroy());
    };
    expect(await client.failure()).toMatchObject({ reason: 'connection' });
  });

  it('a response that switches protocols is a failed connection', async ({ server, client }) => {
    server.answer = ({ socket }) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n');
    };
    const error = await client.failure();
    expect(error).toMatchObject({ reason: 'connection' });
    expect(error.message).toContain('connection failed: the connection was closed without a response');
    server.answer = replyWith({});
    expect(await client.read()).toBe('{}');
  });

  it.for([301, 302, 307, 308])('a response with status %i is not followed', async (status, { server, client }) => {
    await using other = await LoopbackServer.listenTls(pair);
    server.answer = replyWith({ status, headers: { location: new URL('/secret-path', other.url).href } });
    const error = await client.failure();
    expect(error).toMatchObject({ reason: 'http_status', status });
    expect(error.message).toContain(`: the server answered ${status}; redirects are not followed`);
    expect(error.message).not.toContain('secret-path');
    expect(other.requests).toEqual([]);
  });

  it.for([
    [401, 'unauthorized'],
    [204, 'http_status'],
  ] as const)('an error response with status %i has the reason %s', async ([status, reason], { server, client }) => {
    server.answer = replyWith({ status, body: '' });
    const error = await client.failure();
    expect(error).toMatchObject({ reason, status });
    expect(error.message).toContain(`: ${kind.serverKind} answered ${status}`);
  });

  it('an error response that repeats the token is quoted without it', async ({ server, client }) => {
    server.answer = (request, response) => {
      const message = `not for ${request.headers.authorization ?? ''}, nor for token-1`;
      replyWith({ status: 500, body: JSON.stringify({ message }) })(request, response);
    };
    expect((await client.failure()).message).toContain('not for Bearer …, nor for …');
  });

  it('an error response is quoted without a token that is cut off at the size limit', async ({ server, client }) => {
    server.answer = replyWith({ status: 500, body: `${' '.repeat(64 * 1024 - 6)}token-1` });
    expect((await client.failure()).message).not.toContain('token');
  });

  it('an error response without end closes the connection', async ({ server, client }) => {
    server.answer = (_request, response) => {
      response.writeHead(500, { 'content-type': 'application/json' }).write('x'.repeat(100 * 1024));
    };
    expect(await client.failure()).toMatchObject({ status: 500 });
    await server.closed(0);
  });

  it('an error response keeps its status when its body breaks off', async ({ server, client }) => {
    server.answer = (request, response) => {
      response.writeHead(503, { 'content-length': '100' }).write('over', () => request.socket.destroy());
    };
    expect(await client.failure()).toMatchObject({ reason: 'http_status', status: 503 });
  });

  const acceptToken = (server: LoopbackServer, token: string): void => {
    server.answer = (request, response) => {
      const isAccepted = request.headers.authorization === `Bearer ${token}`;
      replyWith({ status: isAccepted ? 200 : 401 })(request, response);
    };
  };

  it('status 401 is followed by one more attempt with the credentials read again', async ({ server, client }) => {
    acceptToken(server, 'token-2');
    client.tokens = ['token-1', 'token-2'];
    expect(await client.read()).toBe('{}');
    expect([server.requests.length, client.invalidationCount]).toEqual([2, 1]);
    await client.read();
    expect([server.requests.length, client.invalidationCount]).toEqual([3, 1]);
  });

  it('status 401 is not repeated when the credentials are still the same', async ({ server, client }) => {
    acceptToken(server, 'token-9');
    client.tokens = ['token-1', 'token-1'];
    const error = await client.failure();
    expect(error).toMatchObject({ reason: 'unauthorized', status: 401 });
    expect(error.message).toContain('missing, invalid or expired');
    expect([server.requests.length, client.invalidationCount]).toEqual([1, 1]);
  });

  it('status 401 for new credentials has them read again after a pause', async ({ server, client }) => {
    acceptToken(server, 'token-9');
    client.tokens = ['token-1', 'token-2', 'token-3'];
    for (let count = 0; count < 10; count++) await client.failure();
    expect([server.requests.length, client.invalidationCount]).toEqual([11, 1]);
    await client.clock.advance(60_000);
    await client.failure();
    expect([server.requests.length, client.invalidationCount]).toEqual([13, 2]);
  });

  it('many with status 401 read credentials again once for all in a pause', async () => {
    await using first = await LoopbackServer.listenTls(pair);
    await using second = await LoopbackServer.listenTls(pair);
    acceptToken(first, 'none');
    acceptToken(second, 'none');
    using client = new Client(first);
    client.tokens = ['token-1', 'token-2', 'token-3'];
    const attempts = async (): Promise<void> => {
      await client.failure();
      for (const { url } of [first, second]) await failureOf(client.target.openOther(url));
      await client.failure();
    };
    await attempts();
    expect(client.invalidationCount).toBe(1);
    await client.clock.advance(59_999);
    await attempts();
    expect(client.invalidationCount).toBe(1);
    await client.clock.advance(1);
    await attempts();
    expect(client.invalidationCount).toBe(2);
  });

  it.each<[string, () => Promise<KeyPair>, string]>([
    ['of an unknown authority', () => otherAuthority.issueServer(), kind.authorityHint],
    [
      'for another name',
      () => authority.issueServer({ dnsNames: ['other'], ipAddresses: ['192.0.2.1'] }),
      kind.serverNameHint,
    ],
    ['that has expired', () => authority.issueServer({ isExpired: true }), 'certificate has expired'],
  ])('a server certificate %s is refused before anything is sent', async (_name, issue, hint) => {
    await using server = await LoopbackServer.listenTls(await issue());
    using client = new Client(server);
    const error = await client.failure();
    expect(error).toMatchObject({ name: 'RequestError', reason: 'tls' });
    expect(error.message).toContain(hint);
    expect(server.requests).toEqual([]);
  });

  it('a server certificate is verified for each server name, even on a kept connection', async () => {
    const named = await authority.issueServer({ dnsNames: ['other'], ipAddresses: ['192.0.2.1'] });
    await using server = await LoopbackServer.listenTls(named);
    using client = new Client(server);
    client.tls = { ...client.tls, serverName: 'other' };
    await client.read();
    client.tls = { ...client.tls, serverName: 'another' };
    expect(await client.failure()).toMatchObject({ reason: 'tls' });
    expect(server.requests).toHaveLength(1);
  });

  it('a server certificate is not sent again where an earlier session is resumed', async ({ server, client }) => {
    const isResumed: boolean[] = [];
    server.answer = (request, response) => {
      isResumed.push(request.socket instanceof TLSSocket && request.socket.isSessionReused());
      closing(request, response);
    };
    await client.read();
    await client.read();
    expect(isResumed).toEqual([false, true]);
  });

  it.for<[string, () => CredentialMaterial['tls']]>([
    ['other authorities', () => ({ ca: otherAuthority.certificate, rejectUnauthorized: true })],
    ['another name', () => ({ ca: authority.certificate, rejectUnauthorized: true, serverName: 'another' })],
  ])('a server certificate is verified against %s despite a session', async ([, changed], { server, client }) => {
    server.answer = closing;
    await client.read();
    client.tls = changed();
    expect(await client.failure()).toMatchObject({ reason: 'tls' });
    expect(server.requests).toHaveLength(1);
  });

  it('a server certificate is verified after verification was disabled', async () => {
    await using server = await LoopbackServer.listenTls(await otherAuthority.issueServer());
    server.answer = closing;
    using client = new Client(server);
    client.tls = { rejectUnauthorized: false };
    await client.read();
    client.tls = { ca: authority.certificate, rejectUnauthorized: true };
    expect(await client.failure()).toMatchObject({ reason: 'tls' });
  });

  it('a server certificate is required: a server of plain HTTP receives no request', async () => {
    await using server = await LoopbackServer.listen();
    using client = new Client({ url: new URL(`https://${server.url.host}`) });
    expect(await client.failure()).toMatchObject({ reason: 'tls' });
    expect(server.requests).toEqual([]);
  });

  it('a client certificate is presented', async () => {
    const options = { ...pair, ca: authority.certificate, requestCert: true, rejectUnauthorized: true };
    await using server = await LoopbackServer.listenTls(options);
    using anonymous = new Client(server);
    expect(['tls', 'connection']).toContain(((await anonymous.failure()) as Error & { reason: string }).reason);
    using client = new Client(server);
    client.tls = { ...client.tls, ...(await authority.issueClient('exporter')) };
    await client.read();
    expect(server.clientName(server.connections.length - 1)).toBe('exporter');
  });

  it('a client certificate that cannot be used fails the request', async ({ client }) => {
    client.tls = { ...client.tls, cert: 'nonsense', key: 'nonsense' };
    expect(await client.failure()).toMatchObject({ reason: 'tls' });
  });

  it('a client certificate that changes is used for the next request, not for those under way', async () => {
    await using server = await LoopbackServer.listenTls({ ...pair, ca: authority.certificate, requestCert: true });
    const answers: (() => void)[] = [];
    server.answer = (request, response) => {
      answers.push(() => {
        replyWith({})(request, response);
      });
    };
    using client = new Client(server);
    client.tls = { ...client.tls, ...(await authority.issueClient('old')) };
    let arrived = server.nextRequest();
    const first = client.read();
    await arrived;
    client.tls = { ...client.tls, ...(await authority.issueClient('new')) };
    arrived = server.nextRequest();
    const second = client.read();
    await arrived;
    expect([server.clientName(0), server.clientName(1)]).toEqual(['old', 'new']);
    for (const answer of answers) answer();
    expect(await Promise.all([first, second])).toEqual(['{}', '{}']);
    await server.closed(0);
    server.answer = replyWith({});
    await client.read();
    expect(server.connections).toHaveLength(2);
  });
});
