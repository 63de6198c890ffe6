import { describe, expect, it } from 'vitest';

import { WorkloadBackoff } from '../../src/workload/workload-backoff.js';
import { ManualClock } from '../support/manual-clock.js';

function setUp(maxBackoffMs = 0): {
  clock: ManualClock;
  backoff: WorkloadBackoff;
  restsOf: (count: number) => Promise<number[]>;
} {
  const clock = new ManualClock();
  const backoff = new WorkloadBackoff({ clock, maxBackoffMs });
  /** Fails each time the rest is over. */
  const restsOf = async (count: number): Promise<number[]> => {
    const rests: number[] = [];
    while (rests.length < count) {
      backoff.failed('billing');
      rests.push(backoff.restMs('billing'));
      await clock.advance(backoff.restMs('billing'));
    }
    return rests;
  };
  return { clock, backoff, restsOf };
}

describe('WorkloadBackoff', () => {
  it.each([
    ['of the default', 0, [1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000, 256_000, 300_000, 300_000]],
    [
      'of the default, for a negative cap',
      -1,
      [1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000, 256_000, 300_000],
    ],
    ['of five seconds', 5000, [1000, 2000, 4000, 5000, 5000]],
    ['below the first delay', 300, [300, 300]],
  ])('doubles the rest with each failure up to a cap %s', async (_, maxBackoffMs, expected) => {
    const { restsOf } = setUp(maxBackoffMs);
    expect(await restsOf(expected.length)).toEqual(expected);
  });

  it('needs no rest before the first failure', () => {
    expect(setUp().backoff.restMs('billing')).toBe(0);
  });

  it('counts the rest down to zero', async () => {
    const { backoff, clock } = setUp();
    backoff.failed('billing');
    await clock.advance(400);
    expect(backoff.restMs('billing')).toBe(600);
    await clock.advance(600);
    expect(backoff.restMs('billing')).toBe(0);
    await clock.advance(5000);
    expect(backoff.restMs('billing')).toBe(0);
  });

  it('does not move the rest for a failure during it', async () => {
    const { backoff, clock } = setUp();
    backoff.failed('billing');
    await clock.advance(999);
    backoff.failed('billing');
    expect(backoff.restMs('billing')).toBe(1);
    await clock.advance(1);
    backoff.failed('billing');
    expect(backoff.restMs('billing')).toBe(2000);
  });

  it('starts anew after a success', async () => {
    const { backoff, restsOf } = setUp();
    await restsOf(3);
    backoff.succeeded('billing');
    expect(backoff.restMs('billing')).toBe(0);
    expect(await restsOf(2)).toEqual([1000, 2000]);
  });

  it('keeps workloads apart', () => {
    const { backoff } = setUp();
    backoff.failed('billing');
    backoff.succeeded('cart');
    expect([backoff.restMs('billing'), backoff.restMs('cart')]).toEqual([1000, 0]);
  });

  it('forgets workloads that are gone', async () => {
    const { backoff, restsOf } = setUp();
    await restsOf(3);
    backoff.failed('cart');
    backoff.retain(new Set(['cart']));
    expect(backoff.restMs('cart')).toBe(1000);
    expect(await restsOf(1)).toEqual([1000]);
  });

  it('knows whether any workload has failed since its last success', async () => {
    const { backoff, clock } = setUp();
    expect(backoff.hasFailed).toBe(false);
    backoff.failed('billing');
    await clock.advance(backoff.restMs('billing'));
    expect(backoff.hasFailed).toBe(true);
    backoff.succeeded('billing');
    expect(backoff.hasFailed).toBe(false);
  });
});
