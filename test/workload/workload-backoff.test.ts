import { describe, expect, it } from 'vitest';

import { WorkloadBackoff } from '../../src/facts/workload/workload-backoff.js';
import { ManualClock } from '../support/manual-clock.js';

const none: ReadonlySet<string> = new Set();

function setUp(maxBackoffMs = 300_000): {
  clock: ManualClock;
  backoff: WorkloadBackoff;
  delaysOf: (count: number) => Promise<number[]>;
} {
  const clock = new ManualClock();
  const backoff = new WorkloadBackoff({ clock, maxBackoffMs });
  /** Fails each time the back-off ends. */
  const delaysOf = async (count: number): Promise<number[]> => {
    const delays: number[] = [];
    while (delays.length < count) {
      backoff.failed('billing', none);
      delays.push(backoff.remainingMs('billing'));
      await clock.advance(backoff.remainingMs('billing'));
    }
    return delays;
  };
  return { clock, backoff, delaysOf };
}

describe('WorkloadBackoff', () => {
  it.each([
    ['of five minutes', 300_000, [1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000, 256_000, 300_000, 300_000]],
    ['of five seconds', 5000, [1000, 2000, 4000, 5000, 5000]],
  ])('doubles the delay with each failure up to a cap %s', async (_, maxBackoffMs, expected) => {
    const { delaysOf } = setUp(maxBackoffMs);
    expect(await delaysOf(expected.length)).toEqual(expected);
  });

  it('does not extend the delay for a failure during it', async () => {
    const { backoff, clock } = setUp();
    backoff.failed('billing', none);
    await clock.advance(999);
    backoff.failed('billing', none);
    expect(backoff.remainingMs('billing')).toBe(1);
    await clock.advance(1);
    backoff.failed('billing', none);
    expect(backoff.remainingMs('billing')).toBe(2000);
  });

  it('forgets workloads that are gone', async () => {
    const { backoff, delaysOf } = setUp();
    await delaysOf(3);
    backoff.failed('cart', none);
    backoff.retain(new Set(['cart']));
    expect(backoff.remainingMs('cart')).toBe(1000);
    expect(await delaysOf(1)).toEqual([1000]);
  });

  it('knows whether any workload has failed since its last success', async () => {
    const { backoff, clock } = setUp();
    expect(backoff.hasFailed).toBe(false);
    backoff.failed('billing', none);
    await clock.advance(backoff.remainingMs('billing'));
    expect(backoff.hasFailed).toBe(true);
    backoff.succeeded('billing');
    expect(backoff.hasFailed).toBe(false);
  });

  const nodes = (...names: string[]): ReadonlySet<string> => new Set(names);

  it.each([
    ['ends early when a node has data that had none', ['a'], [['a', 'b']], 0],
    ['does not end early while the same nodes or fewer have data', ['a', 'b'], [['b', 'a'], ['b'], []], 1000],
    ['ends early when a node lost its data during it and has data again', ['a'], [[], ['a']], 0],
  ])('a back-off %s', (_case, atFailure, updates, remainingMs) => {
    const { backoff } = setUp();
    backoff.failed('billing', nodes(...atFailure));
    for (const update of updates) backoff.update('billing', nodes(...update));
    expect(backoff.remainingMs('billing')).toBe(remainingMs);
  });
});
