// @module-tag sockets

import type { ServerResponse } from 'node:http';

import { describe, expect, it } from 'vitest';

import { type LoopbackReflector, podOf, sendLines, sendList, sendStatus, startReflector } from './loopback-api.js';
import { answers, neverAnswers, podJson, ScriptedApi, sendsList, sendsWatch, WatchFeed } from './scripted-api.js';
import { listOfA, runReflector } from './scripted-reflector.js';

const minuteMs = 60_000;
/** The longest time between two lists. */
const periodMs = 75_000;

const isWithin = (ms: number, durationMs: number): boolean => ms >= 0 && ms < durationMs;

/** What a proxy does with a watch. */
type Proxy = (response: ServerResponse, run: LoopbackReflector) => void;

const cutsAfter5s =
  (cut: (response: ServerResponse) => void): Proxy =>
  (response, run) => {
    const closed = new AbortController();
    response.on('close', () => {
      closed.abort();
    });
    run.clock.sleep(5_000, closed.signal).then(
      () => {
        cut(response);
      },
      () => undefined, // the exporter was first
    );
    sendLines(response);
  };

const refusesWith =
  (status: number): Proxy =>
  (response) => {
    sendStatus(response, status);
  };

const proxies: readonly (readonly [string, Proxy])[] = [
  ['breaks streams after 5 s', cutsAfter5s((response) => response.destroy())],
  ['ends streams at once', (response) => sendLines(response).end()],
  ['refuses watches with 403', refusesWith(403)],
];

/** A server whose watches show nothing, behind a proxy. */
class Behind implements AsyncDisposable {
  readonly run: LoopbackReflector;
  readonly #pods: object[];
  readonly #state: { proxy: Proxy | undefined };

  private constructor(run: LoopbackReflector, pods: object[], state: { proxy: Proxy | undefined }) {
    [this.run, this.#pods, this.#state] = [run, pods, state];
  }

  static async start(proxy: Proxy): Promise<Behind> {
    const pods = [podOf('a')];
    const state: { proxy: Proxy | undefined } = { proxy };
    let version = 10;
    const started = { run: undefined as LoopbackReflector | undefined };
    const run = await startReflector(
      ({ isWatch }, response) => {
        if (!isWatch) sendList(response, String((version += 1)), pods);
        else if (state.proxy === undefined || started.run === undefined) sendLines(response);
        else state.proxy(response, started.run);
      },
      { random: () => 0.5 },
    );
    started.run = run;
    return new Behind(run, pods, state);
  }

  create(name: string): void {
    this.#pods.push(podOf(name));
  }

  removeProxy(): void {
    this.#state.proxy = undefined;
  }

  /** Lets time pass until `condition`, and returns how long that took. */
  async until(condition: () => boolean, limitMs: number): Promise<number> {
    const { clock } = this.run;
    const startMs = clock.monotonicMs();
    while (!condition() && clock.monotonicMs() - startMs < limitMs) await this.run.elapse(1_000);
    return clock.monotonicMs() - startMs;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.run[Symbol.asyncDispose]();
  }
}

describe.each(proxies)('behind a proxy that %s', (_case, proxy) => {
  it('data behind a proxy is not older than the polling period, for few requests', async () => {
    await using behind = await Behind.start(proxy);
    const { run } = behind;
    await behind.until(() => run.reflector.mode === 'polling', 5 * minuteMs);
    expect(run.reflector.mode).toBe('polling');
    const fromMs = run.clock.monotonicMs();
    const firstCount = run.requests.length;
    for (const name of ['b', 'c', 'd', 'e']) {
      behind.create(name);
      const ms = await behind.until(() => run.names().includes(name), 2 * periodMs);
      expect(ms).toBeLessThanOrEqual(periodMs);
      await run.elapse(7_000);
    }
    expect(run.reflector.isServerAway).toBe(false);
    const spentMs = run.clock.monotonicMs() - fromMs;
    const requests = run.requests.slice(firstCount);
    const mostWithin = (durationMs: number): number =>
      Math.max(
        ...requests.map(({ atMs }) => requests.filter((other) => isWithin(other.atMs - atMs, durationMs)).length),
      );
    // A list and the watch after it may come soon after a watch that has ended.
    expect(mostWithin(10_000)).toBeLessThanOrEqual(3);
    expect(mostWithin(minuteMs)).toBeLessThanOrEqual(12);
    const listCount = requests.filter(({ isWatch }) => !isWatch).length;
    expect(listCount).toBeLessThanOrEqual(Math.ceil(spentMs / 65_000));
    expect(listCount).toBeLessThan(requests.length);
  });

  it('the log has one line when polling begins, and one when the watch is back, after a minute', async () => {
    await using behind = await Behind.start(proxy);
    const { run } = behind;
    const linesOf = (pattern: RegExp) => run.logged.filter((line) => pattern.test(line));
    await run.elapse(20 * minuteMs);
    expect(
      linesOf(/^warn: the watch cannot be kept, lists follow about every minute instead: .*"reason".*"error"/),
    ).toHaveLength(1);
    expect(linesOf(/^(?:warn|info|error)/).length).toBeLessThanOrEqual(2);
    behind.removeProxy();
    await behind.until(() => run.reflector.mode === 'watch', 5 * minuteMs);
    expect(run.reflector.mode).toBe('watch');
    expect(linesOf(/^info: the watch is back, without lists after \d+ failed attempts/)).toHaveLength(1);
    const { length } = run.lists();
    await run.elapse(2 * minuteMs);
    expect(run.lists()).toHaveLength(length);
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
    run.state.watch = (request, signal) =>
      sendsWatch(`{"type":"BOOKMARK","object":{"kind":"Pod","metadata":{"resourceVersion":"${(version += 1)}"}}}\n`)(
        request,
        signal,
      );
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
