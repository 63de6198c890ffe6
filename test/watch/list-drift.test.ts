import { describe, expect, test as base } from 'vitest';

import { untilEnd } from '../support/fixtures.js';
import {
  type Answer,
  answers,
  bookmarkLine,
  errorLine,
  expired,
  podJson,
  ScriptedApi,
  sendsList,
  WatchFeed,
} from './scripted-api.js';
import { added, deleted, modified, runReflector } from './scripted-reflector.js';

const minuteMs = 60_000;
const abc = ['a', 'b', 'c'].map((name) => podJson(name, '1'));

/** A reflector whose store has `a`, `b` and `c` and whose watch is at version 10. */
async function watched(random = 0.5) {
  let [feed, seenCount] = [new WatchFeed(), 0];
  let list: Answer = sendsList('10', abc);
  const api = new ScriptedApi().thenAlways(
    (...request) => list(...request),
    (...request) => (feed = new WatchFeed()).answer(...request),
  );
  const run = await runReflector({ api, random: () => random });
  const settled = async (): Promise<void> => {
    await run.clock.advance(0);
    await new Promise(setImmediate);
    await run.clock.advance(0);
  };
  return {
    run,
    drift: () => run.observed.filter((line) => line.startsWith('drift')),
    doubts: () => run.logged.filter((line) => line.includes('"isContradicted":true')).length,
    warned: () => run.logged.filter((line) => line.includes('differed')),
    /** Since the last call. */
    requests: (): readonly string[] => {
      const lines = api.requestLines.slice(seenCount);
      seenCount += lines.length;
      return lines;
    },
    lists: (answer: Answer): void => {
      list = answer;
    },
    send: async (...lines: readonly string[]): Promise<void> => {
      feed.send(...lines);
      await settled();
    },
    check: async (): Promise<void> => {
      run.reflector.check();
      await settled();
    },
    /** The watch gets bookmarks, and ends after 7 to 8 minutes. */
    pass: async (minutes: number): Promise<void> => {
      for (let minute = 0; minute < minutes; minute += 1) {
        await run.clock.advance(minuteMs);
        feed.send(bookmarkLine('10'));
        await settled();
      }
    },
    [Symbol.asyncDispose]: async () => run.stop(),
  };
}

const test = base.extend('world', async ({ onTestFinished }) => {
  const world = await untilEnd(onTestFinished, watched());
  world.requests();
  return world;
});

const check = 'list rv=10 match=Exact limit=500';

describe('a check of a store that is watched', () => {
  test.for([
    ['missing', [...abc, podJson('d', '9')], '1,"extraCount":0,"differentCount":0', 'a@1b@1c@1d@9'],
    ['extra', abc.slice(0, 2), '0,"extraCount":1,"differentCount":0', 'a@1b@1'],
    [
      'different',
      [podJson('a', '1'), podJson('b', '9'), podJson('c', '1')],
      '0,"extraCount":0,"differentCount":1',
      'a@1b@9c@1',
    ],
  ] as const)('an object that is %s is corrected and counted once', async ([, list, counts, content], { world }) => {
    world.lists(sendsList('10', list));
    for (let count = 0; count < 2; count += 1) await world.check();
    expect(world.requests()).toEqual([check, 'watch rv=10', check, 'watch rv=10']);
    expect([world.run.content().join(''), world.drift()]).toEqual([content, ['drift pods 1']]);
    expect(world.warned()).toEqual([expect.stringContaining(`"missingCount":${counts}`)]);
  });

  test('what the watch has yet to tell is told: no state between is lost, and nothing is counted', async ({
    world,
  }) => {
    await world.check();
    await world.send(added('d', '11'), modified('d', '12'), deleted('d', '13'));
    expect(world.run.changes.slice(abc.length)).toEqual(['added d@11', 'updated d@12', 'removed d@13']);
    expect(world.drift()).toEqual([]);
  });

  test('a version that has expired is checked by the newest list, and nothing is counted', async ({ world }) => {
    let isFirst = true;
    world.lists((...request) => {
      const answer = isFirst ? expired : sendsList('20', [podJson('b', '18')]);
      isFirst = false;
      return answer(...request);
    });
    await world.check();
    expect(world.requests()).toEqual([check, 'list limit=500', 'watch rv=20']);
    expect([world.run.content(), world.drift()]).toEqual([['b@18'], []]);
  });

  test('where something contradicts a store that is right by its version, the newest state is listed', async ({
    world,
  }) => {
    await world.pass(2);
    world.requests();
    world.lists((...request) => {
      const isExact = request[0].query?.['resourceVersionMatch'] === 'Exact';
      return (isExact ? sendsList('10', abc.slice(1)) : sendsList('20', [podJson('b', '18')]))(...request);
    });
    for (let count = 0; count < 2; count += 1) {
      world.run.reflector.doubt(true);
      await world.pass(12);
    }
    const lists = world.requests().filter((line) => line.startsWith('list'));
    expect(lists).toEqual([check, check, 'list limit=500']);
    expect([world.run.content(), world.drift()]).toEqual([['b@18'], ['drift pods 1']]);
  });

  test('a check of the version that is known is no progress of the watch, one of a newer version is', async ({
    world,
  }) => {
    const { reflector, clock } = world.run;
    const seenAgoMs = (): number => clock.monotonicMs() - (reflector.lastProgress?.monotonicMs ?? 0);
    await clock.advance(70_000);
    await world.check();
    expect(seenAgoMs()).toBe(70_000);
    world.lists(sendsList('20', abc));
    await world.check();
    expect(seenAgoMs()).toBe(0);
  });

  test('a server that lists another version is believed, and nothing is counted', async ({ world }) => {
    world.lists(sendsList('20', [podJson('b', '18')]));
    await world.check();
    expect(world.requests()).toEqual([check, 'watch rv=20']);
    expect([world.run.content(), world.drift()]).toEqual([['b@18'], []]);
  });
});

describe('a check', () => {
  const listsOf = (requests: readonly string[]): readonly string[] =>
    requests.filter((line) => line.startsWith('list'));

  test.for([0, 0.999])('a watched store is listed again 30 to 60 minutes after the last list (%d)', async (random) => {
    await using world = await watched(random);
    const minutes = [0];
    for (let minute = 1; minute <= 240; minute += 1) {
      world.requests();
      await world.pass(1);
      if (world.requests().includes(check)) minutes.push(minute);
    }
    const pauses = minutes.slice(1).map((minute, index) => minute - (minutes[index] ?? 0));
    expect(pauses.length).toBeGreaterThan(3);
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(30);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(60);
    expect([world.run.changes, world.drift()]).toEqual([['added a@1', 'added b@1', 'added c@1'], []]);
  });

  test('a check that fails changes nothing, the watch continues, and the next check is 10 minutes later', async ({
    world,
  }) => {
    world.lists(answers(503));
    await world.pass(41);
    expect(world.requests().slice(-2)).toEqual([check, 'watch rv=10']);
    await world.pass(8);
    expect(listsOf(world.requests())).toEqual([]);
    await world.pass(8);
    expect(listsOf(world.requests())).toEqual([check]);
    expect([world.run.content(), world.drift()]).toEqual([['a@1', 'b@1', 'c@1'], []]);
  });

  test('a doubt is a check a minute after a list, then after longer and longer pauses, up to 4 hours', async ({
    world,
  }) => {
    const minutes: number[] = [];
    const doubtFor = async (durationMinutes: number): Promise<void> => {
      for (let minute = 0; minute < durationMinutes; minute += 1) {
        const count = world.doubts();
        world.run.reflector.doubt(true);
        if (world.doubts() > count) minutes.push(minute);
        await world.pass(1);
      }
    };
    await doubtFor(720);
    expect(minutes).toEqual([1, 10, 25, 55, 115, 235, 415, 595]);
    for (const expected of [[2], [6, 15]]) {
      await world.send(errorLine(410));
      minutes.length = 0;
      await doubtFor(expected.length * 10 - 4);
      expect(minutes).toEqual(expected);
    }
    expect([world.run.content(), world.drift()]).toEqual([['a@1', 'b@1', 'c@1'], []]);
  });

  test('a doubt that has found something is followed by another one as soon as the first', async ({ world }) => {
    const minutes: number[] = [];
    for (let minute = 0; minute < 80; minute += 1) {
      world.lists(sendsList('10', minute < 30 ? abc : abc.slice(1)));
      const count = world.doubts();
      world.run.reflector.doubt(true);
      if (world.doubts() > count) minutes.push(minute);
      await world.pass(1);
    }
    expect(minutes).toEqual([1, 10, 25, 55, 65, 74]);
    expect(world.drift()).toEqual(['drift pods 1']);
  });

  test('the first list alone is checked without a doubt, by the same version', async ({ world }) => {
    const listed: string[] = [];
    for (let minute = 0; minute < 20; minute += 1) {
      world.run.reflector.doubt(false);
      await world.pass(1);
      if (minute === 10) await world.send(errorLine(410));
      listed.push(...listsOf(world.requests()));
    }
    expect(listed).toEqual([check, 'list rv=10 match=NotOlderThan']);
  });
});
