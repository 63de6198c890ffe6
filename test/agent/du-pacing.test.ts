import { describe, expect, it } from 'vitest';

import { DuBudget, type DuPacing, paceProcess, untilAllowed } from '../../src/agent/du-pacing.js';
import type { Clock } from '../../src/base/clock.js';
import { ManualClock } from '../support/manual-clock.js';

/** Runs a process under a manual clock and adds up how long it was not stopped. */
function paced({
  budgetShare,
  isBusy = () => false,
  leastSleepMs = 0,
}: {
  readonly budgetShare: number;
  readonly isBusy?: () => boolean;
  readonly leastSleepMs?: number;
}) {
  const clock = new ManualClock();
  const lateClock: Clock = {
    sleep: (durationMs, signal) => clock.sleep(Math.max(durationMs, leastSleepMs), signal),
    nowMs: () => clock.nowMs(),
    monotonicMs: () => clock.monotonicMs(),
    steadyNowMs: () => clock.steadyNowMs(),
  };
  const stop = new AbortController();
  let startedMs: number | undefined = clock.monotonicMs();
  let ranMs = 0;
  const budget = new DuBudget(budgetShare);
  const pacing: DuPacing = { clock: lateClock, budget, isBusy: () => Promise.resolve(isBusy()) };
  const done = paceProcess(
    (name) => {
      if (name === 'SIGSTOP') ranMs += clock.monotonicMs() - (startedMs ?? NaN);
      startedMs = name === 'SIGSTOP' ? undefined : clock.monotonicMs();
    },
    pacing,
    stop.signal,
  );
  return {
    clock,
    budget,
    isRunning: () => startedMs !== undefined,
    ranMs: () => ranMs,
    end: async () => {
      stop.abort(new Error('over'));
      await done;
    },
  };
}

describe('a walk', () => {
  it.each([0.05, 0.25, 0.5])('runs for its share of the time: %d', async (budgetShare) => {
    const { clock, ranMs, end } = paced({ budgetShare });
    await clock.advance(60_000);
    expect(ranMs() / 60_000).toBeCloseTo(budgetShare, 2);
    await end();
  });

  it('is stopped longer after a timer that was late', async () => {
    const { clock, ranMs, end } = paced({ budgetShare: 0.05, leastSleepMs: 1_000 });
    await clock.advance(60_000);
    expect(ranMs() / 60_000).toBeCloseTo(0.05, 2);
    await end();
  });

  it('stays stopped while the disk is busy', async () => {
    let isBusy = true;
    const { clock, isRunning, end } = paced({ budgetShare: 0.5, isBusy: () => isBusy });
    await clock.advance(60_000);
    expect(isRunning()).toBe(false);
    isBusy = false;
    await clock.advance(1_000);
    expect(isRunning()).toBe(true);
    await end();
  });

  it.each([
    ['in its first slice', 40, 800],
    ['in a later slice', 2_010, 2_200],
    ['while it is stopped', 300, 2_000],
  ])('that ends %s is paid back by when the next may run', async (_case, endMs, nextMs) => {
    const { clock, budget, end } = paced({ budgetShare: 0.05 });
    const startMs = clock.monotonicMs();
    await clock.advance(endMs);
    await end();
    expect(budget.restUntilMs - startMs).toBeCloseTo(nextMs);
  });

  it('that is stopped rests for what another one of the node spends meanwhile', async () => {
    const { clock, budget, isRunning, end } = paced({ budgetShare: 0.05 });
    const startMs = clock.monotonicMs();
    await clock.advance(100);
    budget.spend(startMs + 50, startMs + 150);
    await clock.advance(3_899);
    expect(isRunning()).toBe(false);
    await clock.advance(1);
    expect(isRunning()).toBe(true);
    await end();
  });

  it('may not begin when it is no longer needed, although the disk is idle', async () => {
    const pacing: DuPacing = {
      clock: new ManualClock(),
      budget: new DuBudget(1),
      isBusy: () => Promise.resolve(false),
    };
    await expect(untilAllowed(pacing, AbortSignal.abort(new Error('over')))).rejects.toThrow('over');
  });

  it('leaves no timer behind when it is over', async () => {
    const { clock, end } = paced({ budgetShare: 0.05 });
    await clock.advance(500);
    await end();
    expect(clock.sleeperCount).toBe(0);
  });
});
