import { expect, it } from 'vitest';

import type { LimitReport } from '../../src/people/report/limit-report.js';
import { growthWithoutForecast } from '../../src/people/report/pod-growth.js';
import { mib } from '../support/units.js';

const limit = (usedMib: number, more: Partial<LimitReport> = {}): LimitReport => ({
  rule: 'pod',
  usedBytes: usedMib * mib,
  limitBytes: 100 * mib,
  ratio: usedMib / 100,
  ...more,
});

/** One in a minute. */
const samples = (...usedMib: readonly number[]) =>
  usedMib.map((used, index) => ({ atMs: index * 60_000, usedBytes: used * mib }));

const near = [limit(80)];
const nobodyEvicts = 'It grew 10Mi a minute. No forecast: no limit evicts it.';
const unsteady = 'No forecast: what counts towards the limit does not grow steadily.';
const tooShort = 'No forecast: it was measured for 2m, too short to look 20m ahead, when it would reach the limit.';

it.each([
  ['one measurement', near, samples(80), 'Its growth is not known: it was measured less than twice.'],
  ['no growth', near, samples(80, 80), 'It did not grow.'],
  ['no limit', [], samples(70, 80), nobodyEvicts],
  ['a limit that is not enforced', [limit(80, { unenforced: 'exempt' })], samples(70, 80), nobodyEvicts],
  ['half a limit', [limit(49)], samples(39, 49), 'It grew 10Mi a minute. No forecast: it is below half of each limit.'],
  ['slow growth', near, samples(78, 79, 80), `It grew 1Mi a minute. ${tooShort}`],
  ['growth that is fast enough for a forecast', near, samples(70, 70, 80), `It grew 10Mi in the last 1m. ${unsteady}`],
  ['growth after three of four minutes', near, samples(70, 70, 70, 70, 80), `It grew 10Mi in the last 1m. ${unsteady}`],
  [
    'growth in the first of four minutes',
    near,
    samples(70, 80, 80, 80, 80),
    `It grew 10Mi in the last 4m. ${unsteady}`,
  ],
  ['a staircase, as volumes are', near, samples(60, 60, 70, 70, 80, 80), `It grew 4Mi a minute. ${unsteady}`],
  ['what is below what it was', near, samples(80, 60, 70), 'It did not grow.'],
] as const)('%s is the one reason for no forecast', (_what, limits, measured, text) => {
  expect(growthWithoutForecast(limits, measured)).toBe(text);
});
