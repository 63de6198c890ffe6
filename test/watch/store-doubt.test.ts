import { describe, expect, it } from 'vitest';

import { StoreDoubt } from '../../src/watch/store-doubt.js';
import { ManualClock } from '../support/manual-clock.js';

const minuteMs = 60_000;
const unknown = { knownCount: 0, unknownCount: 5 };
const known = { knownCount: 5, unknownCount: 0 };

/** Random number 1: each pause is as long as it can be. */
function start() {
  const clock = new ManualClock();
  return { clock, doubt: new StoreDoubt(clock, () => 1) };
}

describe('a store is in doubt', () => {
  it.each([
    [0, 0, undefined],
    [10, 1, undefined],
    [10, 10, undefined],
    [10, 11, 'first'],
    [0, 1, 'first'],
    [100, 19, undefined],
    [100, 20, 'first'],
    [180, 20, undefined],
    [10_000, 500, undefined],
  ])('with %d known and %d unknown pods for a minute: %s', async (knownCount, unknownCount, expected) => {
    const { clock, doubt } = start();
    const counts = { knownCount, unknownCount };
    expect(doubt.dueList(counts)).toBeUndefined();
    await clock.advance(minuteMs - 1);
    expect(doubt.dueList(counts)).toBeUndefined();
    await clock.advance(1);
    expect(doubt.dueList(counts)).toBe(expected);
  });

  it('not when the pods are known in between', async () => {
    const { clock, doubt } = start();
    doubt.dueList(unknown);
    await clock.advance(minuteMs / 2);
    doubt.dueList(known);
    await clock.advance(minuteMs / 2);
    expect(doubt.dueList(unknown)).toBeUndefined();
  });

  it('also with nothing to count in between', async () => {
    const { clock, doubt } = start();
    doubt.dueList(unknown);
    await clock.advance(minuteMs / 2);
    doubt.dueList({ knownCount: 0, unknownCount: 0 });
    await clock.advance(minuteMs / 2);
    expect(doubt.dueList(unknown)).toBe('first');
  });

  it('after longer and longer pauses, up to 4 hours, while lists do not help', async () => {
    const { clock, doubt } = start();
    const due: [number, string][] = [];
    for (let minute = 0; minute <= 13 * 60; minute += 1) {
      const list = doubt.dueList(unknown);
      if (list !== undefined) due.push([minute, list]);
      await clock.advance(minuteMs);
    }
    const again = [11, 31, 71, 151, 311, 551].map((minute) => [minute, 'again']);
    expect(due).toEqual([[1, 'first'], ...again]);
  });

  it('not within 10 minutes of a list that helped, and then as at first', async () => {
    const { clock, doubt } = start();
    const due: [number, string][] = [];
    for (let minute = 0; minute <= 30; minute += 1) {
      const list = doubt.dueList(minute % 3 === 2 ? known : unknown);
      if (list !== undefined) due.push([minute, list]);
      await clock.advance(minuteMs);
    }
    expect(due).toEqual([
      [1, 'first'],
      [13, 'first'],
      [25, 'first'],
    ]);
  });
});
