// @module-tag sockets

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

import { describe, expect, it } from 'vitest';

import { silentLogger } from '../../src/base/logger.js';
import { staticCredentials } from '../../src/credentials/credentials.js';
import { ApiClient } from '../../src/http/api-client.js';
import type { Pod } from '../../src/kube/objects.js';
import { projectPod } from '../../src/kube/projection.js';
import type { WatchObserver } from '../../src/watch/watch-observer.js';
import { ManualClock } from '../support/manual-clock.js';
import { silentObserver } from '../support/watch-observers.js';
import { bookmarkLine, errorLine, eventLine } from './scripted-api.js';
import { reflectorOf } from './scripted-reflector.js';

interface Exchange {
  readonly url: URL;
  readonly response: ServerResponse;
  /** Resolves when the connection or the response has ended. */
  readonly closed: Promise<void>;
}

/** A queue whose readers wait for its next item. */
class Inbox<T> {
  readonly #items: T[] = [];
  readonly #waiting: ((item: T) => void)[] = [];

  readonly put = (item: T): void => {
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#items.push(item);
    else waiting(item);
  };

  next(): Promise<T> {
    const item = this.#items.shift();
    return item === undefined ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve(item);
  }
}

/** An API server that the test answers for, and a reflector of its pods. */
async function start() {
  const requests = new Inbox<Exchange>();
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const closed = new Promise<void>((resolve) => response.once('close', resolve));
    requests.put({ url: new URL(request.url ?? '', 'http://localhost'), response, closed });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const clock = new ManualClock();
  const { port } = server.address() as AddressInfo;
  const credentials = staticCredentials({ server: new URL(`http://127.0.0.1:${port}`) });
  const api = new ApiClient({ credentials, clock, version: '0' });
  const changes = new Inbox<string>();
  const events = new Inbox<string>();
  const listResults = new Inbox<string>();
  const watchEnds = new Inbox<string>();
  const observer: WatchObserver = {
    ...silentObserver,
    listFinished: (_resource, result) => {
      listResults.put(result);
    },
    watchEnded: (_resource, result) => {
      watchEnds.put(result);
    },
    eventApplied: (_resource, type) => {
      events.put(type);
    },
  };
  const { store, reflector } = reflectorOf<Pod>({
    api,
    project: (object) => projectPod(object, (text) => text),
    clock,
    random: () => 0.5,
    logger: silentLogger,
    observer,
    groupOf: ({ nodeName }) => nodeName,
    onChange: ({ type, object }) => {
      changes.put(`${type} ${object.name}`);
    },
  });
  const stopping = new AbortController();
  const run = reflector.run(stopping.signal);
  const stop = async (): Promise<void> => {
    stopping.abort(new Error('stopped'));
    await run;
  };
  return {
    clock,
    store,
    requests,
    changes,
    events,
    listResults,
    watchEnds,
    stop,
    async [Symbol.asyncDispose](): Promise<void> {
      await stop();
      api[Symbol.dispose]();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const pod = (name: string, resourceVersion: string): object => ({
  metadata: { name, namespace: 'shop', uid: `uid-${name}`, resourceVersion },
  spec: { nodeName: 'n1', containers: [{ name: 'main' }] },
  status: { phase: 'Running' },
});

const podList = (resourceVersion: string, ...items: object[]): string =>
  JSON.stringify({ kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion }, items });

const added = (name: string, resourceVersion: string): string => eventLine('ADDED', pod(name, resourceVersion));

const json = { 'content-type': 'application/json' };

describe('a reflector over HTTP', () => {
  it('follows a server through a broken line, an expired version and a compressed list', async () => {
    await using run = await start();
    const list = await run.requests.next();
    expect(list.url.pathname + list.url.search).toBe('/api/v1/pods?resourceVersion=0');
    list.response.writeHead(200, json).end(podList('10', pod('a', '1')));
    expect(await run.changes.next()).toBe('added a');

    const watch = await run.requests.next();
    expect(watch.url.searchParams.get('resourceVersion')).toBe('10');
    const line = added('größe', '11');
    const half = Buffer.byteLength(line.slice(0, line.indexOf('ö'))) + 1;
    watch.response.writeHead(200, json).write(Buffer.from(line).subarray(0, half));
    watch.response.write(Buffer.from(line).subarray(half));
    expect(await run.changes.next()).toBe('added größe');
    watch.response.write(bookmarkLine('12') + added('lost', '13').slice(0, 30));
    expect([await run.events.next(), await run.events.next()]).toEqual(['added', 'bookmark']);
    watch.response.destroy();
    expect(await run.watchEnds.next()).toBe('reset');

    await run.clock.advance(375);
    const again = await run.requests.next();
    expect(again.url.searchParams.get('resourceVersion')).toBe('12');
    again.response.writeHead(200, json).end(errorLine(410, { reason: 'Expired' }));
    expect(await run.watchEnds.next()).toBe('expired');

    await run.clock.advance(750);
    const relist = await run.requests.next();
    expect(relist.url.search).toBe('?resourceVersion=12&resourceVersionMatch=NotOlderThan');
    const body = podList('20', pod('lost', '13'), pod('größe', '11'));
    relist.response.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end(gzipSync(body));
    expect([await run.changes.next(), await run.changes.next()]).toEqual(['removed a', 'added lost']);
    expect(run.store.group('n1').map(({ name }) => name)).toEqual(['größe', 'lost']);
    expect((await run.requests.next()).url.searchParams.get('resourceVersion')).toBe('20');
  });

  it('S18: does not apply a list whose connection breaks', async () => {
    await using run = await start();
    const broken = await run.requests.next();
    broken.response.writeHead(200, json).write(podList('10', pod('a', '1')).slice(0, -1));
    await new Promise((resolve) => setImmediate(resolve));
    broken.response.destroy();
    expect(await run.listResults.next()).toBe('connection');
    await run.clock.advance(375);
    expect((await run.requests.next()).url.search).toBe('?resourceVersion=0');
    expect(run.store.size).toBe(0);
  });

  it.each([
    ['S05', 'a list', 0],
    ['S07', 'a watch', 1],
  ])(
    '%s: closes its connection at once when it is stopped while it waits for the headers of %s',
    async (_number, _case, listCount) => {
      await using run = await start();
      if (listCount === 1) (await run.requests.next()).response.writeHead(200, json).end(podList('10'));
      const held = await run.requests.next();
      await run.stop();
      await held.closed;
      expect(held.response.writableFinished).toBe(false);
    },
  );

  it('S48: closes the connection of a silent watch', async () => {
    await using run = await start();
    (await run.requests.next()).response.writeHead(200, json).end(podList('10'));
    const silent = await run.requests.next();
    silent.response.writeHead(200, json).write(bookmarkLine('11'));
    expect(await run.events.next()).toBe('bookmark');
    await run.clock.advance(180_000);
    expect(await run.watchEnds.next()).toBe('idle');
    await silent.closed;
  });
});
