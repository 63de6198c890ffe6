// @module-tag sockets

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import { expect, test } from 'vitest';

import { staticCredentials } from '../../src/cluster/credentials/credentials.js';
import { ApiClient } from '../../src/cluster/http/api-client.js';
import { LoopbackServer } from '../http/loopback-server.js';
import { untilEnd } from '../support/fixtures.js';
import { ManualClock } from '../support/manual-clock.js';
import { bookmarkLine, podJson } from './scripted-api.js';
import { runReflector } from './scripted-reflector.js';

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
  return {
    ...run,
    /** The next request that has not been taken. */
    next: async (): Promise<Exchange> => {
      await expect.poll(() => exchanges.length, { interval: 1 }).toBeGreaterThan(0);
      const [exchange] = exchanges.splice(0, 1);
      if (exchange === undefined) throw new Error('no request');
      return exchange;
    },
    [Symbol.asyncDispose]: async () => {
      await run.stop();
      api[Symbol.dispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

const it = test.extend('run', ({ onTestFinished }) => untilEnd(onTestFinished, start()));

const json = { 'content-type': 'application/json' };
const list = JSON.stringify({ kind: 'PodList', metadata: { resourceVersion: '10' }, items: [podJson('a', '1')] });

it('a hundred watches that end at their time limit need one connection', async ({ run }) => {
  const sockets = new Set<Socket | null>();
  let listCount = 0;
  for (let watchCount = 0; watchCount < 100;) {
    const { search, response } = await run.next();
    sockets.add(response.socket);
    response.writeHead(200, json).flushHeaders();
    if (!search.includes('watch=true')) {
      listCount += 1;
      response.end(list);
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
