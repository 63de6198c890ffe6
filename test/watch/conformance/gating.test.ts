// @module-tag sockets

import type { Socket } from 'node:net';

import { expect, it } from 'vitest';

import { RequestError } from '../../../src/lib/base/errors.js';
import { ManualClock } from '../../support/manual-clock.js';
import { type LoopbackHandler, podOf, sendLines, sendList, startReflector } from '../loopback-api.js';
import { bookmarkLine, failsWith, podJson, ScriptedApi, sendsList, WatchFeed } from '../scripted-api.js';
import { listOfA, runReflector, runScript } from '../scripted-reflector.js';

const [minuteMs, hourMs] = [60_000, 3_600_000];
const refused = failsWith(new RequestError('connection', 'ECONNREFUSED'));

it('a server that is away for two hours leaves what is known, and is listed 31 s after its return', async () => {
  const clock = new ManualClock();
  const startMs = clock.nowMs();
  let [isAway, version] = [false, '10'];
  const feed = new WatchFeed();
  const api = new ScriptedApi().thenAlways((request, signal) => {
    if (isAway) return refused(request, signal);
    if (request.query?.['watch'] !== undefined) return feed.answer(request, signal);
    return sendsList(version, [podJson(`at-${version}`, version)])(request, signal);
  });
  await using run = await runReflector({ api, clock, random: () => 0.999 });
  isAway = true;
  feed.break(new RequestError('connection', 'ECONNRESET'));
  await clock.advance(2 * minuteMs);
  const requestCounts: number[] = [];
  for (let elapsedMs = 2 * minuteMs; elapsedMs < 2 * hourMs; elapsedMs += 10_000) {
    const before = api.requests.length;
    await clock.advance(10_000);
    requestCounts.push(api.requests.length - before);
  }
  expect(Math.max(...requestCounts)).toBeLessThanOrEqual(2);
  expect([run.content(), run.reflector.lastProgress?.wallMs]).toEqual([['at-10@10'], startMs]);
  expect(run.reflector).toMatchObject({ isSynced: true, isConnected: false, isServerAway: true });
  [isAway, version] = [false, '90'];
  await clock.advance(31_000);
  expect(run.content()).toEqual(['at-90@90']);
  expect(run.reflector.isServerAway).toBe(false);
});

it('a reflector that was stopped for ten minutes lists again', async () => {
  const run = await runScript(listOfA, new WatchFeed().answer, sendsList('20', [podJson('b', '20')]));
  await run.stop();
  await run.clock.advance(10 * minuteMs);
  const stopping = new AbortController();
  const again = run.reflector.run(stopping.signal);
  await run.clock.advance(0);
  expect(run.api.requestLines.slice(2)).toEqual(['list rv=10 match=NotOlderThan', 'watch rv=20']);
  expect(run.content()).toEqual(['b@20']);
  stopping.abort();
  await again;
});

it('a hundred watches that end at their time limit need one connection', async () => {
  const sockets = new Set<Socket | null>();
  let endWatch = (): void => undefined;
  const handler: LoopbackHandler = ({ isWatch }, response) => {
    sockets.add(response.socket);
    if (!isWatch) {
      sendList(response, '10', [podOf('a')]);
      return;
    }
    sendLines(response);
    endWatch = () => {
      response.end(bookmarkLine('11'));
    };
  };
  await using run = await startReflector(handler, { random: () => 0.5 });
  const watchCount = (): number => run.requests.filter(({ isWatch }) => isWatch).length;
  for (let count = 1; count <= 100; count += 1) {
    await expect.poll(() => run.reflector.isConnected && watchCount(), { interval: 1 }).toBe(count);
    await run.clock.advance(minuteMs);
    endWatch();
    await run.nextAttempt();
  }
  expect(run.lists()).toHaveLength(3);
  expect(sockets.size).toBe(1);
});
