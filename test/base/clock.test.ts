import { getEventListeners } from 'node:events';

import { describe, expect, it } from 'vitest';

import { startDeadline } from '../../src/lib/base/abortable.js';
import { systemClock } from '../../src/lib/base/clock.js';
import { ManualClock } from '../support/manual-clock.js';

describe('systemClock', () => {
  it('the system clock counts wall time from the Unix epoch, and monotonic time never goes back', () => {
    expect(systemClock.nowMs()).toBeGreaterThan(Date.UTC(2024, 0, 1));
    const first = systemClock.monotonicMs();
    expect(systemClock.monotonicMs()).toBeGreaterThanOrEqual(first);
  });

  it('the system clock leaves no listener on the signal of a sleep that has ended', async () => {
    const { signal } = new AbortController();
    await systemClock.sleep(1, signal);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it.each(['before the sleep', 'during the sleep'])(
    'a sleep rejects with the reason of a signal aborted %s',
    async (when) => {
      const controller = new AbortController();
      const reason = new Error('shutting down');
      if (when === 'before the sleep') controller.abort(reason);
      const sleep = systemClock.sleep(3_600_000, controller.signal);
      controller.abort(reason);
      await expect(sleep).rejects.toBe(reason);
    },
  );
});

describe('startDeadline', () => {
  const error = (): Error => new Error('time is up');

  it('a deadline is aborted from the start, without a timer, when its parent is aborted', () => {
    const clock = new ManualClock();
    const parent = AbortSignal.abort(new Error('caller left'));
    using deadline = startDeadline({ clock, durationMs: 1_000, error, parent });
    expect(deadline.signal.reason).toEqual(new Error('caller left'));
    expect(clock.sleeperCount).toBe(0);
  });

  it('a deadline starts the duration again on a restart', async () => {
    const clock = new ManualClock();
    using deadline = startDeadline({ clock, durationMs: 1_000, error });
    await clock.advance(900);
    deadline.restart();
    await clock.advance(999);
    expect(deadline.signal.aborted).toBe(false);
    expect(clock.sleeperCount).toBe(1);
    await clock.advance(1);
    expect(deadline.signal.aborted).toBe(true);
  });
});
