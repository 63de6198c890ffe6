import { describe, expect, test as base } from 'vitest';

import { untilEnd } from '../support/fixtures.js';
import {
  type Answer,
  answers,
  bookmarkLine,
  errorLine,
  podJson,
  ScriptedApi,
  sendsList,
  WatchFeed,
} from './scripted-api.js';
import { added, deleted, modified, runReflector } from './scripted-reflector.js';

const minuteMs = 60_000;
const abc = ['a', 'b', 'c'].map((name) => podJson(name, '1'));
const changed = [podJson('a', '1'), podJson('b', '18'), podJson('c', '1')];

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
    breaks: async (): Promise<void> => {
      feed.end();
      await run.clock.advance(minuteMs / 2);
    },
    relist: async (): Promise<void> => {
      run.reflector.relist();
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

describe('a list of a store that is watched', () => {
  const kinds: readonly [kind: string, list: readonly object[], event: string, counts: string, content: string][] = [
    ['missing', [...abc, podJson('d', '18')], added('d', '18'), '1,"extraCount":0,"differentCount":0', 'a@1b@1c@1d@18'],
    ['extra', abc.slice(0, 2), deleted('c', '18'), '0,"extraCount":1,"differentCount":0', 'a@1b@1'],
    ['different', changed, modified('b', '18'), '0,"extraCount":0,"differentCount":1', 'a@1b@18c@1'],
  ];

  test.for(kinds)(
    'an object that is %s is corrected at once, and counted once when the watch has not told it',
    async ([, list, , counts, content], { world }) => {
      world.lists(sendsList('20', list));
      await world.relist();
      expect(world.requests()).toEqual(['list limit=500', 'watch rv=10']);
      expect(world.run.content().join('')).toBe(content);
      await world.send(bookmarkLine('19'));
      expect(world.drift()).toEqual([]);
      await world.send(bookmarkLine('20'));
      expect(world.drift()).toEqual(['drift pods 1']);
      expect(world.warned()).toEqual([expect.stringContaining(`"missingCount":${counts}`)]);
      await world.relist();
      await world.send(bookmarkLine('30'));
      expect(world.drift()).toEqual(['drift pods 1']);
    },
  );

  test.for(kinds)(
    'an object that is %s because the watch is behind is not counted, and changes once',
    async ([, list, event, , content], { world }) => {
      world.lists(sendsList('20', list));
      await world.relist();
      await world.send(event, added('e', '20'), modified('e', '21'));
      await world.send(bookmarkLine('22'));
      expect(world.drift()).toEqual([]);
      expect(world.run.content().join('')).toBe(`${content}e@21`);
      expect(world.run.changes.slice(abc.length)).toHaveLength(2);
    },
  );

  test('a watch that is behind does not take an object back to an older state', async ({ world }) => {
    world.lists(sendsList('20', changed));
    await world.relist();
    for (const event of [modified('b', '15'), deleted('b', '16'), added('b', '18')]) await world.send(event);
    await world.send(bookmarkLine('20'), modified('b', '21'));
    expect([world.run.changes.slice(abc.length), world.drift()]).toEqual([['updated b@18', 'updated b@21'], []]);
  });

  test('what differs from a list of the version of the watch is counted at once', async ({ world }) => {
    world.lists(sendsList('10', changed));
    await world.relist();
    expect([world.drift(), world.requests()]).toEqual([['drift pods 1'], ['list limit=500', 'watch rv=10']]);
  });

  test.for(['9', 'other'])(
    'a list of version %s is applied, and counts nothing: it cannot be compared with the watch',
    async (version, { world }) => {
      world.lists(sendsList(version, changed));
      await world.relist();
      await world.send(bookmarkLine('20'));
      expect(world.requests()).toEqual(['list limit=500', `watch rv=${version}`]);
      expect([world.run.content(), world.drift()]).toEqual([['a@1', 'b@18', 'c@1'], []]);
    },
  );

  test('what a watch has yet to explain outlasts its end, and not an expired version', async ({ world }) => {
    for (const [version, end] of [
      ['20', async () => world.breaks()],
      ['40', async () => world.send(errorLine(410)).then(() => world.run.clock.advance(minuteMs / 2))],
    ] as const) {
      world.lists(sendsList(version, [podJson('a', version)]));
      await world.relist();
      await end();
      await world.send(bookmarkLine(version));
    }
    expect(world.drift()).toEqual(['drift pods 3']);
  });
});

describe('a check', () => {
  const check = 'list rv=10 match=NotOlderThan';
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

  test('a doubt lists the newest state a minute after a list, then after longer and longer pauses, up to 4 hours', async ({
    world,
  }) => {
    const minutes: number[] = [];
    const doubtFor = async (durationMinutes: number): Promise<void> => {
      for (let minute = 0; minute < durationMinutes; minute += 1) {
        world.requests();
        world.run.reflector.doubt(true);
        await world.pass(1);
        if (world.requests().includes('list limit=500')) minutes.push(minute);
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

  test('the first list alone is checked without a doubt, by one that is not older', async ({ world }) => {
    const listed: string[] = [];
    for (let minute = 0; minute < 20; minute += 1) {
      world.run.reflector.doubt(false);
      await world.pass(1);
      if (minute === 10) await world.send(errorLine(410));
      listed.push(...listsOf(world.requests()));
    }
    expect(listed).toEqual([check, check]);
  });
});
