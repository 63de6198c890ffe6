/** Where JSON values end, by the grammar of RFC 8259, in the bytes of a document: nothing is made of what is skipped. */

/** The bytes are no JSON up to the end that was given. */
class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError';

  constructor() {
    super('it is not valid JSON');
  }
}

/** One for all: a stack would cost more than what was read. */
export const jsonSyntaxError: Error = new JsonSyntaxError();

export const quote = 0x22;
export const comma = 0x2c;
export const minus = 0x2d;
export const colon = 0x3a;
export const bracketOpen = 0x5b;
export const bracketClose = 0x5d;
export const braceOpen = 0x7b;
export const braceClose = 0x7d;
const plus = 0x2b;
/** From an opening bracket to its closing one. */
const bracketSpan = 2;
const backslash = 0x5c;
export const point = 0x2e;
const zero = 0x30;
const letterU = 0x75;
/** Both letters of exponents as lower case. */
export const letterE = 0x65;
const lowerCase = 0x20;

/** Kinds of bytes. */
const digit = 1;
const hexDigit = 2;
const blank = 4;
/** Ends a run of ordinary characters in a string. */
const special = 8;
/** May follow a backslash, beside `u`. */
const escaped = 16;

const kindsOf = new Uint8Array(256);
function mark(characters: string, kind: number): void {
  for (const byte of Buffer.from(characters)) kindsOf[byte] = (kindsOf[byte] ?? 0) | kind;
}
mark('0123456789', digit | hexDigit);
mark('abcdefABCDEF', hexDigit);
mark(' \t\n\r', blank);
mark('"\\/bfnrt', escaped);
mark('"\\', special);
for (let byte = 0; byte < 0x20; byte += 1) kindsOf[byte] = (kindsOf[byte] ?? 0) | special;

const literals = new Map([true, false, null].map((value) => [String(value).charCodeAt(0), Buffer.from(String(value))]));

/** Index of the first byte from `at` on that is no blank; `end` without any. */
export function endOfBlank(bytes: Uint8Array, at: number, end: number): number {
  let next = at;
  while (next < end && isOf(bytes[next], blank)) next += 1;
  return next;
}

/** Index of the first byte from `at` on that may not stand for itself in a string; `end` without any. */
export function endOfPlainText(bytes: Uint8Array, at: number, end: number): number {
  let next = at;
  while (next < end && !isOf(bytes[next], special)) next += 1;
  return next;
}

/** `at` is behind the opening quote. Returns the index behind the closing one. */
export function endOfString(bytes: Uint8Array, at: number, end: number): number {
  for (let next = at; next < end; next += 1) {
    const byte = bytes[next] ?? 0;
    if (!isOf(byte, special)) continue;
    if (byte === quote) return next + 1;
    if (byte !== backslash) break;
    next = endOfEscape(bytes, next + 1, end) - 1;
  }
  throw jsonSyntaxError;
}

function endOfEscape(bytes: Uint8Array, at: number, end: number): number {
  if (at >= end) throw jsonSyntaxError;
  if (isOf(bytes[at], escaped)) return at + 1;
  if (bytes[at] !== letterU || at + 5 > end) throw jsonSyntaxError;
  for (let next = at + 1; next < at + 5; next += 1) if (!isOf(bytes[next], hexDigit)) throw jsonSyntaxError;
  return at + 5;
}

/** `at` is at the first byte. A number that ends with the bytes may go on behind them. */
function endOfNumber(bytes: Uint8Array, at: number, end: number): number {
  let next = bytes[at] === minus ? at + 1 : at;
  next = bytes[next] === zero && next < end ? next + 1 : endOfDigits(bytes, next, end);
  if (next < end && bytes[next] === point) next = endOfDigits(bytes, next + 1, end);
  return endOfExponent(bytes, next, end);
}

function endOfExponent(bytes: Uint8Array, at: number, end: number): number {
  if (at >= end || ((bytes[at] ?? 0) | lowerCase) !== letterE) return at;
  const sign = bytes[at + 1];
  return endOfDigits(bytes, sign === minus || sign === plus ? at + 2 : at + 1, end);
}

/** At least one. */
function endOfDigits(bytes: Uint8Array, at: number, end: number): number {
  let next = at;
  while (next < end && isOf(bytes[next], digit)) next += 1;
  if (next === at) throw jsonSyntaxError;
  return next;
}

function endOfLiteral(bytes: Uint8Array, at: number, end: number): number {
  const literal = literals.get(bytes[at] ?? 0);
  if (literal === undefined || at + literal.length > end) throw jsonSyntaxError;
  for (let index = 0; index < literal.length; index += 1)
    if (bytes[at + index] !== literal[index]) throw jsonSyntaxError;
  return at + literal.length;
}

/** `at` is at the first byte. */
export function endOfValue(bytes: Uint8Array, at: number, end: number): number {
  const byte = at < end ? (bytes[at] ?? 0) : 0;
  return byte === braceOpen || byte === bracketOpen ? endOfNested(bytes, at, end) : endOfScalar(bytes, at, end);
}

function endOfScalar(bytes: Uint8Array, at: number, end: number): number {
  const byte = at < end ? (bytes[at] ?? 0) : 0;
  if (byte === quote) return endOfString(bytes, at + 1, end);
  if (byte === minus || isOf(byte, digit)) return endOfNumber(bytes, at, end);
  return endOfLiteral(bytes, at, end);
}

/** Of an object or array, without recursion: whatever its depth. */
function endOfNested(bytes: Uint8Array, begin: number, end: number): number {
  /** The closing brackets of those that are open. */
  const closings: number[] = [];
  let at = begin;
  do {
    at = pastOpenings(bytes, at, end, closings);
    at = pastClosings(bytes, at, end, closings);
    if (closings.length > 0) at = beginOfNext(bytes, pastByte(bytes, at, end, comma), end, closings);
  } while (closings.length > 0);
  return at;
}

/** Opens what begins at `at`, up to the first scalar, which is passed, or to the first closing bracket. */
function pastOpenings(bytes: Uint8Array, begin: number, end: number, closings: number[]): number {
  let at = begin;
  for (let byte = bytes[at]; at < end && (byte === braceOpen || byte === bracketOpen); byte = bytes[at]) {
    closings.push(byte + bracketSpan);
    at = endOfBlank(bytes, at + 1, end);
    if (at < end && bytes[at] === byte + bracketSpan) return at;
    at = beginOfNext(bytes, at, end, closings);
  }
  return endOfScalar(bytes, at, end);
}

function pastClosings(bytes: Uint8Array, begin: number, end: number, closings: number[]): number {
  let at = begin;
  while (closings.length > 0) {
    at = endOfBlank(bytes, at, end);
    if (at >= end || bytes[at] !== closings.at(-1)) break;
    closings.pop();
    at += 1;
  }
  return at;
}

/** Of the value of the next member or item, which begins at `at` or behind blanks. */
function beginOfNext(bytes: Uint8Array, at: number, end: number, closings: readonly number[]): number {
  const next = endOfBlank(bytes, at, end);
  if (closings.at(-1) === bracketClose) return next;
  const name = pastByte(bytes, next, end, quote);
  const nameEnd = endOfBlank(bytes, endOfString(bytes, name, end), end);
  return endOfBlank(bytes, pastByte(bytes, nameEnd, end, colon), end);
}

function pastByte(bytes: Uint8Array, at: number, end: number, byte: number): number {
  if (at >= end || bytes[at] !== byte) throw jsonSyntaxError;
  return at + 1;
}

function isOf(byte: number | undefined, kinds: number): boolean {
  return ((kindsOf[byte ?? 0] ?? 0) & kinds) !== 0;
}
