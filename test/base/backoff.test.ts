import { expect, it } from 'vitest';

import { withJitter } from '../../src/lib/base/backoff.js';

it.each([
  [0, 500],
  [0.5, 750],
  [0.999, 999.5],
])('jitter with random %d makes %d of a delay of 1000', (random, expected) => {
  expect(withJitter(1_000, () => random)).toBe(expected);
});
