import { describe, expect, it } from 'vitest';

import { RequestError } from '../../src/lib/base/errors.js';
import { ManualClock } from '../support/manual-clock.js';
import {
  type Answer,
  answers,
  errorLine,
  expired,
  failsWith,
  neverAnswers,
  podJson,
  ScriptedApi,
  sendsList,
  sendsWatch,
  tooLarge,
  WatchFeed,
} from './scripted-api.js';
import { listOfA, runReflector, runScript } from './scripted-reflector.js';

const [minuteMs, hourMs] = [60_000, 3_600_000];
const refused = failsWith(new RequestError('connection', 'ECONNREFUSED'));
/** After the list of `a`, or of another one at version 10. */
const relist = 'list rv=10 match=NotOlderThan';
const newest = 'list limit=500';

it('a server that was away and has expired the known version is listed within a second', async () => {
  const feed = new WatchFeed();
  const api = new ScriptedApi(listOfA, feed.answer).thenAlways(answers(503));
  await using run = await runReflector({ api, random: () => 0.999 });
  feed.break(new RequestError('connection', 'ECONNRESET'));
  await run.clock.advance(10 * minuteMs - 30_000);
  api.thenAlways(sendsList('90', [podJson('back', '90')]), expired);
  const requestCount = api.requests.length;
  await run.clock.advance(run.clock.nextDueMs);
  expect(api.requestLines.slice(requestCount)).toEqual(['watch rv=10']);
  await run.clock.advance(1_000);
  expect(api.requestLines[requestCount + 1]).toBe(relist);
  expect(run.content()).toEqual(['back@90']);
});

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

const tooLargeEvent = errorLine(504, { details: { causes: [{ reason: 'ResourceVersionTooLarge' }] } });

it.each([
  ['a status', tooLarge],
  ['an event', sendsWatch(tooLargeEvent)],
])('a server that lags behind the known version is asked for its newest state, after %s', async (_by, answer) => {
  await using run = await runScript(listOfA, answer, tooLarge, sendsList('5', [podJson('after', '5')]));
  await run.clock.advance(10_000);
  expect(run.api.requestLines.slice(2)).toEqual([relist, newest, 'watch rv=5']);
  expect(run.content()).toEqual(['after@5']);
});

it('a server restored from a backup has other objects of known versions: a list decides by content', async () => {
  const listOf = (value: string): Answer => sendsList('10', [podJson('a', '7', { value })]);
  await using run = await runScript(listOf('Running'), sendsWatch(errorLine(500)), listOf('Failed'));
  await run.clock.advance(375);
  expect(run.changes).toEqual(['added a@7', 'updated a@7']);
});

it.each([
  [400, { reason: 'BadRequest', message: 'invalid resource version: 10' }],
  [422, { reason: 'Invalid' }],
  [500, { message: 'resourceVersion: Invalid value: "10": strconv.ParseUint: parsing "10": invalid syntax' }],
])(
  'a server that refuses the known version with %d is asked for its newest state after three times',
  async (code, status) => {
    const unless10 =
      (otherwise: Answer): Answer =>
      (request, signal) =>
        (request.query?.['resourceVersion'] === '10' ? answers(code, status) : otherwise)(request, signal);
    const after = sendsList('x-1', [podJson('after', '1')]);
    const api = new ScriptedApi(listOfA).thenAlways(unless10(after), unless10(neverAnswers));
    await using run = await runReflector({ api });
    await run.clock.advance(minuteMs);
    const lists = api.requestLines.filter((line) => line.startsWith('list'));
    expect(lists).toEqual(['list rv=0', relist, relist, relist, newest]);
    expect(run.content()).toEqual(['after@1']);
  },
);

it('a server whose version is 0 is listed again and never watched from there', async () => {
  let version = '0';
  const list: Answer = (...request) => sendsList(version, [podJson(`at-${version}`, '1')])(...request);
  const api = new ScriptedApi().thenAlways(list, neverAnswers);
  await using run = await runReflector({ api, random: () => 0 });
  await run.clock.advance(10 * minuteMs);
  expect(api.requestLines.every((line) => line.startsWith('list'))).toBe(true);
  expect(run.content()).toEqual(['at-0@1']);
  expect(api.requests.length).toBeLessThanOrEqual(60);
  version = '7';
  await run.clock.advance(30_000);
  expect(api.requestLines.at(-1)).toBe('watch rv=7');
  expect(run.content()).toEqual(['at-7@1']);
});

it.each([
  ['list', 429, []],
  ['list', 503, []],
  ['watch', 429, [listOfA]],
  ['watch', 503, [listOfA]],
] as const)('the Retry-After of a %s with status %d is waited for', async (what, status, before) => {
  await using run = await runScript(...before, answers(status, {}, 3_000), listOfA);
  const requestCount = before.length + 1;
  await run.clock.advance(3_299);
  expect(run.api.requestLines).toHaveLength(requestCount);
  await run.clock.advance(1);
  expect(run.api.requestLines.slice(requestCount - 1, requestCount + 1)).toEqual(
    Array(2).fill(what === 'list' ? 'list rv=0' : 'watch rv=10'),
  );
});

it('a Retry-After that is shorter than the back-off does not shorten it', async () => {
  await using run = await runReflector({ api: new ScriptedApi(listOfA).thenAlways(answers(429, {}, 1_000)) });
  await run.clock.advance(1_100 + 1_100 + 1_500);
  expect(run.api.requests).toHaveLength(5);
  await run.clock.advance(2_999);
  expect(run.api.requests).toHaveLength(5);
  await run.clock.advance(1);
  expect(run.api.requests).toHaveLength(6);
});

it('a Retry-After that comes again and again is the pause each time, without a list', async () => {
  await using run = await runReflector({ api: new ScriptedApi(listOfA).thenAlways(answers(503, {}, 60_000)) });
  await run.clock.advance(8 * 66_000);
  expect(run.api.requestLines).toEqual(['list rv=0', ...Array.from({ length: 9 }, () => 'watch rv=10')]);
});

it.each([414, 431])('a request that is too long, %d, ends the wait for the first list', async (status) => {
  await using run = await runReflector({ api: new ScriptedApi().thenAlways(answers(status)) });
  await run.reflector.firstList.settled;
  expect(run.api.requestLines).toHaveLength(1);
  expect(run.reflector.isServerAway).toBe(false);
});

describe('a wrong list', () => {
  const pods = (count: number): readonly object[] => Array.from({ length: count }, (_, at) => podJson(`p${at}`, '1'));

  /** Lists `known` pods, then `relisted`; `confirmed` answers a list of the newest state. */
  const startAndList = async (relisted: number, confirmed: Answer, known = 60) => {
    const lists = [sendsList('10', pods(known)), sendsWatch(errorLine(500)), sendsList('20', pods(relisted))];
    const run = await runReflector({ api: new ScriptedApi(...lists).thenAlways(confirmed, neverAnswers) });
    await run.clock.advance(375);
    return { ...run, removed: () => run.changes.filter((change) => change.startsWith('removed')) };
  };

  it.each([
    ['empty', 0],
    ['half empty', 29],
  ])('a list that is %s removes nothing: the newest state counts', async (_case, relisted) => {
    await using run = await startAndList(relisted, sendsList('30', pods(59)));
    expect(run.api.requestLines.slice(2)).toEqual([relist, newest, 'watch rv=30']);
    expect(run.content()).toHaveLength(59);
    expect(run.removed()).toEqual(['removed p59@1']);
    expect(run.logged).toContainEqual(
      expect.stringMatching(/^warn: dropped a list without most .*"knownCount":60,"missingCount":(?:60|31)/),
    );
  });

  it('a list that is empty by mistake removes not even one object', async () => {
    await using run = await startAndList(0, sendsList('30', pods(1)), 1);
    expect(run.api.requestLines.slice(2)).toEqual([relist, newest, 'watch rv=30']);
    expect(run.removed()).toEqual([]);
  });

  it('an empty list that is right is applied when a second one confirms it', async () => {
    await using run = await startAndList(0, sendsList('30', []));
    expect([run.content(), run.api.requestLines.slice(2)]).toEqual([[], [relist, newest, 'watch rv=30']]);
    expect(run.logged).toContainEqual(
      expect.stringMatching(/^warn: most objects are gone, or there are none: a second list confirms it/),
    );
  });

  it('an empty list removes nothing while it cannot be confirmed', async () => {
    await using run = await startAndList(0, answers(503));
    await run.clock.advance(5 * minuteMs);
    expect([run.content().length, run.removed()]).toEqual([60, []]);
  });

  it('a list that removes half of the objects is applied at once', async () => {
    await using run = await startAndList(30, answers(503));
    expect(run.content()).toHaveLength(30);
    expect(run.api.requestLines.slice(2)).toEqual([relist, 'watch rv=20']);
  });
});
