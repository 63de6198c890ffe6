import { colon, endOfString, endOfValue, jsonSyntaxError, letterE, point, quote } from './json-bytes.js';

/** As json-bytes.ts, up to the end of the buffer, and fastest for what Go's encoder writes. */

export const zero = 0x30;
export const nine = 0x39;

/** As `endOfBlank`, for few blanks. */
export function endOfLikelyBlank(bytes: Uint8Array, at: number): number {
  let next = at;
  let byte = bytes[next] ?? 0;
  while (byte === 0x20 || (byte < 0x0e && isLineBlank(byte))) {
    next += 1;
    byte = bytes[next] ?? 0;
  }
  return next;
}

/** Line feed, tabulator, carriage return. */
function isLineBlank(byte: number): boolean {
  return byte === 0x0a || byte === 0x09 || byte === 0x0d;
}

export function beginOfLikelyValue(bytes: Uint8Array, at: number): number {
  const next = endOfLikelyBlank(bytes, at);
  if (bytes[next] !== colon) throw jsonSyntaxError;
  return endOfLikelyBlank(bytes, next + 1);
}

const everyByte = 0x01_01_01_01;
const highBits = 0x80_80_80_80;

/** From the opening quote; passes four bytes at once as long as none is a quote, a backslash or a control character. */
export function endOfLikelyString(bytes: Uint8Array, view: DataView, start: number): number {
  if (bytes[start] !== quote) throw jsonSyntaxError;
  let at = start + 1;
  for (const last = bytes.length - 4; at <= last; at += 4) {
    const word = view.getInt32(at, true);
    const quotes = word ^ (0x22 * everyByte);
    const backslashes = word ^ (0x5c * everyByte);
    const found =
      ((quotes - everyByte) & ~quotes) |
      ((backslashes - everyByte) & ~backslashes) |
      ((word - 0x20 * everyByte) & ~word);
    if ((found & highBits) !== 0) break;
  }
  return endOfString(bytes, at, bytes.length);
}

/** Passes four digits at once. */
export function endOfLikelyNumber(bytes: Uint8Array, view: DataView, start: number): number {
  let at = start + 1;
  const last = bytes.length - 4;
  while (at <= last && isFourDigits(view.getInt32(at, true))) at += 4;
  let byte = bytes[at] ?? 0;
  while (byte >= zero && byte <= nine) byte = bytes[++at] ?? 0;
  return isEndOfWhole(byte) && !hasExtraZero(bytes, start, at) ? at : endOfValue(bytes, start, bytes.length);
}

function isFourDigits(word: number): boolean {
  const highHalves = 0xf0_f0_f0_f0;
  const digits = 0x30 * everyByte;
  return (((word & highHalves) ^ digits) | (((word + 0x06 * everyByte) & highHalves) ^ digits)) === 0;
}

/** Whether a whole number ends before this byte. */
export function isEndOfWhole(byte: number): boolean {
  return byte !== point && (byte | 0x20) !== letterE;
}

export function hasExtraZero(bytes: Uint8Array, start: number, end: number): boolean {
  return bytes[start] === zero && end > start + 1;
}
