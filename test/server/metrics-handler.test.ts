// @module-tag sockets

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { gunzipSync } from 'node:zlib';

import { describe, expect, it } from 'vitest';

import type { ClusterSnapshot } from '../../src/facts/scrape/snapshot.js';
import { systemClock } from '../../src/lib/base/clock.js';
import { Scheduler } from '../../src/lib/base/scheduler.js';
import type { ExpositionBody } from '../../src/metrics/exposition/bodies.js';
import { send } from '../support/http-get.js';
import { ManualClock } from '../support/manual-clock.js';
import { aClusterSnapshot, aFreshNode, anAbsentNode, aNodeSnapshot } from '../support/snapshot-builders.js';
import {
  aBody,
  aLogger,
  aMetricsHandler,
  emptySnapshot,
  FakeObserver,
  type HandlerParts,
  rendering,
  RunningServer,
  scrapeSettings,
  type ScrapeSource,
  someRoutes,
} from './test-server.js';

const path = '/metrics';
const openMetrics = 'application/openmetrics-text; version=1.0.0';

function startServer(options: HandlerParts = {}): Promise<RunningServer> {
  return RunningServer.start(someRoutes({ metrics: aMetricsHandler(options) }), options.clock);
}

/** Each collection waits until the test ends it; `next` resolves when one has begun. */
class HeldSource implements ScrapeSource {
  readonly #waiting: ((collection: HeldCollection) => void)[] = [];

  collect(signal: AbortSignal): Promise<ClusterSnapshot | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.shift()?.({ signal, resolve, reject });
    });
  }

  next(): Promise<HeldCollection> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}

interface HeldCollection {
  readonly signal: AbortSignal;
  readonly resolve: (snapshot: ClusterSnapshot | undefined) => void;
  readonly reject: (error: Error) => void;
}

/** More than all buffers between server and client hold, compressed too. */
function aLargeBody(): ExpositionBody {
  const noise = randomBytes(1_024 * 1_024);
  const chunks = Array.from({ length: 64 }, (_, index) => Buffer.concat([Buffer.from(String(index)), noise]));
  return { chunks, contentLength: chunks.reduce((total, { length }) => total + length, 0) };
}

/** A client that takes the headers and reads nothing until it is told to. */
async function pausedAnswer(port: number): Promise<IncomingMessage> {
  const outgoing = request({ host: '127.0.0.1', port, path, agent: false }).end();
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  outgoing.on('error', () => undefined);
  incoming.pause();
  incoming.on('error', () => undefined);
  return incoming;
}

it.each([
  [{}, 'text/plain; version=0.0.4; charset=utf-8'],
  [{ accept: openMetrics }, 'application/openmetrics-text; version=1.0.0; charset=utf-8'],
])('a response to %j has the type %s and its length', async (headers, contentType) => {
  await using server = await startServer({
    exposition: rendering(() => Promise.resolve(aBody('größe 1\n', 'b 2\n'))),
  });
  const answer = await send({ port: server.port, path, headers });
  expect(answer.status).toBe(200);
  expect(answer.headers).toMatchObject({ 'content-type': contentType, vary: 'Accept, Accept-Encoding' });
  expect(answer.headers['content-length']).toBe(String(answer.body.length));
  expect(answer.headers['content-encoding']).toBeUndefined();
  expect(answer.text).toBe('größe 1\nb 2\n');
});

it('a response is compressed for clients that accept gzip', async () => {
  await using server = await startServer();
  const answer = await send({ port: server.port, path, headers: { 'accept-encoding': 'gzip' } });
  expect(answer.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept, Accept-Encoding' });
  expect(answer.headers['content-length']).toBe(String(answer.body.length));
  expect(gunzipSync(answer.body).toString()).toBe('up 1\n');
});

it('a response of many megabytes arrives complete', async () => {
  const body = aLargeBody();
  await using server = await startServer({ exposition: rendering(() => Promise.resolve(body)) });
  const answer = await send({ port: server.port, path });
  expect(answer.body.equals(Buffer.concat(body.chunks))).toBe(true);
});

it('a response that arrives complete is a success, and leaves no timer behind', async () => {
  const observer = new FakeObserver();
  const clock = new ManualClock();
  await using server = await startServer({ observer, clock });
  const agent = new Agent({ keepAlive: true });
  for (const connection of [{}, { agent }]) {
    const finished = observer.finished();
    await send({ port: server.port, path, ...connection });
    expect([await finished, clock.sleeperCount]).toEqual(['success', 0]);
  }
  agent.destroy();
});

it('a response may be empty', async () => {
  await using server = await startServer({ exposition: rendering(() => Promise.resolve(aBody())) });
  const answer = await send({ port: server.port, path });
  expect([answer.status, answer.text]).toEqual([200, '']);
});

it.each(['GET', 'HEAD'])('a response to an unknown filter is 400, without a scrape: %s', async (method) => {
  const observer = new FakeObserver();
  await using server = await startServer({ observer, source: { collect: () => Promise.reject(new Error('asked')) } });
  for (const query of ['name[]=unknown', 'collect[]=pods']) {
    const answer = await send({ port: server.port, path: `${path}?${query}`, method });
    expect(answer.status).toBe(400);
    if (method === 'GET') expect(answer.text).toMatch(/^unknown value of (?:name|collect)\[\]: [^\n]*\n$/);
  }
  expect(observer.results).toEqual([]);
});

it('a response contains what the query selects', async () => {
  const asked: unknown[] = [];
  await using server = await startServer({
    exposition: rendering((_snapshot, request) => {
      asked.push(request.filter);
      return Promise.resolve(aBody());
    }),
  });
  await send({ port: server.port, path: `${path}?name[]=a&name=b&collect[]=pod` });
  await send({ port: server.port, path });
  expect(asked).toEqual([
    { names: new Set(['a', 'b']), levels: new Set(['pod']) },
    { names: new Set(), levels: new Set() },
  ]);
});

it('a response keeps the connection for the next scrape', async () => {
  await using server = await startServer();
  const agent = new Agent({ keepAlive: true });
  const first = await send({ port: server.port, path, agent });
  expect(first.headers).toMatchObject({ connection: 'keep-alive', 'keep-alive': 'timeout=310' });
  expect((await send({ port: server.port, path, agent })).status).toBe(200);
  agent.destroy();
});

it('HEAD has the headers without a collection', async () => {
  const observer = new FakeObserver();
  const source = { collect: () => Promise.reject(new Error('must not be called')) };
  await using server = await startServer({ source, observer });
  const headers = { accept: openMetrics, 'accept-encoding': 'gzip' };
  const answer = await send({ port: server.port, path, method: 'HEAD', headers });
  expect([answer.status, answer.text]).toEqual([200, '']);
  expect(answer.headers).toMatchObject({
    'content-type': 'application/openmetrics-text; version=1.0.0; charset=utf-8',
    'content-encoding': 'gzip',
    vary: 'Accept, Accept-Encoding',
  });
  expect(observer.results).toEqual([]);
});

describe('MetricsHandler: the deadline', () => {
  it.each([
    ['1.5', 1_000],
    [undefined, 10_000],
  ])('a client that waits for %s s first has a deadline after half of %d ms', async (header, timeoutMs) => {
    const source = new HeldSource();
    const observer = new FakeObserver();
    const clock = new ManualClock();
    await using server = await startServer({ source, observer, clock });
    const begun = source.next();
    const headers = header === undefined ? {} : { 'x-prometheus-scrape-timeout-seconds': header };
    const answer = send({ port: server.port, path, headers });
    const { signal, resolve } = await begun;
    await clock.advance(0.5 * timeoutMs - 1);
    expect(signal.aborted).toBe(false);
    await clock.advance(1);
    expect(signal.aborted).toBe(true);
    resolve(emptySnapshot);
    expect((await answer).status).toBe(200);
    expect(observer.results).toEqual(['deadline']);
    expect(observer.durationsMs).toEqual([0.5 * timeoutMs]);
    expect(clock.sleeperCount).toBe(0);
  });

  /** A server whose rendering takes so long, and a way to see how long the next collection may take. */
  async function renderingFor(renderMs: () => number) {
    const source = new HeldSource();
    const clock = new ManualClock();
    const exposition = rendering(async () => {
      await clock.advance(renderMs());
      return aBody('up 1\n');
    });
    const server = await startServer({ source, clock, exposition });
    return {
      deadlineMs: async (snapshot: ClusterSnapshot | undefined, query = '') => {
        const next = source.next();
        const answer = send({ port: server.port, path: `${path}${query}` });
        const { signal, resolve } = await next;
        const startMs = clock.monotonicMs();
        let deadlineMs = Infinity;
        signal.addEventListener('abort', () => (deadlineMs = clock.monotonicMs() - startMs));
        while (deadlineMs === Infinity) await clock.advance(clock.nextDueMs);
        resolve(snapshot);
        await answer;
        return deadlineMs;
      },
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    };
  }

  it('the deadline expects all nodes in the next response, and learns nothing from one without data', async () => {
    const renderMs = [1_000, 500];
    await using server = await renderingFor(() => renderMs.shift() ?? 0);
    const one = aFreshNode(aNodeSnapshot({ nodeName: 'node-1' }));
    const others = ['node-2', 'node-3', 'node-4'].map((nodeName) => anAbsentNode(nodeName, 'timeout'));
    await server.deadlineMs(undefined);
    expect(await server.deadlineMs(aClusterSnapshot({ nodes: [one, ...others] }))).toBe(5_000);
    expect(await server.deadlineMs(undefined)).toBe(7_000);
  });

  it('the deadline is that of responses to the same filter', async () => {
    await using server = await renderingFor(() => 1_000);
    await server.deadlineMs(aClusterSnapshot());
    expect(await server.deadlineMs(aClusterSnapshot(), '?collect[]=node')).toBe(5_000);
    expect(await server.deadlineMs(aClusterSnapshot())).toBe(8_500);
  });

  it('the deadline leaves time for the response, on real sockets and in real time', async () => {
    const observer = new FakeObserver();
    const source: ScrapeSource = {
      collect: async (signal) => {
        await once(signal, 'abort'); // a kubelet hangs
        return aClusterSnapshot();
      },
    };
    await using server = await startServer({ observer, source, clock: systemClock });
    const url = `http://127.0.0.1:${server.port}${path}`;
    const headers = { 'x-prometheus-scrape-timeout-seconds': '4' };
    const answer = await fetch(url, { headers, signal: AbortSignal.timeout(4_000) });
    expect(await answer.text()).toBe('up 1\n');
    expect(observer.results).toEqual(['deadline']);
  });
});

it('more than the limit of running scrapes are refused, and new ones are accepted afterwards', async () => {
  const source = new HeldSource();
  const observer = new FakeObserver();
  await using server = await startServer({ source, observer });
  const begun = [source.next(), source.next()];
  const running = [1, 2].map(() => send({ port: server.port, path }));
  const collections = await Promise.all(begun);
  const refused = await send({ port: server.port, path });
  expect([refused.status, refused.text]).toEqual([503, 'too many concurrent scrapes\n']);
  expect(refused.headers['retry-after']).toBe('1');
  for (const { resolve } of collections) resolve(emptySnapshot);
  await Promise.all(running);
  const next = source.next();
  const answer = send({ port: server.port, path });
  (await next).resolve(emptySnapshot);
  expect((await answer).status).toBe(200);
  expect(observer.results).toEqual(['rejected', 'success', 'success', 'success']);
});

it('a scrape lets requests to kubelets wait once nodes are no longer waited for, until it is rendered', async () => {
  const source = new HeldSource();
  const clock = new ManualClock();
  const scheduler = new Scheduler(clock);
  const closed: boolean[][] = [];
  const note = (): number => closed.push([scheduler.background.isHeld, scheduler.requests.isHeld]);
  const exposition = rendering(() => {
    note();
    return Promise.resolve(aBody('up 1\n'));
  });
  await using server = await startServer({ source, clock, exposition, scheduler });
  const scrape = async (isLate: boolean): Promise<void> => {
    const next = source.next();
    const answer = send({ port: server.port, path });
    const { resolve } = await next;
    note();
    if (isLate) await clock.advance(10_000);
    note();
    resolve(emptySnapshot);
    await answer;
    note();
  };
  const [open, waiting, rendered] = [
    [false, false],
    [true, false],
    [true, true],
  ];
  await scrape(false);
  expect(closed.splice(0)).toEqual([waiting, waiting, rendered, open]);
  await scrape(true);
  const afterTenSeconds = [false, true];
  expect(closed).toEqual([waiting, afterTenSeconds, afterTenSeconds, open]);
});

it('clients that do not read take none of the running scrapes, however many', async () => {
  const observer = new FakeObserver();
  const body = aLargeBody();
  await using server = await startServer({
    observer,
    exposition: rendering(() => Promise.resolve(body)),
    settings: { ...scrapeSettings, maxInFlight: 1 },
  });
  const stalled: IncomingMessage[] = [];
  for (let count = 0; count < 20; count += 1) stalled.push(await pausedAnswer(server.port));
  const answer = await send({ port: server.port, path });
  expect([answer.status, answer.body.length]).toEqual([200, body.contentLength]);
  expect(observer.results).toEqual(['success']);
  for (const incoming of stalled) incoming.destroy();
});

it('the limit of running scrapes follows the current settings', async () => {
  let maxInFlight = 0;
  const settings = {
    ...scrapeSettings,
    get maxInFlight(): number {
      return maxInFlight;
    },
  };
  await using server = await startServer({ settings });
  expect((await send({ port: server.port, path })).status).toBe(503);
  maxInFlight = 1;
  expect((await send({ port: server.port, path })).status).toBe(200);
});

it('a client that disconnects ends its collection', async () => {
  const source = new HeldSource();
  const observer = new FakeObserver();
  const clock = new ManualClock();
  await using server = await startServer({ source, observer, clock });
  const [begun, finished] = [source.next(), observer.finished()];
  const outgoing = request({ host: '127.0.0.1', port: server.port, path, agent: false }).end();
  outgoing.on('error', () => undefined);
  const { signal, resolve } = await begun;
  outgoing.destroy();
  await expect.poll(() => clock.advance(1_000).then(() => signal.aborted), { interval: 5 }).toBe(true);
  expect(signal.reason).toMatchObject({ reason: 'connection' });
  resolve(emptySnapshot);
  expect(await finished).toBe('aborted');
  expect(clock.sleeperCount).toBe(0);
});

it('a client that disconnects ends the writing', async () => {
  const observer = new FakeObserver();
  const body = aLargeBody();
  await using server = await startServer({ observer, exposition: rendering(() => Promise.resolve(body)) });
  const finished = observer.finished();
  const outgoing = request({ host: '127.0.0.1', port: server.port, path, agent: false }).end();
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  incoming.on('error', () => undefined);
  incoming.destroy();
  expect(await finished).toBe('aborted');
});

it('a client that does not read loses its connection after five seconds', async () => {
  const observer = new FakeObserver();
  const clock = new ManualClock();
  const body = aLargeBody();
  await using server = await startServer({ observer, clock, exposition: rendering(() => Promise.resolve(body)) });
  const finished = observer.finished();
  const incoming = await pausedAnswer(server.port);
  await expect.poll(() => clock.sleeperCount, { interval: 5 }).toBe(2);
  const closed = new Promise((resolve) => incoming.once('close', resolve));
  await clock.advance(5_000);
  expect(await finished).toBe('aborted');
  incoming.resume();
  await closed;
  expect(incoming.complete).toBe(false);
  expect(clock.sleeperCount).toBe(0);
});

it('a client that reads too slowly loses its connection five seconds after its timeout', async () => {
  const observer = new FakeObserver();
  const clock = new ManualClock();
  const body = aLargeBody();
  await using server = await startServer({ observer, clock, exposition: rendering(() => Promise.resolve(body)) });
  const finished = observer.finished();
  const incoming = await pausedAnswer(server.port);
  const reads = async () => {
    const readBytes = incoming.socket.bytesRead;
    incoming.resume();
    await expect.poll(() => incoming.socket.bytesRead - readBytes, { interval: 1 }).toBeGreaterThan(2 ** 22);
    incoming.pause();
    await clock.advance(4_000);
  };
  for (let count = 0; count < 3; count += 1) await reads();
  expect(observer.results).toEqual([]);
  await clock.advance(3_000);
  expect(await finished).toBe('aborted');
});

it.each([
  ['collecting', { source: { collect: () => Promise.reject(new Error('secret in /srv/app.js')) } }],
  ['rendering', { exposition: rendering(() => Promise.reject(new Error('secret in /srv/app.js'))) }],
])('a bug while %s is one constant line for the client', async (_case, options) => {
  const observer = new FakeObserver();
  const logger = aLogger();
  await using server = await startServer({ ...options, observer, logger });
  const answer = await send({ port: server.port, path });
  expect([answer.status, answer.text]).toEqual([500, 'internal error\n']);
  expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
  expect(observer.results).toEqual(['error']);
  expect(logger.lines).toEqual(['error scrape failed {"error":"secret in /srv/app.js"}']);
});

it('a bug frees its slot among the running scrapes', async () => {
  const source = { collect: () => Promise.reject(new Error('broken')) };
  await using server = await startServer({ source, settings: { ...scrapeSettings, maxInFlight: 1 } });
  for (let count = 0; count < 3; count += 1) {
    expect((await send({ port: server.port, path })).status).toBe(500);
  }
});
