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

it.each([
  ['one measurement', [limit(80)], samples(80), 'Its growth is not known: it was measured less than twice.'],
  ['no growth', [limit(80)], samples(80, 80), 'It did not grow.'],
  ['no limit', [], samples(70, 80), 'It grew 10Mi a minute. No forecast: no limit evicts it.'],
  [
    'a limit that is not enforced',
    [limit(80, { unenforced: 'exempt' })],
    samples(70, 80),
    'It grew 10Mi a minute. No forecast: no limit evicts it.',
  ],
  [
    'usage below half of the limit',
    [limit(49)],
    samples(39, 49),
    'It grew 10Mi a minute. No forecast: it is below half of each limit.',
  ],
  [
    'slow growth',
    [limit(80)],
    samples(78, 79, 80),
    'It grew 1Mi a minute. No forecast: it was measured for 2m, too short to look 20m ahead, when it would reach the limit.',
  ],
  [
    'growth that is fast enough for a forecast',
    [limit(80)],
    samples(70, 70, 80),
    'It grew 10Mi in the last 1m. No forecast: what counts towards the limit does not grow steadily.',
  ],
  [
    'growth after three of four minutes',
    [limit(80)],
    samples(70, 70, 70, 70, 80),
    'It grew 10Mi in the last 1m. No forecast: what counts towards the limit does not grow steadily.',
  ],
  [
    'growth in the first of four minutes',
    [limit(80)],
    samples(70, 80, 80, 80, 80),
    'It grew 10Mi in the last 4m. No forecast: what counts towards the limit does not grow steadily.',
  ],
  [
    'a staircase, as volumes are measured',
    [limit(80)],
    samples(60, 60, 70, 70, 80, 80),
    'It grew 4Mi a minute. No forecast: what counts towards the limit does not grow steadily.',
  ],
  ['what is below what it was', [limit(80)], samples(80, 60, 70), 'It did not grow.'],
] as const)('%s is the one reason for no forecast', (_what, limits, measured, text) => {
  expect(growthWithoutForecast(limits, measured)).toBe(text);
});
