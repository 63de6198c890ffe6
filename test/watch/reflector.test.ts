import { getEventListeners } from 'node:events';

import { describe, expect, test } from 'vitest';

import type { StoreChange } from '../../src/cluster/watch/object-store.js';
import type { WatchObserver } from '../../src/cluster/watch/watch-observer.js';
import { type FailureReason, RequestError } from '../../src/lib/base/errors.js';
import { ManualClock } from '../support/manual-clock.js';
import { silentObserver } from '../support/watch-observers.js';
import {
  type Answer,
  answers,
  bookmarkLine,
  errorLine,
  eventLine,
  expired,
  failsWith,
  neverAnswers,
  podJson,
  ScriptedApi,
  sends,
  sendsList,
  sendsWatch,
  WatchFeed,
} from './scripted-api.js';
import {
  added,
  deleted,
  listOfA,
  modified,
  podWithoutValue,
  runReflector,
  runScript,
  type Thing,
} from './scripted-reflector.js';

const it = test.extend('feed', () => new WatchFeed());

/** After the list of `a`. */
const relist = 'list rv=10 match=NotOlderThan';
const check = 'list rv=10 match=Exact limit=500';

describe('Reflector: the normal course', () => {
  it('a reflector lists any state, watches from there, and applies events in order', async ({ feed }) => {
    await using run = await runScript(sendsList('10', [podJson('a', '1'), podJson('b', '2')]), feed.answer);
    expect(run.api.requestLines).toEqual(['list rv=0', 'watch rv=10']);
    expect(run.api.requests[1]).toEqual({
      path: '/api/v1/pods',
      query: { watch: 'true', allowWatchBookmarks: 'true', resourceVersion: '10', timeoutSeconds: '450' },
    });
    expect(run.content()).toEqual(['a@1', 'b@2']);
    feed.send(deleted('b', '11'), modified('a', '55'), added('c', '32'));
    await run.clock.advance(0);
    expect(run.changes).toEqual(['added a@1', 'added b@2', 'removed b@11', 'updated a@55', 'added c@32']);
    expect(run.content()).toEqual(['a@55', 'c@32']);
    expect(run.observed).toEqual([
      'list pods success',
      'event pods deleted',
      'event pods modified',
      'event pods added',
    ]);
  });

  it('a reflector is not connected while the server has not answered the watch', async () => {
    await using run = await runScript(listOfA);
    expect(run.api.requestLines).toEqual(['list rv=0', 'watch rv=10']);
    expect(run.reflector.isConnected).toBe(false);
  });

  it('a reflector sends the selectors with lists and watches, of one namespace', async () => {
    const api = new ScriptedApi(listOfA);
    const selectors = { labelSelector: 'app=cart', fieldSelector: 'spec.nodeName=n1' };
    await using run = await runReflector({ api, namespace: 'shop', ...selectors });
    expect(api.requests.map(({ path }) => path)).toEqual(Array(2).fill('/api/v1/namespaces/shop/pods'));
    expect(api.requests).toMatchObject([{ query: selectors }, { query: selectors }]);
    expect(run.reflector.name).toBe('pods in shop');
  });

  it('a first list without any node is confirmed by one of the newest state: every cluster has one', async () => {
    const listOf = (...items: readonly object[]) =>
      sends(JSON.stringify({ kind: 'NodeList', metadata: { resourceVersion: '10' }, items }));
    const api = new ScriptedApi(listOf(), listOf(podJson('n0', '1')), new WatchFeed().answer);
    await using run = await runReflector({ api, resource: 'nodes' });
    expect(api.requestLines).toEqual(['list rv=0', 'list limit=500', 'watch rv=10']);
    expect(run.content()).toEqual(['n0@1']);
  });

  it('a first list of nodes that are all of other shards is not confirmed: there are nodes', async () => {
    const items = [podJson('n0', '1')];
    const api = new ScriptedApi(
      sends(JSON.stringify({ kind: 'NodeList', metadata: { resourceVersion: '10' }, items })),
      new WatchFeed().answer,
    );
    await using run = await runReflector({ api, resource: 'nodes', project: () => undefined });
    expect(api.requestLines).toEqual(['list rv=0', 'watch rv=10']);
    expect(run.content()).toEqual([]);
    expect(run.logged.filter((line) => line.startsWith('warn'))).toEqual([]);
  });

  it('an empty list that a doubt has caused is confirmed, too', async ({ feed }) => {
    await using run = await runScript(listOfA, feed.answer, sendsList('11', []), sendsList('12', [podJson('a', '1')]));
    run.reflector.check();
    await run.clock.advance(0);
    expect(run.api.requestLines.slice(2)).toEqual([check, 'list limit=500', 'watch rv=12']);
    expect(run.content()).toEqual(['a@1']);
  });

  it('another kind is skipped, and the last event is the newest, regardless of its number', async () => {
    const otherKind = eventLine('ADDED', { kind: 'Table', metadata: { name: 'x', resourceVersion: '99' } });
    await using run = await runScript(
      listOfA,
      sendsWatch(deleted('a', '11'), added('b', '55'), added('c', '32'), otherKind),
    );
    await run.clock.advance(500);
    expect(run.api.requestLines.at(-1)).toBe('watch rv=32');
    expect(run.content()).toEqual(['b@55', 'c@32']);
    expect(run.observed).toContain('skipped pods other_kind');
  });

  it.each([
    [0, '300'],
    [0.999_999, '600'],
  ])('the time limit of a watch is 5 to 10 minutes (random number %d)', async (number, seconds) => {
    const api = new ScriptedApi(listOfA);
    await using run = await runReflector({ api, random: () => number });
    expect(run.reflector.isSynced).toBe(true);
    expect(api.requests[1]?.query?.['timeoutSeconds']).toBe(seconds);
  });

  it('a day of bookmarks and ends at the time limit accumulates no timers and listeners', async () => {
    let version = 10;
    const clock = new ManualClock();
    const list: Answer = (...request) => sendsList(String(version), [podJson('a', '1')])(...request);
    const api = new ScriptedApi(listOfA).thenAlways(list, (request, signal) => {
      const feed = new WatchFeed();
      void (async () => {
        for (let minute = 1; minute <= 7; minute += 1) {
          await clock.sleep(60_000, signal);
          feed.send(bookmarkLine(String((version += 1))));
        }
        await clock.sleep(30_000, signal);
        feed.end();
      })().catch(() => undefined);
      return feed.answer(request, signal);
    });
    const stopping = new AbortController();
    await using run = await runReflector({ api, clock, stopping });
    const sleeperCounts = new Set<number>();
    const listenerCounts = new Set<number>();
    for (let hour = 0; hour < 24; hour += 1) {
      await clock.advance(3_600_000 + 60_500);
      sleeperCounts.add(clock.sleeperCount);
      listenerCounts.add(getEventListeners(stopping.signal, 'abort').length);
    }
    expect(api.requestLines.filter((line) => line.startsWith('list')).length).toBeLessThan(50);
    expect(api.requests.length).toBeLessThan(250);
    expect(Math.max(...sleeperCounts)).toBeLessThanOrEqual(3);
    expect(Math.max(...listenerCounts)).toBeLessThanOrEqual(3);
    expect(run.logged.filter((line) => !line.startsWith('debug'))).toEqual([]);
  });
});

describe('Reflector: events', () => {
  it('an event that deletes an earlier object does not remove a later one', async () => {
    await using run = await runScript(listOfA, sendsWatch(deleted('a', '20', { uid: 'earlier' })));
    expect(run.content()).toEqual(['a@1']);
  });

  it('an event that changes nothing in the store is suppressed', async () => {
    await using run = await runScript(listOfA, sendsWatch(modified('a', '20', { value: '1' })));
    expect(run.changes).toEqual(['added a@1']);
    expect(run.observed).toContain('suppressed pods');
    await run.clock.advance(500);
    expect(run.api.requestLines.at(-1)).toBe('watch rv=20');
  });

  it('an event with a malformed object is skipped with a warning, and counted', async () => {
    const lines = [eventLine('MODIFIED', podWithoutValue('a', '20')), added('b', '21')];
    await using run = await runScript(listOfA, sendsWatch(...lines));
    expect(run.content()).toEqual(['a@1', 'b@21']);
    expect(run.logged).toContainEqual(expect.stringMatching(/^warn: .*a has no value/));
    expect(run.observed).toContain('skipped pods malformed');
    await run.clock.advance(500);
    expect(run.api.requestLines).toEqual(['list rv=0', 'watch rv=10', 'watch rv=21']);
  });

  it('an event that deletes a malformed object causes a list, since it may be any object', async () => {
    const lines = [eventLine('DELETED', podWithoutValue('a', '20')), added('b', '21')];
    await using run = await runScript(listOfA, sendsWatch(...lines), sendsList('30', [podJson('b', '20')]));
    expect(run.observed).toContain('watch pods parse');
    expect(run.content()).toEqual(['a@1']);
    await run.clock.advance(375);
    expect(run.api.requestLines).toEqual(['list rv=0', 'watch rv=10', relist, 'watch rv=30']);
    expect(run.content()).toEqual(['b@20']);
  });

  it('malformed objects of a list are skipped with one warning', async () => {
    const items = [podWithoutValue('x', '1'), podJson('a', '2'), podWithoutValue('y', '3')];
    await using run = await runReflector({ api: new ScriptedApi(sendsList('10', items)) });
    expect(run.content()).toEqual(['a@2']);
    expect(run.observed.filter((line) => line === 'skipped pods malformed')).toHaveLength(2);
    const warnings = run.logged.filter((line) => line.startsWith('warn'));
    expect(warnings).toEqual([expect.stringMatching(/"count":2,"reason":"malformed","error":"x has no value"/)]);
  });
});

describe('Reflector: listing again', () => {
  it.each([
    ['an error', answers(500), 'list pods http_status'],
    ['a refused connection', failsWith(new RequestError('connection', 'ECONNREFUSED')), 'list pods connection'],
    ['a table', sends('{"kind":"Table"}'), 'list pods decode'],
    ['an expired version, twice', answers(410), 'list pods expired'],
  ])('%s leaves the known objects, and is followed by another attempt', async (_case, answer, observed) => {
    await using run = await runScript(
      listOfA,
      sendsWatch(errorLine(500)),
      answer,
      answer,
      sendsList('20', [podJson('b', '20')]),
    );
    await run.clock.advance(375);
    expect(run.content()).toEqual(['a@1']);
    expect(run.observed).toContain(observed);
    expect(run.reflector.isSynced).toBe(true);
    expect(run.reflector.lastFailure).toBeDefined();
    await run.clock.advance(10_000);
    expect(run.content()).toEqual(['b@20']);
    expect(run.reflector.lastFailure).toBeUndefined();
  });

  it('the pause is longer after each failure of the first list, up to half a minute', async () => {
    const clock = new ManualClock();
    const atMs: number[] = [];
    const api = new ScriptedApi().thenAlways((request, signal) => {
      atMs.push(clock.monotonicMs());
      return failsWith(new RequestError('connection', 'ECONNREFUSED'))(request, signal);
    });
    await using run = await runReflector({ api, clock });
    await clock.advance(100_000);
    expect(atMs.slice(1).map((ms, index) => ms - (atMs[index] ?? 0))).toEqual([
      375, 750, 1_500, 3_000, 6_000, 12_000, 22_500, 22_500, 22_500,
    ]);
    expect(run.reflector.isSynced).toBe(false);
    expect(run.reflector.lastFailure?.message).toContain('ECONNREFUSED');
  });

  it.each([401, 403, 414, 431])('a list is tried again every 30 to 60 s after status %d', async (status) => {
    await using run = await runReflector({ api: new ScriptedApi().thenAlways(answers(status)) });
    await run.clock.advance(44_999);
    expect(run.api.requests).toHaveLength(1);
    await run.clock.advance(45_000 * 10);
    expect(run.api.requests).toHaveLength(11);
    expect(run.reflector.lastFailure?.message).toContain(String(status));
  });
});

describe('Reflector: the end of a watch', () => {
  const fails = (reason: FailureReason, status?: number) =>
    failsWith(new RequestError(reason, 'it fails', status === undefined ? {} : { status }));

  /** [what happened, the answer, the result observed, the request that follows] */
  it.each([
    ['a watch that the server ends at once is followed by the next watch', sendsWatch(), 'short', 'watch rv=10'],
    ['an expired version (status) is followed by a list', expired, 'expired', relist],
    ['an expired version (event) is followed by a list', sendsWatch(errorLine(410)), 'expired', relist],
    ['a busy server (status) is watched again', answers(429), 'throttled', 'watch rv=10'],
    ['a busy server (event) is watched again', sendsWatch(errorLine(429)), 'throttled', 'watch rv=10'],
    ['a server with an internal error (status) is watched again', answers(500), 'unavailable', 'watch rv=10'],
    ['a server that is unavailable (status) is watched again', answers(503), 'unavailable', 'watch rv=10'],
    ['a server that timed out (event) is watched again', sendsWatch(errorLine(504)), 'unavailable', 'watch rv=10'],
    ['a server with an internal error (event) is listed again', sendsWatch(errorLine(500)), 'error', relist],
    ['an unknown error is followed by a list', sendsWatch(errorLine(666)), 'error', relist],
    ['a watch that is refused is followed by a list', answers(400), 'rejected', relist],
    ['a watch that is not found is followed by a list', answers(404), 'rejected', relist],
    ['an answer of another program is followed by a list', fails('decode'), 'rejected', relist],
    ['a redirect is followed by a list', fails('http_status', 302), 'rejected', relist],
    ['a refused connection is followed by the next one', fails('connection'), 'connection', 'watch rv=10'],
    ['a watch without an answer is followed by the next one', fails('timeout'), 'connection', 'watch rv=10'],
    ['a line that is not JSON is followed by a list', sendsWatch('{"type"\n', added('b', '20')), 'parse', relist],
  ])('%s', async (_case, answer, result, next) => {
    await using run = await runScript(listOfA, answer);
    expect(run.observed.filter((line) => line.startsWith('watch'))).toEqual([`watch pods ${result}`]);
    expect(run.observed.filter((line) => line.startsWith('expired'))).toHaveLength(result === 'expired' ? 1 : 0);
    expect(run.reflector.isConnected).toBe(false);
    expect(run.content()).toEqual(['a@1']);
    const pauseMs = result === 'expired' ? 500 : 375;
    await run.clock.advance(pauseMs - 1);
    expect(run.api.requests).toHaveLength(2);
    await run.clock.advance(1);
    expect(run.api.requestLines.slice(2)).toEqual([next]);
  });

  it('a watch with a line that is too long is followed by a list', async () => {
    await using run = await runScript(listOfA, sends(' '.repeat(16 * 1024 * 1024 + 1)));
    // It is read in many turns of the event loop.
    for (let turn = 0; turn < 100 && !run.observed.some((line) => line.startsWith('watch')); turn += 1) {
      await run.clock.advance(0);
    }
    expect(run.observed).toContain('watch pods line_too_long');
    expect([run.reflector.isSynced, run.content()]).toEqual([true, ['a@1']]);
    await run.clock.advance(375);
    expect(run.api.requestLines.at(-1)).toBe(relist);
  });

  it('nothing that follows an ERROR event is applied', async () => {
    const lines = [added('b', '6'), errorLine(410), added('c', '7'), added('d', '8')];
    await using run = await runScript(listOfA, sendsWatch(...lines));
    await run.clock.advance(500);
    expect(run.content()).toEqual(['a@1', 'b@6']);
    expect(run.api.requestLines.at(-1)).toBe('list rv=6 match=NotOlderThan');
  });

  it('the pause after an ERROR event is no shorter than the event requests', async () => {
    const line = errorLine(504, { details: { retryAfterSeconds: 3 } });
    await using run = await runScript(listOfA, sendsWatch(line));
    await run.clock.advance(3_000);
    expect(run.api.requests).toHaveLength(2);
    await run.clock.advance(300);
    expect(run.api.requestLines.at(-1)).toBe('watch rv=10');
  });

  it.each([
    ['the server cannot be reached', failsWith(new RequestError('connection', 'ECONNREFUSED')), true],
    ['the server is not able to respond', answers(503), true],
    ['the server refuses the credentials', answers(401), false],
    ['the server throttles', answers(429), false],
  ])('the server shows as away until a watch is connected again when %s', async (_case, answer, expected) => {
    await using run = await runScript(listOfA, answer, new WatchFeed().answer);
    expect(run.reflector.isServerAway).toBe(expected);
    await run.clock.advance(60_000);
    expect(run.reflector.isServerAway).toBe(false);
  });

  it.each([401, 403])('a pause of 30 to 60 s follows a watch with status %d', async (status) => {
    await using run = await runScript(listOfA, answers(status), sendsWatch());
    expect(run.observed).toContain(`watch pods ${status === 401 ? 'unauthorized' : 'forbidden'}`);
    expect(run.reflector.lastFailure?.message).toContain(String(status));
    await run.clock.advance(44_999);
    expect(run.api.requests).toHaveLength(2);
    await run.clock.advance(1);
    expect(run.api.requestLines.at(-1)).toBe('watch rv=10');
  });

  it.each([401, 403])('no long pause follows status %d of a server that was just away', async (status) => {
    await using run = await runScript(
      listOfA,
      failsWith(new RequestError('connection', 'ECONNREFUSED')),
      answers(status),
      answers(status),
      sendsWatch(),
    );
    await run.clock.advance(375 + 750 + 1_500);
    expect(run.api.requestLines).toEqual(['list rv=0', ...Array.from({ length: 4 }, () => 'watch rv=10')]);
  });

  it('a watch ends after 180 s without data; the next one continues from the last event', async ({ feed }) => {
    await using run = await runScript(listOfA, feed.answer, new WatchFeed().answer);
    await run.clock.advance(100_000);
    feed.send(added('b', '20'));
    await run.clock.advance(179_999);
    expect([feed.isAborted, run.reflector.isConnected]).toEqual([false, true]);
    await run.clock.advance(1);
    expect([feed.isAborted, run.reflector.isConnected]).toEqual([true, false]);
    await run.clock.advance(500);
    expect(run.api.requestLines).toEqual(['list rv=0', 'watch rv=10', 'watch rv=20']);
    expect(run.observed).toContain('watch pods idle');
    expect(run.reflector.isConnected).toBe(true);
    expect(run.logged.filter((line) => !line.startsWith('debug'))).toEqual([]);
  });

  it('a watch ends after 180 s without headers, which some proxies buffer', async () => {
    await using run = await runScript(listOfA, neverAnswers);
    await run.clock.advance(180_500);
    expect(run.api.requestLines).toEqual(['list rv=0', 'watch rv=10', 'watch rv=10']);
    expect(run.observed).toContain('watch pods idle');
  });

  it('a watch ends 30 s after the time limit that the server ignored', async ({ feed }) => {
    await using run = await runScript(listOfA, feed.answer);
    for (let count = 0; count < 4; count += 1) {
      await run.clock.advance(119_999);
      feed.send(bookmarkLine(String(11 + count)));
    }
    await run.clock.advance(3);
    expect(feed.isAborted).toBe(false);
    await run.clock.advance(1);
    expect(feed.isAborted).toBe(true);
    expect(run.observed).toContain('watch pods deadline');
    await run.clock.advance(500);
    expect(run.api.requestLines.at(-1)).toBe('watch rv=14');
  });

  it('a list follows after 10 minutes without data, however the watches ended', async () => {
    await using run = await runReflector({
      api: new ScriptedApi(listOfA).thenAlways(sendsList('5', [podJson('b', '5')]), (...request) =>
        new WatchFeed().answer(...request),
      ),
    });
    await run.clock.advance(600_000);
    expect(run.api.requestLines).toEqual(['list rv=0', ...Array.from({ length: 4 }, () => 'watch rv=10')]);
    await run.clock.advance(121_500 + 500);
    expect(run.api.requestLines.slice(5)).toEqual([relist, 'watch rv=5']);
    expect(run.content()).toEqual(['b@5']);
    expect(run.logged.filter((line) => !line.startsWith('debug'))).toEqual([]);
  });
});

describe('Reflector: back-off', () => {
  const requestsIn10s = async (answer: typeof expired): Promise<number> => {
    await using run = await runReflector({
      api: new ScriptedApi(listOfA).thenAlways(listOfA, answer),
    });
    await run.clock.advance(10_000);
    return run.api.requestLines.filter((line) => line.startsWith('watch')).length;
  };

  it.each([
    ['ends every watch at once', sendsWatch(), 5],
    ['ends every watch at once after an event', sendsWatch(added('b', '11')), 5],
    ['answers every watch with an ERROR event', sendsWatch(errorLine(500)), 5],
    ['knows no version that it lists', sendsWatch(errorLine(410)), 6],
    ['sends nothing we understand', sendsWatch('?\n'), 5],
  ])('a reflector limits the requests to a server that %s', async (_case, answer, expected) => {
    expect(await requestsIn10s(answer)).toBe(expected);
  });

  it.for([
    [2_999, [12_000, 22_500]],
    [3_000, [3_000, 6_000, 12_000]],
    [59_999, [3_000, 6_000, 12_000]],
    [60_000, [375, 750]],
  ] as const)(
    'the back-off after a stream that lived for %d ms, silent or busy, has the pauses %j',
    async ([livedMs, pausesMs]) => {
      const refused = answers(503);
      for (const lines of [[], [added('b', '11'), bookmarkLine('12')]]) {
        const feed = new WatchFeed();
        await using run = await runReflector({
          api: new ScriptedApi(listOfA, ...Array<typeof refused>(5).fill(refused), feed.answer).thenAlways(refused),
        });
        await run.clock.advance(375 + 750 + 1_500 + 3_000 + 6_000);
        for (const line of lines) feed.send(line);
        await run.clock.advance(livedMs);
        feed.break(new RequestError('connection', 'ECONNRESET'));
        for (const pauseMs of pausesMs) {
          const { length } = run.api.requests;
          await run.clock.advance(pauseMs - 1);
          expect(run.api.requests).toHaveLength(length);
          await run.clock.advance(1);
          expect(run.api.requests).toHaveLength(length + 1);
        }
      }
    },
  );

  it('a first expired version after a stream of a minute is followed by a list at once', async ({ feed }) => {
    await using run = await runReflector({
      api: new ScriptedApi(listOfA, feed.answer).thenAlways(listOfA, expired),
    });
    await run.clock.advance(60_000);
    feed.send(errorLine(410));
    const listsAfter = async (ms: number): Promise<number> => {
      const before = run.api.requestLines.filter((line) => line.startsWith('list')).length;
      await run.clock.advance(ms);
      return run.api.requestLines.filter((line) => line.startsWith('list')).length - before;
    };
    expect([await listsAfter(499), await listsAfter(1)]).toEqual([0, 1]);
    expect([await listsAfter(374), await listsAfter(1)]).toEqual([0, 1]);
    expect([await listsAfter(749), await listsAfter(1)]).toEqual([0, 1]);
  });
});

it('the log has one warning for a run of failures, with the numbers, and a line for its end', async ({ feed }) => {
  const api = new ScriptedApi(answers(503), answers(503), listOfA, answers(500), feed.answer);
  await using run = await runReflector({ api, namespace: 'shop' });
  await run.clock.advance(10_000);
  feed.send(bookmarkLine('11'), added('b', '12'));
  await run.clock.advance(60_000);
  expect(run.logged.filter((line) => line.includes('recovered'))).toEqual([]);
  feed.send(bookmarkLine('13'));
  await run.clock.advance(0);
  const lines = run.logged.filter((line) => line.includes('attempt'));
  expect(lines.map((line) => line.slice(0, line.indexOf('{')).trim())).toEqual([
    'warn: list failed',
    'debug: list failed',
    'debug: watch failed',
    'info: recovered after 3 failed attempts',
  ]);
  const { error, ...fields } = JSON.parse(lines[0]?.slice(lines[0].indexOf('{')) ?? '') as Record<string, unknown>;
  expect(fields).toEqual({ resource: 'pods', namespace: 'shop', reason: 'http_status', attempt: 1, retryInMs: 375 });
  expect(error).toContain('503');
  expect(lines[2]).toContain('"reason":"unavailable"');
});

it('after a check that is refused as invalid, what is known stays, and the watch continues where it was', async () => {
  await using run = await runScript(listOfA, new WatchFeed().answer, answers(400), new WatchFeed().answer);
  run.reflector.check();
  await run.clock.advance(10_000);
  expect(run.api.requestLines).toEqual(['list rv=0', 'watch rv=10', check, 'watch rv=10']);
  expect(run.content()).toEqual(['a@1']);
});

it('a stop ends a pause at once', async () => {
  const run = await runScript(answers(403));
  await run.clock.advance(1_000);
  await run.stop();
  await run.clock.advance(60_000);
  expect(run.api.requests).toHaveLength(1);
});

it('a stop works within a notification', async ({ feed }) => {
  const stopping = new AbortController();
  const onChange = ({ object }: StoreChange<Thing>): void => {
    if (object.name === 'b') stopping.abort();
  };
  const run = await runReflector({ api: new ScriptedApi(listOfA, feed.answer), stopping, onChange });
  feed.send(added('b', '11'));
  await run.clock.advance(0);
  await run.stop();
  expect(run.content()).toEqual(['a@1', 'b@11']);
});

it.each(['listFinished', 'watchEnded', 'eventApplied'] as const)(
  'a reflector lists again after an observer has thrown in %s',
  async (method) => {
    const observer: WatchObserver = {
      ...silentObserver,
      [method]: () => {
        throw new Error('no such metric');
      },
    };
    const api = new ScriptedApi().thenAlways(listOfA, sendsWatch(added('b', '11')));
    await using run = await runReflector({ api, observer });
    expect(run.logged).toContainEqual(expect.stringMatching(/^warn: reflector failed .*no such metric/));
    const requestCount = api.requests.length;
    await run.clock.advance(375);
    expect(api.requestLines[requestCount]).toMatch(/^list rv=1[01] match=NotOlderThan$/);
  },
);
