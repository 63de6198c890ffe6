import { setImmediate } from 'node:timers/promises';

import { describe, expect, test } from 'vitest';

import { silentLogger } from '../../src/base/logger.js';
import { Scheduler } from '../../src/base/scheduler.js';
import { SharedWatch } from '../../src/watch/shared-watch.js';
import { untilEnd } from '../support/fixtures.js';
import { ManualClock } from '../support/manual-clock.js';
import { recordingLogger } from '../support/recording-logger.js';
import { auditOfPods } from '../support/running-store.js';
import { never } from '../support/signals.js';
import { silentObserver } from '../support/watch-observers.js';
import { answers, bookmarkLine, podJson, ScriptedApi, sendsList, WatchFeed } from './scripted-api.js';
import { added, allThings, type Thing } from './scripted-reflector.js';

const minuteMs = 60_000;
/** With the random number 0.5. */
const periodMs = 45 * minuteMs;

const named = (...names: readonly string[]): readonly object[] => names.map((name) => podJson(name, '1'));

interface Audited extends AsyncDisposable {
  readonly clock: ManualClock;
  readonly watch: SharedWatch<Thing>;
  /** The answers to lists. */
  readonly lists: ScriptedApi;
  /** The watch that is open; undefined: none can be opened. */
  feed: WatchFeed | undefined;
  /** Of each time that objects were corrected. */
  readonly drift: readonly number[];
  readonly logged: readonly string[];
  readonly names: () => readonly string[];
  /** The lists since the last call. */
  readonly requests: () => readonly string[];
  /** Takes the step that is due, as a queue does. Resolves with the delay until the next one. */
  readonly step: () => Promise<number>;
  /** The same after this time, in which the watch gets bookmarks. */
  readonly after: (durationMs: number) => Promise<number>;
}

const bookmark = bookmarkLine('10');
const oneUnknown = { knownCount: 100, unknownCount: 1 };

/** A watch with the objects `a`, `b` and `c` at version 10. */
async function watching(): Promise<Audited> {
  const clock = new ManualClock();
  const lists = new ScriptedApi(sendsList('10', named('a', 'b', 'c')));
  const [drift, logged]: [number[], string[]] = [[], []];
  const settle = async (): Promise<void> => {
    await clock.advance(0);
    await setImmediate();
    await clock.advance(0);
  };
  const watch = new SharedWatch(allThings, {
    api: {
      open: async (request, signal) => {
        if (request.query?.['watch'] === undefined) return lists.open(request, signal);
        if (run.feed === undefined) return answers(503)(request, signal);
        run.feed = new WatchFeed();
        return run.feed.answer(request, signal);
      },
    },
    clock,
    random: () => 0.5,
    logger: { ...silentLogger, warn: (message, fields) => logged.push(`${message} ${JSON.stringify(fields)}`) },
    observer: { ...silentObserver, driftFound: (_resource, objectCount) => drift.push(objectCount) },
    scheduler: new Scheduler(clock),
  });
  const stopping = new AbortController();
  let seenCount = 0;
  const run: Audited = {
    ...{ clock, watch, lists, drift, logged },
    feed: new WatchFeed(),
    names: () => Array.from(watch.objects.values(), ({ name }) => name).sort(),
    requests: () => {
      const lines = lists.requestLines.slice(seenCount);
      seenCount += lines.length;
      return lines;
    },
    step: async () => {
      const stepping = watch.audit.step(stopping.signal);
      await settle();
      return stepping;
    },
    after: async (durationMs) => {
      for (let restMs = durationMs; restMs > 0; restMs -= minuteMs) {
        run.feed?.send(bookmark);
        await settle();
        await clock.advance(Math.min(minuteMs, restMs));
        await settle();
      }
      return run.step();
    },
    [Symbol.asyncDispose]: async () => {
      stopping.abort(new Error('stopped'));
      await running;
      expect(clock.sleeperCount).toBe(0);
    },
  };
  const running = watch.run(stopping.signal);
  await settle();
  return run;
}

const it = test.extend('run', ({ onTestFinished }) => untilEnd(onTestFinished, watching()));

describe('a store', () => {
  it('a store is compared with a list a minute after the first one, and every 30 to 60 minutes', async ({ run }) => {
    run.lists.thenAlways(sendsList('10', named('a', 'b', 'c')));
    expect(await run.step()).toBe(minuteMs);
    expect(run.requests()).toEqual(['list rv=0']);
    expect(await run.after(minuteMs)).toBe(minuteMs);
    expect(run.requests()).toEqual(['list rv=10 match=NotOlderThan']);
    expect(await run.after(minuteMs)).toBe(minuteMs);
    expect(await run.after(minuteMs)).toBe(periodMs - 2 * minuteMs);
    expect(await run.after(periodMs - 2 * minuteMs - 1)).toBe(1);
    expect(run.requests()).toEqual([]);
    await run.after(1);
    expect(run.requests()).toEqual(['list rv=10 match=NotOlderThan']);
    expect([run.drift, run.logged]).toEqual([[], []]);
  });

  it('a store that has lost changes is corrected by its watch, and they are counted', async ({ run }) => {
    const truth = [podJson('a', '1'), podJson('b', '12', { value: 'changed' }), podJson('d', '13')];
    run.lists.then(sendsList('20', truth));
    await run.after(minuteMs);
    expect(run.names()).toEqual(['a', 'b', 'c']);
    run.requests();
    run.lists.then(sendsList('21', truth));
    await run.after(minuteMs);
    await setImmediate();
    expect(run.requests()).toEqual(['list limit=500']);
    expect(run.names()).toEqual(['a', 'b', 'd']);
    expect(run.drift).toEqual([]);
    await run.clock.advance(minuteMs);
    await run.step();
    expect(run.drift).toEqual([3]);
    expect(run.logged).toEqual([
      'the store differed from the API server: a list has corrected it {"resource":"pods","objectCount":3,"example":"b"}',
    ]);
  });

  it('a store that differs only by what its watch delivers within a minute is left alone', async ({ run }) => {
    run.lists.then(sendsList('20', named('a', 'b', 'c', 'd')));
    await run.after(minuteMs);
    run.feed?.send(added('d', '1'));
    await setImmediate();
    run.requests();
    expect(await run.after(minuteMs)).toBe(minuteMs);
    expect([run.requests(), run.drift]).toEqual([[], []]);
  });

  it('a store that lacks more objects than a function takes arguments is corrected too', async ({ run }) => {
    const names = Array.from({ length: 200_000 }, (_, index) => `n${index}`);
    const truth = [...named('a', 'b', 'c'), ...names.map((name) => podJson(name, '11'))];
    run.lists.then(sendsList('20', truth));
    expect(await run.after(minuteMs)).toBe(minuteMs);
    run.lists.then(sendsList('21', truth));
    await run.after(minuteMs);
    await expect.poll(() => run.watch.objects.size).toBe(truth.length);
    await run.clock.advance(minuteMs);
    await run.step();
    expect(run.drift).toEqual([200_000]);
  });

  it('a store that changes while the list is read is left alone', async ({ run }) => {
    let answer: () => void = () => undefined;
    const slow = new Promise<void>((resolve) => (answer = resolve));
    run.lists.then(async (...request) => {
      await slow;
      return sendsList('10', named('a', 'b', 'c'))(...request);
    });
    await run.clock.advance(minuteMs);
    const stepping = run.watch.audit.step(never);
    expect(await run.watch.audit.step(never)).toBe(minuteMs); // another user of the watch
    run.feed?.send(added('d', '11'));
    await setImmediate();
    answer();
    await stepping;
    run.requests();
    await run.after(minuteMs);
    expect([run.names(), run.requests(), run.drift]).toEqual([['a', 'b', 'c', 'd'], [], []]);
  });

  it('a store is right when the list is wrong: nothing is counted', async ({ run }) => {
    run.lists.then(sendsList('20', []));
    await run.after(minuteMs);
    run.lists.then(sendsList('21', named('a', 'b', 'c')));
    await run.after(minuteMs);
    await run.clock.advance(minuteMs);
    await run.step();
    expect([run.names(), run.drift]).toEqual([['a', 'b', 'c'], []]);
  });

  it('a store is not compared while it is not watched: a list follows anyway', async ({ run }) => {
    const { feed } = run;
    run.feed = undefined;
    feed?.end();
    await run.clock.advance(minuteMs);
    run.requests();
    expect(await run.step()).toBe(minuteMs);
    expect(run.requests()).toEqual([]);
  });

  it('a store that lacks a pod is compared ten minutes after the last comparison', async ({ run }) => {
    run.lists.thenAlways(sendsList('10', named('a', 'b', 'c')));
    await run.after(minuteMs);
    await run.after(minuteMs);
    run.requests();
    run.watch.audit.compare(oneUnknown);
    await run.after(10 * minuteMs);
    expect(run.requests()).toEqual([]); // no list since
    for (const scope of run.watch.scopes) scope.relist();
    await run.clock.advance(0);
    run.requests();
    run.watch.audit.compare(oneUnknown);
    await run.step();
    expect(run.requests()).toEqual(['list rv=10 match=NotOlderThan']);
  });

  it('a store that lacks a pod is not compared sooner after a list that failed', async ({ run }) => {
    run.lists.thenAlways(answers(429));
    expect(await run.after(minuteMs)).toBe(10 * minuteMs);
    run.requests();
    for (let minute = 1; minute < 10; minute += 1) {
      run.watch.audit.compare(oneUnknown);
      await run.after(minuteMs);
    }
    expect(run.requests()).toEqual([]);
    await run.after(minuteMs);
    expect(run.requests()).toEqual(['list rv=10 match=NotOlderThan']);
  });

  it('a store is compared ten minutes later when the list fails', async ({ run }) => {
    run.lists.then(answers(503));
    expect(await run.after(minuteMs)).toBe(10 * minuteMs);
    run.requests();
    run.lists.then(sendsList('10', named('a', 'b', 'c')));
    await run.after(10 * minuteMs);
    expect(run.requests()).toEqual(['list rv=10 match=NotOlderThan']);
  });
});

const unknown = { knownCount: 0, unknownCount: 5 };
const known = { knownCount: 5, unknownCount: 0 };

/** With the longest pauses. */
function comparing() {
  const clock = new ManualClock();
  const startMs = clock.monotonicMs();
  const [relistedAt, logged]: [number[], string[]] = [[], []];
  const minute = (): number => (clock.monotonicMs() - startMs) / minuteMs;
  const relist = (): void => void relistedAt.push(minute());
  return {
    clock,
    relistedAt,
    logged,
    audit: auditOfPods(clock, relist, { logger: recordingLogger(logged), random: () => 1 }),
  };
}

describe('auditOfPods', () => {
  it.each([
    [0, 0, []],
    [10, 1, []],
    [10, 10, []],
    [10, 11, [1]],
    [0, 1, [1]],
    [100, 19, []],
    [100, 20, [1]],
    [180, 20, []],
    [10_000, 500, []],
  ])('a minute with %d known and %d unknown pods has these lists: %j', async (knownCount, unknownCount, expected) => {
    const { clock, audit, relistedAt } = comparing();
    audit.compare({ knownCount, unknownCount });
    await clock.advance(minuteMs - 1);
    audit.compare({ knownCount, unknownCount });
    expect(relistedAt).toEqual([]);
    await clock.advance(1);
    audit.compare({ knownCount, unknownCount });
    expect(relistedAt).toEqual(expected);
  });

  it.each([
    ['unless they are known in between', known, []],
    ['when there is nothing to count in between', { knownCount: 0, unknownCount: 0 }, [1]],
  ])('pods are listed again %s', async (_case, between, expected) => {
    const { clock, audit, relistedAt } = comparing();
    for (const counts of [unknown, between, unknown]) {
      audit.compare(counts);
      await clock.advance(minuteMs / 2);
    }
    expect(relistedAt).toEqual(expected);
  });

  it.each([
    [
      'after longer and longer pauses, up to 4 hours, while that does not help',
      Infinity,
      [1, 11, 31, 71, 151, 311, 551],
      1,
    ],
    ['not within 10 minutes of a list that helped, and then as at first', 3, [1, 13, 25], 3],
  ])('pods are listed again %s', async (_case, knownEvery, expected, warningCount) => {
    const { clock, audit, relistedAt, logged } = comparing();
    const lastMinute = Math.max(...expected) + 5;
    for (let minute = 0; minute <= lastMinute; minute += 1) {
      audit.compare(minute % knownEvery === 2 && knownEvery < Infinity ? known : unknown);
      await clock.advance(minuteMs);
    }
    expect(relistedAt).toEqual(expected);
    const line =
      ': kubelets report many pods that are not known: pods are listed again {"knownCount":0,"unknownCount":5}';
    expect(logged).toEqual(expected.map((_, index) => `${index < warningCount ? 'warn' : 'debug'}${line}`));
  });
});
