import { setImmediate as nextTurn } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import type { Clock } from '../../src/lib/base/clock.js';
import type { Lane } from '../../src/lib/base/lane.js';
import { Scheduler } from '../../src/lib/base/scheduler.js';
import { ManualClock } from '../support/manual-clock.js';

/** Time passes only where a task says so. */
function setUp() {
  let elapsedMs = 0;
  const sleepers: { readonly dueMs: number; readonly wake: () => void }[] = [];
  const clock: Clock = {
    nowMs: () => 0,
    monotonicMs: () => elapsedMs,
    steadyNowMs: () => elapsedMs,
    sleep: (durationMs) =>
      new Promise((wake) => {
        sleepers.push({ dueMs: elapsedMs + durationMs, wake });
      }),
  };
  const scheduler = new Scheduler(clock);
  const events: string[] = [];
  const task = (name: string, durationMs: number) => () => {
    elapsedMs += durationMs;
    for (const { dueMs, wake } of sleepers) if (dueMs <= elapsedMs) wake();
    events.push(name);
    return name;
  };
  /** Turns of the event loop show up among the events. */
  const watchTurns = async (count: number): Promise<void> => {
    for (let turn = 0; turn < count; turn++) {
      await nextTurn();
      events.push('turn');
    }
  };
  return { scheduler, clock, lane: scheduler.newLane(), events, task, watchTurns };
}

it('a lane runs tasks in the order of the calls and returns their results', async () => {
  const { lane, events, task } = setUp();
  const results = await Promise.all([lane.run(task('a', 1)), lane.run(task('b', 1)), lane.run(task('c', 1))]);
  expect(results).toEqual(['a', 'b', 'c']);
  expect(events).toEqual(['a', 'b', 'c']);
});

it.each([
  ['runs short tasks within one turn of the event loop', 1, ['a', 'b', 'c', 'turn']],
  ['yields to the event loop when a time slice is over', 3, ['a', 'b', 'turn', 'c']],
])('a lane %s', async (_case, durationMs, expected) => {
  const { lane, events, task, watchTurns } = setUp();
  const turns = watchTurns(1);
  await Promise.all(['a', 'b', 'c'].map((name) => lane.run(task(name, durationMs))));
  await turns;
  expect(events).toEqual(expected);
});

it('a lane rejects with the error of a task, and continues with the next one', async () => {
  const { lane, task } = setUp();
  const failing = lane.run(() => {
    throw new Error('broken');
  });
  const next = lane.run(task('next', 1));
  await expect(failing).rejects.toThrow('broken');
  expect(await next).toBe('next');
});

it('a lane runs all items of one slice in one turn, and yields between slices', async () => {
  const { lane, events, task, watchTurns } = setUp();
  const turns = watchTurns(1);
  await lane.each(['a', 'b', 'c'], (name) => task(name, 3)());
  await turns;
  expect(events).toEqual(['a', 'b', 'turn', 'c']);
});

it('a lane takes an item only when its turn has come', async () => {
  const { lane, events, task } = setUp();
  function* items() {
    yield task('ask a', 1)();
    yield task('ask b', 1)();
  }
  await lane.each(items(), (name) => events.push(`do ${name}`));
  expect(events).toEqual(['ask a', 'do ask a', 'ask b', 'do ask b']);
});

it('a lane stops at the first item that fails', async () => {
  const { lane, events } = setUp();
  const failing = lane.each(['a', 'b'], (name) => {
    events.push(name);
    throw new Error('broken');
  });
  await expect(failing).rejects.toThrow('broken');
  expect(events).toEqual(['a']);
});

/** Adds a task again and again, as one that never ends; each takes `durationMs`. */
function endless(lane: Lane, task: (name: string, durationMs: number) => () => string, name: string): () => void {
  let hasEnded = false;
  const run = async (): Promise<void> => {
    while (!hasEnded) await lane.run(task(name, 1));
  };
  void run();
  return () => (hasEnded = true);
}

it('lanes have slices in turns, so that none waits for another one that never ends', async () => {
  const { scheduler, events, task } = setUp();
  const lanes = [scheduler.newLane(), scheduler.requests, scheduler.background];
  const stops = lanes.map((lane, index) => endless(lane, task, `${index}`));
  while (events.length < 300) await nextTurn();
  for (const stop of stops) stop();
  for (const name of ['0', '1', '2']) {
    expect(events.filter((each) => each === name).length / events.length).toBeCloseTo(1 / 3, 1);
  }
});

it('lanes keep their slice while what runs in them awaits something between two tasks', async () => {
  const { scheduler, events, task } = setUp();
  const [scrape, decoding] = [scheduler.newLane(), scheduler.newLane()];
  const stop = endless(decoding, task, 'd');
  for (let node = 0; node < 100; node += 1) await scrape.run(task('s', 0.1));
  stop();
  expect(events.filter((name) => name === 'd').length).toBeLessThan(20);
});

it('lanes pass on what is left of a slice', async () => {
  const { scheduler, events, task } = setUp();
  const lanes = [scheduler.newLane(), scheduler.requests, scheduler.background];
  await Promise.all(lanes.map((lane, index) => lane.run(task(`${index}`, 1))));
  expect(events).toEqual(['0', '1', '2']);
});

it('a scrape takes as long beside readers as without them', async () => {
  const { scheduler, clock, task, events } = setUp();
  const stop = endless(scheduler.readers, task, 'page');
  while (events.length < 100) await nextTurn();
  const startMs = clock.monotonicMs();
  const items = Array.from({ length: 200 }, () => task('scrape', 1));
  await scheduler.newLane().each(items, (item) => item());
  const tookMs = clock.monotonicMs() - startMs;
  stop();
  expect(tookMs).toBeLessThan(200 + 2 * 5);
});

it('readers have all of the time that nobody else wants', async () => {
  const { scheduler, clock, task } = setUp();
  const items = Array.from({ length: 100 }, () => task('page', 1));
  await scheduler.readers.each(items, (item) => item());
  expect(clock.monotonicMs()).toBe(100);
});

it('beside lanes that never end, readers have four slices a second', async () => {
  const { scheduler, clock, task, events } = setUp();
  const stops = [scheduler.newLane(), scheduler.newLane()].map((lane) => endless(lane, task, 'other'));
  stops.push(endless(scheduler.readers, task, 'page'));
  while (clock.monotonicMs() < 10_000) await nextTurn();
  for (const stop of stops) stop();
  const sliceCount = events.filter((name) => name === 'page').length / 5;
  expect(sliceCount).toBeGreaterThan(35);
  expect(sliceCount).toBeLessThan(41);
});

describe('Scheduler.begin', () => {
  const held = (scheduler: Scheduler): readonly boolean[] =>
    [scheduler.newLane(), scheduler.requests, scheduler.background].map(({ isHeld }) => isHeld);
  const nothing = [false, false, false];
  const theBackground = [false, false, true];
  const both = [false, true, true];

  it('urgent work holds the background while it runs, and requests once it waits for none', () => {
    const scheduler = new Scheduler(new ManualClock());
    const found = [held(scheduler)];
    const work = scheduler.begin();
    found.push(held(scheduler));
    work.endWait();
    found.push(held(scheduler));
    work[Symbol.dispose]();
    found.push(held(scheduler));
    work.endWait(); // too late
    found.push(held(scheduler));
    expect(found).toEqual([nothing, theBackground, both, nothing, nothing]);
  });

  it('urgent work holds requests as long as any of it waits for none', () => {
    const scheduler = new Scheduler(new ManualClock());
    const [one, two] = [scheduler.begin(), scheduler.begin()];
    one.endWait();
    expect(held(scheduler)).toEqual(both);
    two.endWait();
    one[Symbol.dispose]();
    expect(held(scheduler)).toEqual(both);
    scheduler.begin();
    two[Symbol.dispose]();
    expect(held(scheduler)).toEqual(theBackground);
  });
});

describe('Scheduler: a lane that is held', () => {
  function setUpHeld() {
    const clock = new ManualClock();
    const scheduler = new Scheduler(clock);
    const done: string[] = [];
    const come = (name: string): void => {
      void scheduler.background.run(() => done.push(name));
    };
    return { clock, scheduler, done, come };
  }

  it('a lane runs what waits when it is held no longer, and leaves no timer behind', async () => {
    const { clock, scheduler, done, come } = setUpHeld();
    const work = scheduler.begin();
    come('one');
    come('two');
    await clock.advance(9_999);
    expect(done).toEqual([]);
    work[Symbol.dispose]();
    await clock.advance(0);
    expect([done, clock.sleeperCount]).toEqual([['one', 'two'], 0]);
  });

  it.each([
    { what: 'is held no longer', passMs: 0, isDone: true },
    { what: 'has been held for 10 s', passMs: 10_000, isDone: false },
  ])('a lane runs what came before it was held and had no turn by then, once it $what', async ({ passMs, isDone }) => {
    const { clock, scheduler, done, come } = setUpHeld();
    const holding = scheduler.newLane().run(() => scheduler.begin());
    come('one');
    const work = await holding;
    await clock.advance(0);
    const before = [...done];
    if (isDone) work[Symbol.dispose]();
    await clock.advance(passMs);
    expect([before, done]).toEqual([[], ['one']]);
  });

  it('a lane that is held goes on after 10 s, also with what comes later', async () => {
    const { clock, scheduler, done, come } = setUpHeld();
    scheduler.begin();
    come('one');
    await clock.advance(9_999);
    expect(done).toEqual([]);
    await clock.advance(1);
    expect(done).toEqual(['one']);
    come('two');
    await clock.advance(0);
    expect(done).toEqual(['one', 'two']);
  });

  it('a lane that is held waits for no longer when it is open for moments only', async () => {
    const { clock, scheduler, done, come } = setUpHeld();
    for (let second = 0; second < 20; second += 1) {
      const work = scheduler.begin();
      come(`at ${second}`);
      await clock.advance(1_000);
      if (second > 10) expect(done).toContain(`at ${second}`);
      work[Symbol.dispose]();
      await clock.advance(1);
    }
    scheduler.begin();
    come('during a long run');
    await clock.advance(0);
    expect(done).toContain('during a long run');
  });

  it('a lane is held for 10 s again after it was open for a second', async () => {
    const { clock, scheduler, done, come } = setUpHeld();
    const work = scheduler.begin();
    await clock.advance(10_000);
    work[Symbol.dispose]();
    await clock.advance(1_000);
    scheduler.begin();
    come('one');
    await clock.advance(9_999);
    expect(done).toEqual([]);
    await clock.advance(1);
    expect(done).toEqual(['one']);
  });
});

it.each([
  { what: '30,000 changes of pods are delivered', count: 30_000, eachMs: 0.05, lane: 'own', withinMs: 10_000 },
  { what: '5,000 kubelets are asked', count: 5_000, eachMs: 0.3, lane: 'requests', withinMs: 15_000 },
  { what: 'a page of 150,000 pods is made', count: 150, eachMs: 1, lane: 'readers', withinMs: 8_000 },
  { what: 'a list of 64 MiB is read', count: 1_000, eachMs: 2, lane: 'background', withinMs: 17_000 },
] as const)('beside scrapes without end, $what within $withinMs ms', async ({ count, eachMs, lane, withinMs }) => {
  const { scheduler, clock, task } = setUp();
  const state = { isOver: false };
  const scrapes = async (ownLane: Lane): Promise<void> => {
    while (!state.isOver) {
      using work = scheduler.begin();
      await ownLane.run(task('collects', 1));
      work.endWait();
      for (let step = 0; step < 1_000; step += 1) await ownLane.run(task('renders', 1));
    }
  };
  const running = [scrapes(scheduler.newLane()), scrapes(scheduler.newLane())];
  await nextTurn();
  const items = Array.from({ length: count }, () => task('item', eachMs));
  await (lane === 'own' ? scheduler.newLane() : scheduler[lane]).each(items, (item) => item());
  const tookMs = clock.monotonicMs();
  state.isOver = true;
  await Promise.all(running);
  expect(tookMs).toBeLessThan(withinMs);
});

describe('Scheduler: many items', () => {
  it('a lane is shared in slices by those that have many items', async () => {
    const { lane, events, task } = setUp();
    const each = (name: string) => lane.each([1, 2, 3, 4], (item) => task(`${name}${item}`, 3)());
    await Promise.all([each('a'), each('b')]);
    expect(events).toEqual(['a1', 'a2', 'b1', 'b2', 'a3', 'a4', 'b3', 'b4']);
  });

  it('a lane begins the next task when the one before waits for something else', async () => {
    const { lane, events, task } = setUp();
    let respond = (): void => undefined;
    const request = lane.run(async () => {
      task('ask', 1)();
      await new Promise<void>((resolve) => (respond = resolve));
      return 'response';
    });
    await lane.run(task('next', 1));
    respond();
    expect([events, await request]).toEqual([['ask', 'next'], 'response']);
  });
});
