import { expect, it } from 'vitest';

import { scrapeTimeoutMs } from '../../src/serve/server/scrape-budget.js';

const times = { timeoutOffsetMs: 500, defaultTimeoutMs: 10_000 };

it.each([
  ['that of the header less the offset', '10', 9_500],
  ['that of the header with a fraction', '1.5', 1_000],
  ['at most the longest duration', '120', 60_000],
  ['at most the longest duration, offset included', '60.2', 59_700],
  ['half of a timeout as short as the offset', '0.5', 250],
  ['half of a timeout hardly longer than the offset', '0.8', 400],
  ['an hour, the longest that is believed', '3600', 60_000],
  ['the default for a longer one', '3601', 10_000],
  ['the default for a huge one', '1e300', 10_000],
  ['the default for infinity', 'Infinity', 10_000],
  ['the default for no number', 'soon', 10_000],
  ['the default for NaN', 'NaN', 10_000],
  ['the default for nothing', '', 10_000],
  ['the default for blanks', '  ', 10_000],
  ['the default for zero', '0', 10_000],
  ['the default for less than zero', '-5', 10_000],
  ['the default for two values', '10, 20', 10_000],
  ['the default without the header', undefined, 10_000],
])('the timeout of a scrape is %s', (_case, header, expected) => {
  expect(scrapeTimeoutMs(header, times)).toBe(expected);
});

it('the timeout of a scrape is at most the longest duration by default too', () => {
  expect(scrapeTimeoutMs(undefined, { ...times, defaultTimeoutMs: 90_000 })).toBe(60_000);
});

it('the timeout of a scrape is as it is without an offset', () => {
  expect(scrapeTimeoutMs('10', { ...times, timeoutOffsetMs: 0 })).toBe(10_000);
});
