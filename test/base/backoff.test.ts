import { expect, it } from 'vitest';

import { nextDelayMs, withJitter } from '../../src/lib/base/backoff.js';

it.each([
  [800, 30_000, 1_600],
  [4_000, 8_000, 8_000],
  [25_600, 30_000, 30_000],
  [30_000, 30_000, 30_000],
])('the delay after %d with a maximum of %d is %d', (delayMs, maxMs, expected) => {
  expect(nextDelayMs(delayMs, maxMs)).toBe(expected);
});

it.each([
  [0, 500],
  [0.5, 750],
  [0.999, 999.5],
])('jitter with random %d makes %d of a delay of 1000', (random, expected) => {
  expect(withJitter(1_000, () => random)).toBe(expected);
});
