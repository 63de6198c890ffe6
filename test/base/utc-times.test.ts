import fc from 'fast-check';
import { expect, it } from 'vitest';

import { UtcTimes } from '../../src/base/utc-times.js';

it('reads times as Date.parse does', () => {
  const dates = fc.date({
    min: new Date('0100-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59Z'),
    noInvalidDate: true,
  });
  const times = new UtcTimes();
  fc.assert(
    fc.property(dates, (date) => {
      const text = date.toISOString().replace(/\.\d{3}Z$/, 'Z');
      fc.pre(!text.includes('-02-29'));
      expect(times.read(Buffer.from(text), 0)).toBe(Date.parse(text));
    }),
  );
});

it.each([
  ['2024-02-29T00:00:00Z'],
  ['2026-13-01T00:00:00Z'],
  ['2026-04-31T00:00:00Z'],
  ['2026-01-00T00:00:00Z'],
  ['2026-01-01T24:00:00Z'],
  ['2026-01-01T00:60:00Z'],
  ['2026-01-01T00:00:60Z'],
  ['0001-01-01T00:00:00Z'],
  ['2026-01-01 00:00:00Z'],
  ['2026-01-01T00:00:00+'],
  ['20a6-01-01T00:00:00Z'],
  ['2026-01-01T00:00:'],
])('leaves %s to others', (text) => {
  const times = new UtcTimes();
  times.read(Buffer.from('2026-01-01T00:00:00Z'), 0);
  expect(times.read(Buffer.from(text), 0)).toBeUndefined();
});
