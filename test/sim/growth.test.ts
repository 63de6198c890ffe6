import { expect, it } from 'vitest';

import { bytesAt, type Growth } from '../../sim/model/growth.js';

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
