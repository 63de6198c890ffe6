// @module-tag sockets

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

import { expect, test } from 'vitest';

import { staticCredentials } from '../../src/cluster/credentials/credentials.js';
import { ApiClient } from '../../src/cluster/http/api-client.js';
import { LoopbackServer } from '../http/loopback-server.js';
import { untilEnd } from '../support/fixtures.js';
import { ManualClock } from '../support/manual-clock.js';
import { bookmarkLine, errorLine, eventLine, podJson } from './scripted-api.js';
import { added, runReflector } from './scripted-reflector.js';

interface Exchange {
  /** The query of the request. */
  readonly search: string;
  readonly response: ServerResponse;
}

/** A reflector whose requests the test answers, one after the other. */
async function start() {
  const exchanges: Exchange[] = [];
  const server = await LoopbackServer.listen();
  server.answer = ({ url = '' }, response) => {
    exchanges.push({ search: new URL(url, server.url).searchParams.toString(), response });
  };
  const clock = new ManualClock();
  const api = new ApiClient({ credentials: staticCredentials({ server: server.url }), clock, version: '0' });
  const run = await runReflector({ api, clock });
  const shows = (lines: readonly string[], expected: readonly string[]): Promise<void> =>
    expect.poll(() => lines, { interval: 1 }).toEqual(expect.arrayContaining([...expected]));
  return {
    ...run,
    /** The next request that has not been taken. */
    next: async (): Promise<Exchange> => {
      await expect.poll(() => exchanges.length, { interval: 1 }).toBeGreaterThan(0);
      const [exchange] = exchanges.splice(0, 1);
      if (exchange === undefined) throw new Error('no request');
      return exchange;
    },
    changed: (...changes: string[]) => shows(run.changes, changes),
    observes: (...lines: string[]) => shows(run.observed, lines),
    [Symbol.asyncDispose]: async () => {
      await run.stop();
      api[Symbol.dispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

const it = test.extend('run', ({ onTestFinished }) => untilEnd(onTestFinished, start()));

const json = { 'content-type': 'application/json' };
const listOf = (resourceVersion: string, ...items: readonly object[]): string =>
  JSON.stringify({ kind: 'PodList', metadata: { resourceVersion }, items });

it('a reflector follows a server through a broken line, an expired version and a compressed list', async ({ run }) => {
  const list = await run.next();
  expect(list.search).toBe('resourceVersion=0');
  list.response.writeHead(200, json).end(listOf('10', podJson('a', '1')));
  await run.changed('added a@1');

  const watch = await run.next();
  expect(watch.search).toContain('resourceVersion=10');
  const line = Buffer.from(added('größe', '11'));
  const half = line.indexOf('ö') + 1;
  watch.response.writeHead(200, json).flushHeaders();
  watch.response.write(line.subarray(0, half));
  watch.response.write(line.subarray(half));
  await run.changed('added größe@11');
  watch.response.write(bookmarkLine('12') + eventLine('ADDED', podJson('lost', '13')).slice(0, 30));
  await run.observes('event pods added', 'event pods bookmark');
  watch.response.destroy();
  await run.observes('watch pods reset');

  await run.clock.advance(375);
  const again = await run.next();
  expect(again.search).toContain('resourceVersion=12');
  again.response.writeHead(200, json).end(errorLine(410, { reason: 'Expired' }));
  await run.observes('watch pods expired');

  await run.clock.advance(750);
  const relist = await run.next();
  expect(relist.search).toBe('resourceVersion=12&resourceVersionMatch=NotOlderThan');
  const body = listOf('20', podJson('lost', '13'), podJson('größe', '11'));
  relist.response.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end(gzipSync(body));
  expect((await run.next()).search).toContain('resourceVersion=20');
  expect(run.changes).toEqual(['added a@1', 'added größe@11', 'removed a@1', 'added lost@13']);
  expect(run.content()).toEqual(['lost@13', 'größe@11']);
});

it('a hundred watches that end at their time limit need one connection', async ({ run }) => {
  const sockets = new Set<Socket | null>();
  let listCount = 0;
  for (let watchCount = 0; watchCount < 100;) {
    const { search, response } = await run.next();
    sockets.add(response.socket);
    response.writeHead(200, json).flushHeaders();
    if (!search.includes('watch=true')) {
      listCount += 1;
      response.end(listOf('10', podJson('a', '1')));
      continue;
    }
    watchCount += 1;
    await expect.poll(() => run.reflector.isConnected, { interval: 1 }).toBe(true);
    await run.clock.advance(60_000);
    response.end(bookmarkLine('11'));
    await expect.poll(() => run.clock.sleeperCount, { interval: 1 }).toBe(1); // it pauses
    await run.clock.advance(run.clock.nextDueMs);
  }
  expect([listCount, sockets.size]).toEqual([3, 1]);
});
