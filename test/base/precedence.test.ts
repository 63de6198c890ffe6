import { describe, expect, it } from 'vitest';

import { Precedence } from '../../src/base/precedence.js';
import { ManualClock } from '../support/manual-clock.js';

function setUp() {
  const clock = new ManualClock();
  const precedence = new Precedence(clock);
  const freed: string[] = [];
  const wait = (name: string, maxWaitMs = 1_000): void => {
    void precedence.free(maxWaitMs).then(() => freed.push(name));
  };
  /** Runs until its result is called. */
  const run = (): (() => Promise<void>) => {
    let end = (): void => undefined;
    const running = precedence.during(() => new Promise<void>((resolve) => (end = resolve)));
    return async () => {
      end();
      await running;
      await clock.advance(0);
    };
  };
  return { clock, precedence, freed, wait, run };
}

describe('work in the background', () => {
  it('does not wait without any in the foreground', async () => {
    const { precedence, clock } = setUp();
    await precedence.free(1_000);
    expect(clock.sleeperCount).toBe(0);
  });

  it('waits until all in the foreground has ended', async () => {
    const { precedence, freed, wait, run, clock } = setUp();
    const ends = [run(), run()];
    wait('one');
    wait('two');
    await ends[0]?.();
    expect([freed, precedence.runningCount]).toEqual([[], 1]);
    await ends[1]?.();
    expect([freed, precedence.runningCount, clock.sleeperCount]).toEqual([['one', 'two'], 0, 0]);
  });

  it('waits no longer than it may', async () => {
    const { freed, wait, run, clock } = setUp();
    const end = run();
    wait('patient', 2_000);
    wait('impatient', 1_000);
    await clock.advance(1_000);
    expect(freed).toEqual(['impatient']);
    await end();
    expect(freed).toEqual(['impatient', 'patient']);
  });

  it('goes on when work in the foreground fails, which passes its error on', async () => {
    const { precedence } = setUp();
    const failure = new Error('failed');
    await expect(precedence.during(() => Promise.reject(failure))).rejects.toBe(failure);
    expect(precedence.runningCount).toBe(0);
    await precedence.free(1_000);
  });
});
