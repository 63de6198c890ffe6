import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';

import { beforeAll, describe, expect, it } from 'vitest';

import type { RequestError } from '../../src/base/errors.js';
import type { TlsMaterial } from '../../src/credentials/credentials.js';
import { KubeletClient } from '../../src/kubelet/client.js';
import { DirectTransport } from '../../src/kubelet/direct-transport.js';
import { aNode } from '../support/builders.js';
import { type KeyPair, TestAuthority } from '../support/certificates.js';
import { ManualClock } from '../support/manual-clock.js';
import { KubeletServer, respondWith, summaryText } from './kubelet-server.js';

const never = new AbortController().signal;
const json = { 'content-type': 'application/json' };

let authority: TestAuthority;
let otherAuthority: TestAuthority;
let pair: KeyPair;

beforeAll(async () => {
  [authority, otherAuthority] = await Promise.all([TestAuthority.create(), TestAuthority.create('other-ca')]);
  pair = await authority.issueServer();
});

/** A client of the kubelet on `port`, with changeable credentials. */
class World implements Disposable {
  readonly clock = new ManualClock();
  readonly results: string[] = [];
  readonly #transport: DirectTransport;
  readonly #client: KubeletClient;
  readonly #port: number;
  tls: TlsMaterial = { ca: authority.certificate, rejectUnauthorized: true };
  tokens = ['token-1'];
  invalidations = 0;

  constructor({ port }: { readonly port: number }) {
    this.#port = port;
    this.#transport = new DirectTransport({
      addressTypes: ['InternalIP'],
      port: undefined,
      credentials: {
        headers: () => Promise.resolve({ authorization: `Bearer ${this.tokens[0] ?? ''}` }),
        tls: () => Promise.resolve(this.tls),
        invalidate: () => {
          this.invalidations++;
          if (this.tokens.length > 1) this.tokens.shift();
        },
      },
    });
    this.#client = new KubeletClient({
      transport: this.#transport,
      requestTimeoutMs: 10_000,
      maxBodyBytes: 1_000_000,
      clock: this.clock,
      observer: { requestFinished: (result) => this.results.push(result) },
    });
  }

  fetch(name = 'node-1', signal = never) {
    const addresses = [{ type: 'InternalIP', address: '127.0.0.1' }];
    return this.#client.fetchSummary(aNode({ name, addresses, kubeletPort: this.#port }), signal);
  }

  fetchThresholds() {
    const addresses = [{ type: 'InternalIP', address: '127.0.0.1' }];
    return this.#client.fetchEvictionThresholds(aNode({ addresses, kubeletPort: this.#port }), never);
  }

  async failure(work: Promise<unknown> = this.fetch()): Promise<RequestError> {
    return work.then(
      () => {
        throw new Error('it did not fail');
      },
      (error: unknown) => error as RequestError,
    );
  }

  [Symbol.dispose](): void {
    this.#transport[Symbol.dispose]();
    expect(this.clock.sleeperCount).toBe(0);
  }
}

describe('a request to a kubelet', () => {
  it('asks for the whole summary with the token', async () => {
    await using kubelet = await KubeletServer.listen(pair);
    using world = new World(kubelet);
    expect(await world.fetch()).toMatchObject({ nodeName: 'node-1', pods: [] });
    expect(kubelet.requests).toHaveLength(1);
    expect(kubelet.requests[0]).toMatchObject({ method: 'GET', url: '/stats/summary' });
    expect(kubelet.requests[0]?.headers).toMatchObject({
      authorization: 'Bearer token-1',
      accept: 'application/json',
      host: `127.0.0.1:${kubelet.port}`,
    });
    expect(world.results).toEqual(['success']);
  });

  it('asks for the configuration in the same way', async () => {
    await using kubelet = await KubeletServer.listen(pair);
    kubelet.answer = respondWith({ body: '{"kubeletconfig":{"evictionHard":{"nodefs.available":"1Gi"}}}' });
    using world = new World(kubelet);
    expect(await world.fetchThresholds()).toMatchObject({ nodefs: { available: { amount: 2 ** 30 } } });
    expect(kubelet.requests[0]).toMatchObject({ method: 'GET', url: '/configz' });
    expect(kubelet.requests[0]?.headers).toMatchObject({ authorization: 'Bearer token-1' });
    expect(world.results).toEqual(['success']);
  });

  it('keeps its connection for the next one', async () => {
    await using kubelet = await KubeletServer.listen(pair);
    using world = new World(kubelet);
    for (let count = 0; count < 5; count++) await world.fetch();
    expect([kubelet.requests.length, kubelet.connectionCount]).toEqual([5, 1]);
  });

  it('shows its client certificate', async () => {
    await using kubelet = await KubeletServer.listen(pair, { requestCert: true, ca: authority.certificate });
    using world = new World(kubelet);
    world.tls = { ...world.tls, ...(await authority.issueClient('exporter')) };
    await world.fetch();
    expect(kubelet.connection(0).getPeerCertificate().subject.CN).toBe('exporter');
  });

  it.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON'])('takes %s', async (type) => {
    await using kubelet = await KubeletServer.listen(pair);
    kubelet.answer = respondWith({ headers: { 'content-type': type }, body: summaryText });
    using world = new World(kubelet);
    expect(await world.fetch()).toMatchObject({ nodeName: 'node-1' });
  });
});

describe('the certificate', () => {
  it.each<[string, () => Promise<KeyPair>, RegExp]>([
    ['of an unknown authority', () => otherAuthority.issueServer(), /name the CA .* in kubelet\.tls\.caFile$/],
    [
      'for another name',
      () => authority.issueServer({ dnsNames: ['node-1'], ipAddresses: ['192.0.2.1'] }),
      /set kubelet\.tls\.serverName to a name that the certificate carries$/,
    ],
    ['that has expired', () => authority.issueServer({ isExpired: true }), /certificate has expired/],
  ])('%s is refused before anything is sent', async (_name, issue, mend) => {
    await using kubelet = await KubeletServer.listen(await issue());
    using world = new World(kubelet);
    const failure = await world.failure();
    expect(failure).toMatchObject({ name: 'RequestError', reason: 'tls' });
    expect(failure.message).toContain(`summary of node node-1 from https://127.0.0.1:${kubelet.port}: `);
    expect(failure.message).toMatch(mend);
    expect(failure.message).not.toContain('token-1');
    expect(kubelet.requests).toEqual([]);
    expect(world.results).toEqual(['tls']);
  });

  it.each([
    ['node-1', '{node}'],
    ['node-1.nodes.example', '{node}.nodes.example'],
    ['kubelet', 'kubelet'],
  ])('for %s is accepted with the server name %s', async (dnsName, serverName) => {
    const named = await authority.issueServer({ dnsNames: [dnsName], ipAddresses: ['192.0.2.1'] });
    await using kubelet = await KubeletServer.listen(named);
    using world = new World(kubelet);
    world.tls = { ...world.tls, serverName };
    expect(await world.fetch()).toMatchObject({ nodeName: 'node-1' });
  });

  it('of one node is not accepted for another one, not even on a kept connection', async () => {
    const named = await authority.issueServer({ dnsNames: ['node-1'], ipAddresses: ['192.0.2.1'] });
    await using kubelet = await KubeletServer.listen(named);
    using world = new World(kubelet);
    world.tls = { ...world.tls, serverName: '{node}' };
    await world.fetch('node-1');
    await expect(world.fetch('node-2')).rejects.toMatchObject({ reason: 'tls' });
    expect(kubelet.requests).toHaveLength(1);
  });

  it('is not looked at when verification is switched off', async () => {
    await using kubelet = await KubeletServer.listen(await otherAuthority.issueServer({ isExpired: true }));
    using world = new World(kubelet);
    world.tls = { ...world.tls, rejectUnauthorized: false };
    expect(await world.fetch()).toMatchObject({ nodeName: 'node-1' });
  });

  it('is asked for: plain HTTP is never spoken', async () => {
    let requestCount = 0;
    const server = createServer(() => requestCount++).listen(0, '127.0.0.1');
    await once(server, 'listening');
    using world = new World({ port: (server.address() as AddressInfo).port });
    expect((await world.failure()).reason).toBe('tls');
    expect(requestCount).toBe(0);
    server.close();
    await once(server, 'close');
  });
});

describe('TLS material that changes', () => {
  it('is used for the next request; one under way ends on the old connection', async () => {
    await using kubelet = await KubeletServer.listen(pair, { requestCert: true, ca: authority.certificate });
    const answers: (() => void)[] = [];
    kubelet.answer = (request, response) => {
      answers.push(() => {
        respondWith({ body: summaryText })(request, response);
      });
    };
    using world = new World(kubelet);
    world.tls = { ...world.tls, ...(await authority.issueClient('old')) };
    const firstArrived = kubelet.nextRequest();
    const first = world.fetch();
    await firstArrived;
    world.tls = { ...world.tls, ...(await authority.issueClient('new')) };
    const secondArrived = kubelet.nextRequest();
    const second = world.fetch();
    await secondArrived;
    const names = [0, 1].map((index) => kubelet.connection(index).getPeerCertificate().subject.CN);
    expect(names).toEqual(['old', 'new']);
    const oldConnectionClosed = once(kubelet.connection(0), 'close');
    for (const answer of answers) answer();
    expect(await Promise.all([first, second])).toMatchObject([{ nodeName: 'node-1' }, { nodeName: 'node-1' }]);
    await oldConnectionClosed;
    kubelet.answer = respondWith({ body: summaryText });
    await world.fetch();
    expect(kubelet.connectionCount).toBe(2);
  });

  it('that cannot be used is a failure of the request', async () => {
    await using kubelet = await KubeletServer.listen(pair);
    using world = new World(kubelet);
    world.tls = { ...world.tls, cert: 'nonsense', key: 'nonsense' };
    expect((await world.failure()).reason).toBe('tls');
  });
});

describe('a 401', () => {
  const checkToken = (kubelet: KubeletServer, token: string): void => {
    kubelet.answer = (request, response) => {
      const isGood = request.headers.authorization === `Bearer ${token}`;
      respondWith(isGood ? { body: summaryText } : { status: 401, headers: {}, body: 'Unauthorized' })(
        request,
        response,
      );
    };
  };

  it('is answered with a token that is read anew, once', async () => {
    await using kubelet = await KubeletServer.listen(pair);
    checkToken(kubelet, 'token-2');
    using world = new World(kubelet);
    world.tokens = ['token-1', 'token-2'];
    expect(await world.fetch()).toMatchObject({ nodeName: 'node-1' });
    expect([kubelet.requests.length, world.invalidations]).toEqual([2, 1]);
    expect(world.results).toEqual(['success']);
  });

  it('that stays is told with the mend', async () => {
    await using kubelet = await KubeletServer.listen(pair);
    checkToken(kubelet, 'token-9');
    using world = new World(kubelet);
    const failure = await world.failure();
    expect(failure).toMatchObject({ reason: 'unauthorized', status: 401 });
    expect(failure.message).toContain('the kubelet answered 401: Unauthorized; the token or client certificate is');
    expect(failure.message).not.toContain('token-1');
    expect([kubelet.requests.length, world.invalidations]).toEqual([2, 1]);
  });
});

describe('a refusal', () => {
  const forbidden =
    'Forbidden (user=system:serviceaccount:default:exporter, verb=get, resource=nodes, subresource=stats)';

  it.each([
    [
      403,
      forbidden,
      'forbidden',
      `${forbidden}; grant it with the RBAC rule {apiGroups: [""], resources: ["nodes/stats"], verbs: ["get"]} in its ClusterRole`,
    ],
    [404, '404 page not found', 'not_found', 'the kubelet answered 404: 404 page not found'],
    [500, 'internal error', 'http_status', 'the kubelet answered 500: internal error'],
    [503, '', 'http_status', 'the kubelet answered 503'],
    [204, '', 'http_status', 'the kubelet answered 204'],
    [429, 'two\n  lines\u0000\t', 'http_status', 'the kubelet answered 429: two lines'],
  ])('%i (%j) is %s', async (status, body, reason, message) => {
    await using kubelet = await KubeletServer.listen(pair);
    kubelet.answer = respondWith({ status, headers: {}, body });
    using world = new World(kubelet);
    const failure = await world.failure();
    expect(failure).toMatchObject({ reason, status });
    expect(failure.message.slice(-message.length)).toBe(message);
    expect(kubelet.requests).toHaveLength(1);
  });

  it('of the configuration names the rule for it', async () => {
    await using kubelet = await KubeletServer.listen(pair);
    kubelet.answer = respondWith({ status: 403, headers: {}, body: 'Forbidden' });
    using world = new World(kubelet);
    const failure = await world.failure(world.fetchThresholds());
    expect(failure).toMatchObject({ reason: 'forbidden', status: 403 });
    expect(failure.message).toBe(
      `configuration of node node-1 from https://127.0.0.1:${kubelet.port}: the kubelet answered 403: Forbidden; grant it with the RBAC rule {apiGroups: [""], resources: ["nodes/configz"], verbs: ["get"]} in its ClusterRole, which kubelets heed from Kubernetes 1.33 on, or set kubelet.readConfig to false`,
    );
  });

  it('is quoted without the token that it repeats', async () => {
    await using kubelet = await KubeletServer.listen(pair);
    kubelet.answer = (request, response) => {
      const body = `not for ${request.headers.authorization ?? ''}, nor for "token-1"`;
      respondWith({ status: 500, headers: {}, body })(request, response);
    };
    using world = new World(kubelet);
    const { message } = await world.failure();
    expect(message).toContain('500: not for Bearer …, nor for "…"');
    expect(message).not.toContain('token-1');
  });

  it('quotes no more than 300 characters of the kubelet, and reads little more', async () => {
    await using kubelet = await KubeletServer.listen(pair);
    kubelet.answer = respondWith({ status: 403, headers: {}, body: 'x'.repeat(10_000_000) });
    using world = new World(kubelet);
    const { message } = await world.failure();
    expect(message).toContain(`403: ${'x'.repeat(300)}…; grant`);
  });

  it.each([301, 302, 307, 308])('%i is not followed', async (status) => {
    await using kubelet = await KubeletServer.listen(pair);
    await using target = await KubeletServer.listen(pair);
    const location = `https://127.0.0.1:${target.port}/stats/summary`;
    kubelet.answer = respondWith({ status, headers: { location }, body: '' });
    using world = new World(kubelet);
    expect(await world.failure()).toMatchObject({
      reason: 'http_status',
      status,
      message: expect.stringMatching(/redirects are not followed$/) as string,
    });
    expect(target.requests).toEqual([]);
  });
});

describe('an answer that is none', () => {
  it('such as a switch of protocols fails the request', async () => {
    await using kubelet = await KubeletServer.listen(pair);
    kubelet.answer = ({ socket }) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n');
    };
    using world = new World(kubelet);
    expect(await world.failure()).toMatchObject({
      reason: 'connection',
      message: expect.stringContaining('it was closed without an answer') as string,
    });
    kubelet.answer = respondWith({ body: summaryText });
    expect(await world.fetch()).toMatchObject({ nodeName: 'node-1' });
  });
});

describe('a body', () => {
  it.each([
    [{ 'content-type': 'text/html' }, 'content type "text/html", encoding "identity"'],
    [{}, 'content type "none", encoding "identity"'],
    [{ 'content-type': 'application/vnd.kubernetes.protobuf' }, 'protobuf'],
    [{ 'content-type': 'application/json', 'content-encoding': 'gzip' }, 'encoding "gzip"'],
  ])('with the headers %j is refused', async (headers, message) => {
    await using kubelet = await KubeletServer.listen(pair);
    kubelet.answer = respondWith({ headers, body: summaryText });
    using world = new World(kubelet);
    const failure = await world.failure();
    expect(failure.reason).toBe('decode');
    expect(failure.message).toContain(message);
  });

  const half = summaryText.slice(0, 20);

  it.each([
    ['shorter than its Content-Length', { ...json, 'content-length': String(summaryText.length) }],
    ['whose last chunk never comes', json],
  ])('%s is a broken connection', async (_name, headers) => {
    await using kubelet = await KubeletServer.listen(pair);
    kubelet.answer = (_request, response) => {
      response.writeHead(200, headers);
      response.write(half, () => response.destroy());
    };
    using world = new World(kubelet);
    expect((await world.failure()).reason).toBe('connection');
  });

  it('that is complete and cut short all the same is not a summary', async () => {
    await using kubelet = await KubeletServer.listen(pair);
    kubelet.answer = respondWith({ body: half });
    using world = new World(kubelet);
    const failure = await world.failure();
    expect(failure.reason).toBe('decode');
    expect(failure.message).toContain(`summary of node node-1 from https://127.0.0.1:${kubelet.port}: 20 bytes that`);
  });

  it('above the limit ends the connection', async () => {
    await using kubelet = await KubeletServer.listen(pair);
    const closed = new Promise<void>((resolve) => {
      kubelet.answer = (_request, response) => {
        response.writeHead(200, json).on('close', resolve);
        response.write(Buffer.alloc(2_000_000, ' '));
      };
    });
    using world = new World(kubelet);
    expect((await world.failure()).reason).toBe('too_large');
    await closed;
  });
});

describe('the connection', () => {
  it('that is refused is told', async () => {
    const port = await freePort();
    using world = new World({ port });
    const failure = await world.failure();
    expect(failure.reason).toBe('connection');
    expect(failure.message).toContain('ECONNREFUSED');
  });

  it.each([
    ['before the headers', () => undefined],
    [
      'within the body',
      (response: { write: (text: string) => void }) => {
        response.write('{');
      },
    ],
  ])('on which nothing comes any more %s is given up at the time limit', async (_name, begin) => {
    await using kubelet = await KubeletServer.listen(pair);
    const closed = new Promise<void>((resolve) => {
      kubelet.answer = (_request, response) => {
        response.on('close', resolve).setHeader('content-type', 'application/json');
        begin(response);
      };
    });
    using world = new World(kubelet);
    const arrived = kubelet.nextRequest();
    const failed = world.failure();
    await arrived;
    await world.clock.advance(10_000);
    expect((await failed).reason).toBe('timeout');
    await closed;
  });

  it('ends when the caller breaks off', async () => {
    await using kubelet = await KubeletServer.listen(pair);
    const closed = new Promise<void>((resolve) => {
      kubelet.answer = (_request, response) => void response.on('close', resolve);
    });
    using world = new World(kubelet);
    const caller = new AbortController();
    const arrived = kubelet.nextRequest();
    const fetched = world.fetch('node-1', caller.signal);
    await arrived;
    caller.abort(new Error('stopping'));
    await expect(fetched).rejects.toThrow('stopping');
    await closed;
    expect(world.results).toEqual([]);
  });

  it('that was kept, and that the kubelet closes just then, costs no failure', async () => {
    await using kubelet = await KubeletServer.listen(pair);
    using world = new World(kubelet);
    await world.fetch();
    kubelet.answer = (request, response) => {
      if (request.socket === kubelet.connection(0)) request.socket.destroy();
      else respondWith({ body: summaryText })(request, response);
    };
    expect(await world.fetch()).toMatchObject({ nodeName: 'node-1' });
    expect([kubelet.requests.length, kubelet.connectionCount]).toEqual([3, 2]);
    expect(world.results).toEqual(['success', 'success']);
  });

  it('that is new and closed without an answer is a failure', async () => {
    await using kubelet = await KubeletServer.listen(pair);
    kubelet.answer = (request) => void request.socket.destroy();
    using world = new World(kubelet);
    expect((await world.failure()).reason).toBe('connection');
    expect(kubelet.requests).toHaveLength(1);
  });

  it('is closed when the transport is disposed of', async () => {
    await using kubelet = await KubeletServer.listen(pair);
    const world = new World(kubelet);
    await world.fetch();
    const closed = once(kubelet.connection(0), 'close');
    world[Symbol.dispose]();
    await closed;
  });

  it('waits for credentials no longer than a request may take', async () => {
    const clock = new ManualClock();
    const transport = new DirectTransport({
      addressTypes: ['InternalIP'],
      port: undefined,
      credentials: {
        headers: () => new Promise(() => undefined),
        tls: () => Promise.resolve({ rejectUnauthorized: true }),
        invalidate: () => undefined,
      },
    });
    const client = new KubeletClient({
      transport,
      requestTimeoutMs: 10_000,
      maxBodyBytes: 1,
      clock,
      observer: { requestFinished: () => undefined },
    });
    const failed = expect(client.fetchSummary(aNode(), never)).rejects.toMatchObject({ reason: 'timeout' });
    await clock.advance(10_000);
    await failed;
  });
});

async function freePort(): Promise<number> {
  const server = createTcpServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
