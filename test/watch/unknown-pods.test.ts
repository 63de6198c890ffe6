import { describe, expect, it } from 'vitest';

import { ManualClock } from '../support/manual-clock.js';
import { recordingLogger } from '../support/recording-logger.js';
import { unknownPods } from '../support/running-store.js';

const minuteMs = 60_000;
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
    audit: unknownPods(clock, relist, { logger: recordingLogger(logged), random: () => 1 }),
  };
}

describe('UnknownPods', () => {
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
