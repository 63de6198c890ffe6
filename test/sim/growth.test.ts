import fc from 'fast-check';
import { expect, it } from 'vitest';

import { blockBytes, bytesAt, type Growth } from '../../sim/model/growth.js';

const bytes = fc.integer({ min: 0, max: 2 ** 40 });
const ageMs = fc.integer({ min: 0, max: 10 ** 9 });
const growth = fc.record(
  { initialBytes: bytes, bytesPerSecond: fc.integer({ min: 0, max: 2 ** 30 }), maxBytes: bytes },
  { requiredKeys: ['initialBytes'] },
);

it('growth is a whole number of blocks, and never negative', () => {
  fc.assert(
    fc.property(growth, ageMs, fc.double({ min: 0.5, max: 2, noNaN: true }), (each, age, pace) => {
      const size = bytesAt(each, age, pace);
      expect(size % blockBytes).toBe(0);
      expect(size).toBeGreaterThanOrEqual(0);
    }),
  );
});

it('growth never shrinks without rotation, and stops at its limit', () => {
  fc.assert(
    fc.property(growth, ageMs, ageMs, (each, age, more) => {
      const later = bytesAt(each, age + more);
      expect(later).toBeGreaterThanOrEqual(bytesAt(each, age));
      if (each.maxBytes !== undefined) expect(later).toBeLessThan(each.maxBytes + blockBytes);
    }),
  );
});

it('growth stays between its lower and its upper limit after the first rotation', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10 ** 6 }), fc.integer({ min: 1, max: 10 ** 6 }), ageMs, (low, span, age) => {
      const each: Growth = { initialBytes: low, bytesPerSecond: 1000, maxBytes: low + span, rotatesToBytes: low };
      const size = bytesAt(each, age);
      expect(size).toBeGreaterThanOrEqual(low);
      expect(size).toBeLessThan(low + span + blockBytes);
    }),
  );
});

it.each<[number, number]>([
  [-5_000, 4096],
  [0, 4096],
  [1_000, 12_288],
  [3_000, 28_672],
  [3_500, 20_480],
  [4_000, 24_576],
])('growth at %i ms is %i bytes', (age, expected) => {
  const each: Growth = { initialBytes: 4096, bytesPerSecond: 8192, maxBytes: 28_672, rotatesToBytes: 16_384 };
  expect(bytesAt(each, age)).toBe(expected);
});
