import { crc32 } from 'node:zlib';

import fc from 'fast-check';
import { expect, it } from 'vitest';

import { combineCrc32, crc32Shift } from '../../src/metrics/exposition/gzip-pages.js';

it('the sum of two texts in a row follows from those of each', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 5_000 }), fc.uint8Array({ maxLength: 5_000 }), (first, second) => {
      const combined = combineCrc32(crc32(first), crc32(second), crc32Shift(second.length));
      expect(combined).toBe(crc32(Buffer.concat([first, second])));
    }),
  );
});

it.each([2 ** 16, 2 ** 20 - 1, 2 ** 24 + 12_345])('the sum follows with a second text of %d bytes', (byteCount) => {
  const second = Buffer.alloc(byteCount, 'abc');
  const combined = combineCrc32(crc32('first'), crc32(second), crc32Shift(byteCount));
  expect(combined).toBe(crc32(second, crc32('first')));
});
