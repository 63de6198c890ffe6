import { expect, it } from 'vitest';

import { timeToLimitMs } from '../../src/history/usage-growth.js';

/** One sample a minute. */
const samplesOf = (...totals: readonly number[]) =>
  totals.map((usedBytes, index) => ({ atMs: index * 60_000, usedBytes }));

it.each([
  ['steady growth', [10, 20, 30], 7 * 60_000],
  ['growth that slows down: the slower rate counts', [10, 40, 50], 5 * 60_000],
  ['growth that speeds up: the slower rate counts', [10, 10, 40], 4 * 60_000],
  ['a single sample', [10], undefined],
  ['two samples: they make no trend', [10, 20], undefined],
  ['a ramp that has ended', [10, 80, 80], undefined],
  ['a shrinking pod', [30, 20, 10], undefined],
  ['a limit that is reached', [80, 90, 100], undefined],
  ['a limit that is more than an hour away', [10, 11, 12], undefined],
  ['no sample', [], undefined],
])('the time to a limit of 100 bytes is estimated from %s', (_case, totals, timeMs) => {
  expect(timeToLimitMs(samplesOf(...totals), 100)).toBe(timeMs);
});
