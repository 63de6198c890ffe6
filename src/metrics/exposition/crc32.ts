/**
 * Combination of CRC-32 sums, so that the sum of a text follows from those of its parts. Sums are polynomials modulo that
 * of gzip over GF(2), with the bits in reverse order, as in zlib: https://github.com/madler/zlib/blob/develop/crc32.c
 */

const polynomial = 0xed_b8_83_20;
/** The polynomial 1. */
const one = 0x80_00_00_00;

/** What {@link combineCrc32} needs of the second text: x to the power of its number of bits. */
export function crc32Shift(byteCount: number): number {
  let shift = one;
  for (let [rest, power] = [byteCount, 3]; rest > 0; rest = Math.floor(rest / 2), power += 1) {
    if (rest % 2 === 1) shift = multiply(squares[power % squares.length] ?? one, shift);
  }
  return shift;
}

/** The sum of two texts in a row. */
export function combineCrc32(first: number, second: number, shiftOfSecond: number): number {
  return (multiply(shiftOfSecond, first) ^ second) >>> 0;
}

function multiply(a: number, b: number): number {
  let product = 0;
  let shifted = b;
  for (let rest = a; rest !== 0; rest = (rest << 1) >>> 0) {
    if (rest >= one) product ^= shifted;
    shifted = (shifted & 1) === 1 ? (shifted >>> 1) ^ polynomial : shifted >>> 1;
  }
  return product >>> 0;
}

/** x, squared as many times as the index says; the 32nd would be x again. */
const squares: readonly number[] = Array.from({ length: 31 }).reduce<number[]>(
  (known) => [...known, multiply(known.at(-1) ?? one, known.at(-1) ?? one)],
  [0x40_00_00_00],
);
