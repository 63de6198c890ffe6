import { describe, expect, it } from 'vitest';

import { RequestError } from '../../src/lib/base/errors.js';
import { ManualClock } from '../support/manual-clock.js';
import {
  type Answer,
  answers,
  bookmarkLine,
  neverAnswers,
  podJson,
  ScriptedApi,
  sendsList,
  sendsWatch,
  WatchFeed,
} from './scripted-api.js';
import { listOfA, runReflector } from './scripted-reflector.js';

const minuteMs = 60_000;
/** The longest time between two lists. */
const periodMs = 75_000;

/** What a proxy does with a watch. */
type Proxy = (clock: ManualClock) => Answer;

const breaksAfter5s: Proxy = (clock) => (request, signal) => {
  const feed = new WatchFeed();
  clock.sleep(5_000, signal).then(
    () => {
      feed.break(new RequestError('connection', 'ECONNRESET'));
    },
    () => undefined, // the exporter was first
  );
  return feed.answer(request, signal);
};

const proxies: readonly (readonly [string, Proxy])[] = [
  ['breaks streams after 5 s', breaksAfter5s],
  ['ends streams at once', () => sendsWatch()],
  ['refuses watches with 403', () => answers(403)],
];

/** A reflector of a server whose watches show nothing, behind a proxy. */
async function startBehind(proxy: Proxy) {
  const clock = new ManualClock();
  const names = ['a'];
  const requests: { readonly isWatch: boolean; readonly atMs: number }[] = [];
  let [watch, version] = [proxy(clock), 10];
  const list: Answer = (...request) => {
    const pods = names.map((name) => podJson(name, '1'));
    return sendsList(String((version += 1)), pods)(...request);
  };
  const counted =
    (isWatch: boolean, answer: Answer): Answer =>
    (...request) => {
      requests.push({ isWatch, atMs: clock.monotonicMs() });
      return answer(...request);
    };
  const api = new ScriptedApi().thenAlways(
    counted(false, list),
    counted(true, (...request) => watch(...request)),
  );
  const run = await runReflector({ api, clock });
  return {
    ...run,
    requests,
    create: (name: string) => names.push(name),
    removeProxy: () => {
      watch = (...request) => new WatchFeed().answer(...request);
    },
    /** Lets time pass until `condition`, and returns how long that took. */
    until: async (condition: () => boolean, limitMs: number): Promise<number> => {
      const startMs = clock.monotonicMs();
      while (!condition() && clock.monotonicMs() - startMs < limitMs) await clock.advance(1_000);
      return clock.monotonicMs() - startMs;
    },
  };
}

describe.each(proxies)('behind a proxy that %s', (_case, proxy) => {
  it('data behind a proxy is not older than the polling period, for few requests', async () => {
    await using run = await startBehind(proxy);
    await run.until(() => run.reflector.mode === 'polling', 5 * minuteMs);
    expect(run.reflector.mode).toBe('polling');
    const fromMs = run.clock.monotonicMs();
    const firstCount = run.requests.length;
    for (const name of ['b', 'c', 'd', 'e']) {
      run.create(name);
      const ms = await run.until(() => run.content().includes(`${name}@1`), 2 * periodMs);
      expect(ms).toBeLessThanOrEqual(periodMs);
      await run.clock.advance(7_000);
    }
    expect(run.reflector.isServerAway).toBe(false);
    const spentMs = run.clock.monotonicMs() - fromMs;
    const requests = run.requests.slice(firstCount);
    const within = (startMs: number, durationMs: number): number =>
      requests.filter(({ atMs }) => atMs >= startMs && atMs < startMs + durationMs).length;
    const mostWithin = (durationMs: number): number =>
      Math.max(...requests.map(({ atMs }) => within(atMs, durationMs)));
    // A list and the watch after it may come soon after a watch that has ended.
    expect(mostWithin(10_000)).toBeLessThanOrEqual(3);
    expect(mostWithin(minuteMs)).toBeLessThanOrEqual(12);
    const listCount = requests.filter(({ isWatch }) => !isWatch).length;
    expect(listCount).toBeLessThanOrEqual(Math.ceil(spentMs / 65_000));
    expect(listCount).toBeLessThan(requests.length);
  });

  it('the log has one line when polling begins, and one when the watch is back, after a minute', async () => {
    await using run = await startBehind(proxy);
    const linesOf = (pattern: RegExp) => run.logged.filter((line) => pattern.test(line));
    await run.clock.advance(20 * minuteMs);
    expect(
      linesOf(/^warn: the watch cannot be kept, lists follow about every minute instead: .*"reason".*"error"/),
    ).toHaveLength(1);
    expect(linesOf(/^(?:warn|info|error)/).length).toBeLessThanOrEqual(2);
    run.removeProxy();
    await run.until(() => run.reflector.mode === 'watch', 5 * minuteMs);
    expect(run.reflector.mode).toBe('watch');
    expect(linesOf(/^info: the watch is back, without lists after \d+ failed attempts/)).toHaveLength(1);
    const lists = () => run.requests.filter(({ isWatch }) => !isWatch).length;
    const before = lists();
    await run.clock.advance(2 * minuteMs);
    expect(lists()).toBe(before);
  });
});

it.each([
  [answers(403), /allow the verb watch in the role/],
  [sendsWatch(), /look for a proxy or load balancer/],
])('the log of polling has the next step of its cause', async (answer, expected) => {
  await using run = await runReflector({
    api: new ScriptedApi(listOfA).thenAlways(listOfA, answer),
  });
  await run.clock.advance(5 * minuteMs);
  expect(run.logged.filter((line) => line.includes('cannot be kept'))).toEqual([expect.stringMatching(expected)]);
});

it('a proxy that never forwards the headers costs 15 minutes; the data is as old as the period then', async () => {
  let listCount = 0;
  const api = new ScriptedApi(listOfA).thenAlways((request, signal) => {
    if (request.query?.['watch'] !== undefined) return neverAnswers(request, signal);
    return sendsList(String(20 + (listCount += 1)), [podJson('a', '1')])(request, signal);
  });
  await using run = await runReflector({ api });
  await run.clock.advance(16 * minuteMs);
  expect(run.reflector.mode).toBe('polling');
  const before = listCount;
  await run.clock.advance(10 * 70_000);
  expect(listCount - before).toBe(10);
});

describe('while polling', () => {
  const startPolling = async () => {
    const state = { watch: sendsWatch() };
    const run = await runReflector({
      api: new ScriptedApi(listOfA).thenAlways(listOfA, (...request) => state.watch(...request)),
    });
    while (run.reflector.mode === 'watch') await run.clock.advance(1_000);
    const listCount = () => run.api.requestLines.filter((line) => line.startsWith('list')).length;
    return { ...run, state, listCount };
  };

  it('events of watches that do not last are progress: no list follows while polling', async () => {
    await using run = await startPolling();
    let version = 10;
    run.state.watch = (request, signal) => sendsWatch(bookmarkLine(String((version += 1))))(request, signal);
    await run.clock.advance(minuteMs);
    const before = run.listCount();
    await run.clock.advance(10 * minuteMs);
    expect([run.listCount() - before, run.reflector.mode]).toEqual([0, 'polling']);
  });

  it('polling ends with a watch without events or bookmarks that lives for a minute', async () => {
    await using run = await startPolling();
    run.state.watch = new WatchFeed().answer;
    await run.clock.advance(2 * periodMs);
    expect(run.reflector.mode).toBe('watch');
    const before = run.listCount();
    await run.clock.advance(minuteMs);
    expect(run.listCount()).toBe(before);
  });

  it('a server that is away while polling shows as away, and requests back off as ever', async () => {
    await using run = await startPolling();
    const before = run.observed.length;
    run.state.watch = answers(503);
    const api = run.observed;
    await run.clock.advance(minuteMs);
    expect(run.reflector.isServerAway).toBe(true);
    expect(api.slice(before).filter((line) => line === 'watch pods unavailable').length).toBeLessThanOrEqual(5);
  });
});
