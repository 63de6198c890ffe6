import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { type Backoff, equalJitter, exponentialBackoff } from '../../src/base/backoff.js';

function delays(first: Backoff, count: number): number[] {
  const list: number[] = [];
  for (let step = first; list.length < count; step = step.next()) list.push(step.delayMs);
  return list;
}

describe('exponentialBackoff', () => {
  it.each([
    [
      'doubles up to the cap',
      { baseMs: 800, maxMs: 30_000 },
      [800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000],
    ],
    ['starts at the cap when base and cap are equal', { baseMs: 5, maxMs: 5 }, [5, 5, 5]],
    ['reaches the cap exactly', { baseMs: 1_000, maxMs: 8_000 }, [1_000, 2_000, 4_000, 8_000, 8_000]],
  ])('the exponential back-off %s', (_name, options, expected) => {
    expect(delays(exponentialBackoff(options), expected.length)).toEqual(expected);
  });

  it('the exponential back-off doubles the delay without jitter', () => {
    const halved = exponentialBackoff({ baseMs: 1_000, maxMs: 5_000, jitter: (delayMs) => delayMs / 2 });
    expect(delays(halved, 5)).toEqual([500, 1_000, 2_000, 2_500, 2_500]);
  });

  it('the exponential back-off is immutable: calling next twice returns the same step', () => {
    const first = exponentialBackoff({ baseMs: 1, maxMs: 100 });
    const second = first.next();
    second.next();
    expect([first.delayMs, first.next().delayMs, second.delayMs]).toEqual([1, 2, 2]);
  });

  it('a delay with jitter stays between half of the plain delay and the plain delay', () => {
    const milliseconds = fc.integer({ min: 1, max: 600_000 });
    const fraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(milliseconds, milliseconds, fc.array(fraction, { minLength: 40, maxLength: 40 }), (a, b, randoms) => {
        const bounds = { baseMs: Math.min(a, b), maxMs: Math.max(a, b) };
        let drawn = 0;
        const random = (): number => randoms[drawn++] ?? 0;
        const plain = delays(exponentialBackoff(bounds), randoms.length);
        const jittered = delays(exponentialBackoff({ ...bounds, jitter: equalJitter(random) }), randoms.length);
        plain.forEach((plainMs, index) => {
          expect(jittered[index]).toBeGreaterThanOrEqual(plainMs / 2);
          expect(jittered[index]).toBeLessThanOrEqual(plainMs);
          expect(plainMs).toBeLessThanOrEqual(bounds.maxMs);
        });
      }),
    );
  });
});

it.each([
  [0, 500],
  [0.5, 750],
  [0.999, 999.5],
])('equalJitter with random %d returns %d for 1000', (random, expected) => {
  expect(equalJitter(() => random)(1_000)).toBe(expected);
});
