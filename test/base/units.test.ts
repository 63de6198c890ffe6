import { expect, it } from 'vitest';

import { formatAge, formatBytes, formatPercent, formatTime } from '../../src/lib/base/units.js';

it.each([
  [undefined, '-'],
  [0, '0B'],
  [1023, '1023B'],
  [1024, '1Ki'],
  [-1536, '-1.5Ki'],
  [1024 * 1024 - 1, '1Mi'],
  [5 * 2 ** 30, '5Gi'],
  [2 ** 53 - 1, '8Pi'],
  [2 ** 53, '8Pi or more'],
])('%s bytes are shown as %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

it.each([
  [0, '1970-01-01 00:00:00 UTC'],
  [Date.UTC(2026, 0, 1, 12, 5, 9, 999), '2026-01-01 12:05:09 UTC'],
  [1e300, '-'],
  [-1e300, '-'],
  [NaN, '-'],
])('the time %d is shown as %s', (atMs, text) => {
  expect(formatTime(atMs)).toBe(text);
});

it.each([
  [undefined, '-'],
  [999, '0s'],
  [61_500, '1m1s'],
  [-5, '0s'],
])('an age of %s ms is shown as %s', (ageMs, text) => {
  expect(formatAge(ageMs)).toBe(text);
});

it.each([
  [undefined, '-'],
  [Infinity, 'any use'],
  [0, '0 %'],
  [1 - Number.EPSILON, '99 %'],
  [1, '100 %'],
  [12.345, '1,234 %'],
  [0.7999, '79 %'],
  [0.29, '29 %'],
])('a ratio of %s is shown as %s, never as what is not reached', (ratio, text) => {
  expect(formatPercent(ratio)).toBe(text);
});
