import { describe, expect, it } from 'vitest';

import { ResponseWait } from '../../src/facts/scrape/response-wait.js';
import { Scheduler } from '../../src/lib/base/scheduler.js';
import { atOnce } from '../support/lanes.js';
import { ManualClock } from '../support/manual-clock.js';

interface Given {
  /** By node: how long its last response took. */
  readonly usualMs: Readonly<Record<string, number | undefined>>;
  /** Milliseconds since the start, by node. */
  readonly responses?: Readonly<Record<string, number>>;
  readonly waitsForAll?: boolean;
}

const longestMs = 60_000;
const never = new AbortController().signal;

/** After how many milliseconds the wait is over; `longestMs` when it is not by then. */
async function durationOf({ usualMs, responses = {}, waitsForAll = false }: Given): Promise<number> {
  const clock = new ManualClock();
  const startMs = clock.monotonicMs();
  using wait = new ResponseWait({ clock, parent: never, waitsForAll, requests: atOnce });
  wait.start(new Map(Object.entries(usualMs)));
  let endMs: number | undefined;
  wait.signalFor(0).addEventListener('abort', () => {
    endMs ??= clock.monotonicMs();
  });
  if (wait.signalFor(0).aborted) return 0;
  for (const [nodeName, atMs] of Object.entries(responses)) {
    void clock.sleep(atMs).then(() => {
      wait.responded(nodeName);
    });
  }
  await clock.advance(longestMs);
  return (endMs ?? startMs + longestMs) - startMs;
}

const of = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`node-${index}`, 1]));
const everyMs = (stepMs: number, count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`node-${index}`, (index + 1) * stepMs]));

describe('ResponseWait', () => {
  it.each<[what: string, durationMs: number, given: Given]>([
    ['no node is waited for', 0, { usualMs: {} }],
    ['all have responded', 80, { usualMs: { a: 20, b: undefined }, responses: { a: 30, b: 80 } }],
    [
      'one has never responded and others took up to 300 ms',
      800,
      { usualMs: { a: 1, b: undefined }, responses: { a: 300 } },
    ],
    ['the others took 4 s: half of it', 6_000, { usualMs: { ...of(10), last: 1 }, responses: everyMs(400, 10) }],
    ['one is left that took 1 s last time: twice that', 2_100, { usualMs: { a: 1, b: 1_000 }, responses: { a: 100 } }],
    [
      'the slow one has responded, one is left that is fast',
      1_500,
      { usualMs: { a: 1_000, b: 20 }, responses: { a: 1_000 } },
    ],
    ['no node responds, and all did last time', 500, { usualMs: { a: 20, b: 30 } }],
    ['no node responds, and one never did', longestMs, { usualMs: { a: 20, b: undefined } }],
    ['every node is wanted', longestMs, { usualMs: { a: 20, b: 20 }, responses: { a: 10 }, waitsForAll: true }],
  ])('the wait for responses is over when %s: after %d ms', async (_what, durationMs, given) => {
    expect(await durationOf(given)).toBe(durationMs);
  });

  it('the wait for responses is over when its parent aborts, also before it begins', () => {
    const clock = new ManualClock();
    const parent = new AbortController();
    using wait = new ResponseWait({ clock, parent: parent.signal, waitsForAll: true, requests: atOnce });
    wait.start(new Map([['a', undefined]]));
    expect(wait.signalFor(0).aborted).toBe(false);
    parent.abort();
    expect(wait.signalFor(0).aborted).toBe(true);
    using late = new ResponseWait({ clock, parent: parent.signal, waitsForAll: true, requests: atOnce });
    expect(late.signalFor(0).aborted).toBe(true);
  });

  it('the wait for responses leaves no timer behind', async () => {
    const clock = new ManualClock();
    {
      using wait = new ResponseWait({ clock, parent: never, waitsForAll: false, requests: atOnce });
      wait.start(new Map([['a', 20]]));
      await clock.advance(100);
      expect(clock.sleeperCount).toBe(1);
    }
    expect(clock.sleeperCount).toBe(0);
  });

  it('nodes that could not be asked are not taken for stragglers', async () => {
    const clock = new ManualClock();
    const scheduler = new Scheduler(clock);
    const otherScrape = scheduler.begin();
    otherScrape.endWait();
    void clock.sleep(3_000).then(otherScrape[Symbol.dispose]);
    const { requests } = scheduler;
    using wait = new ResponseWait({ clock, parent: never, waitsForAll: false, requests });
    wait.start(
      new Map([
        ['a', 20],
        ['b', 20],
      ]),
    );
    const signal = wait.signalFor(0);
    await clock.advance(3_499);
    expect(signal.aborted).toBe(false);
    wait.responded('a');
    await clock.advance(1_748);
    expect(signal.aborted).toBe(false);
    await clock.advance(500);
    expect(signal.aborted).toBe(true);
  });
});
