import fc from 'fast-check';
import { expect, it } from 'vitest';

import { formatDuration, parseDuration } from '../../src/lib/base/units.js';

it.each([
  ['0', 0],
  ['0s', 0],
  ['500ms', 500],
  ['55s', 55_000],
  ['5m', 300_000],
  ['1h30m', 5_400_000],
  ['1h1m1s1ms', 3_661_001],
  ['90m', 5_400_000],
  ['5m5ms', 300_005],
  ['-1s', -1000],
  ['-0', 0],
])('the duration %s is parsed as %d ms', (text, durationMs) => {
  expect(parseDuration(text)).toBe(durationMs);
});

it.each([
  '',
  '-',
  '5',
  '5x',
  '1.5s',
  '1s1m',
  '1s1s',
  ' 1s',
  '1s ',
  '1 s',
  '+1s',
  's',
  '1d',
  '1S',
  '1e3s',
  '٣s',
  '1s\n',
])('the duration %j is rejected', (text) => {
  expect(parseDuration(text)).toBeUndefined();
});

it.each([
  [0, '0'],
  [1, '1ms'],
  [1500, '1s500ms'],
  [60_000, '1m'],
  [5_400_000, '1h30m'],
  [86_400_000, '24h'],
])('a duration of %d ms is formatted as %s', (durationMs, text) => {
  expect(formatDuration(durationMs)).toBe(text);
});

it('every formatted duration can be parsed', () => {
  fc.assert(
    fc.property(fc.nat({ max: 1_000_000_000 }), (durationMs) => {
      expect(parseDuration(formatDuration(durationMs))).toBe(durationMs);
    }),
  );
});
