import {
  braceClose,
  braceOpen,
  bracketClose,
  bracketOpen,
  comma,
  endOfBlank,
  endOfPlainText,
  endOfString,
  endOfValue,
  jsonSyntaxError,
  minus,
  quote,
} from './json-bytes.js';
import {
  beginOfLikelyValue,
  endOfLikelyBlank,
  endOfLikelyNumber,
  endOfLikelyString,
  hasExtraZero,
  isEndOfWhole,
  nine,
  zero,
} from './json-likely.js';
import type { JsonShape } from './json-shape.js';
import type { TextTable } from './text-table.js';
import { utcTimeLength, UtcTimes } from './utc-times.js';

/** Perhaps JSON, but it takes JSON.parse to find out what it means: an object has a member twice or a name with escapes. */
export class UnusualJsonError extends Error {
  override readonly name = 'UnusualJsonError';
}

/** Instead of the bit of a member: there are no more. */
export const noMember = -1;

/** With so many digits every whole number is below 2^53. */
const maxSafeDigits = 15;
/** A view that is read beyond its end, even once, is slow from then on: names are compared only so far before it. */
const paddingBytes = 40;

/**
 * Reads a JSON document from its bytes, value by value; what is not read is skipped, but must be valid. At a value of
 * another type than asked for, all methods skip it and return false or undefined. Fastest for objects as their shapes
 * have them, but the same for all.
 *
 * All methods throw JsonSyntaxError for bytes that are no JSON, and UnusualJsonError; after `openAhead`
 * JsonSyntaxError too where the bytes end soon.
 */
export class JsonCursor {
  readonly #texts: TextTable;
  readonly #times = new UtcTimes();
  #bytes: Buffer = Buffer.of();
  #view: DataView = new DataView(new ArrayBuffer(0));
  #at = 0;
  #isCanonical = false;
  /** Of the value of the current member. */
  #shape: JsonShape | undefined;

  /** @param texts keeps the names that are read */
  constructor(texts: TextTable) {
    this.#texts = texts;
  }

  /** Begins with the value at `start`, behind any blanks. What follows it is not read. */
  openAhead(bytes: Buffer, start: number): void {
    if (bytes !== this.#bytes) this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#bytes = bytes;
    this.#isCanonical = false;
    this.#at = endOfBlank(bytes, start, bytes.length);
  }

  /** Begins with the value that these bytes are. */
  open(bytes: Buffer): void {
    const padded = Buffer.alloc(bytes.length + paddingBytes);
    bytes.copy(padded);
    this.openAhead(padded, 0);
  }

  /** Begins with a value as JSON.stringify writes it: no object has a member twice. */
  openValue(value: unknown): void {
    this.open(Buffer.from(JSON.stringify(value)));
    this.#isCanonical = true;
  }

  /** Passes the blanks behind the value that was read last. Returns the index of what follows. */
  finish(): number {
    return this.#passBlank();
  }

  get isAtObject(): boolean {
    return this.#bytes[this.#at] === braceOpen;
  }

  skip(): void {
    this.#at = this.#endOfLikely(this.#at, this.#shape);
  }

  /** Skips the value. Returns whether it is an object. */
  skipObject(): boolean {
    const { isAtObject } = this;
    this.skip();
    return isAtObject;
  }

  /** Enters the object. Returns the bit of its first member; 0 for one without a name of the shape, and `noMember`. */
  firstMember(shape: JsonShape): number {
    return this.#enter(braceOpen, braceClose) ? this.#member(shape, 0) : noMember;
  }

  /** To be called behind the value of a member. Returns as `firstMember`. `seen` has the bits of those before it. */
  nextMember(shape: JsonShape, seen: number): number {
    return this.#goesOn(braceClose) ? this.#member(shape, seen) : noMember;
  }

  /** Enters the list. Returns whether it is one and has an item. */
  firstItem(): boolean {
    return this.#enter(bracketOpen, bracketClose);
  }

  /** To be called behind an item. Returns whether there is another one. */
  nextItem(): boolean {
    return this.#goesOn(bracketClose);
  }

  /** Undefined unless it is a number. */
  number(): number | undefined {
    const bytes = this.#bytes;
    const start = this.#at;
    let at = start;
    let value = 0;
    let byte = bytes[at] ?? 0;
    while (byte >= zero && byte <= nine) {
      value = value * 10 + (byte - zero);
      at += 1;
      byte = bytes[at] ?? 0;
    }
    const digitCount = at - start;
    if (digitCount === 0 || digitCount > maxSafeDigits || !isEndOfWhole(byte) || hasExtraZero(bytes, start, at))
      return this.#otherNumber();
    this.#at = at;
    return value;
  }

  /** Undefined unless it is text. */
  text(): string | undefined {
    const start = this.#at;
    const isText = this.#bytes[start] === quote;
    this.skip();
    return isText ? (JSON.parse(this.#bytes.toString('utf8', start, this.#at)) as string) : undefined;
  }

  /** As `text`, for a name that is likely to recur: the same instance as before. */
  name(): string | undefined {
    const start = this.#at + 1;
    const name = this.#bytes[this.#at] === quote ? this.#texts.read(this.#bytes, start) : undefined;
    if (name === undefined) return this.text();
    this.#at = start + name.length + 1;
    return name;
  }

  /** Milliseconds since the epoch. Undefined, without skipping it, unless it is text of the form 2026-11-20T12:40:44Z. */
  utcTimeMs(): number | undefined {
    const from = this.#at + 1;
    const to = from + utcTimeLength;
    if (this.#bytes[from - 1] !== quote || this.#bytes[to] !== quote) return undefined;
    const timeMs = this.#times.read(this.#bytes, from);
    if (timeMs !== undefined) this.#at = to + 1;
    return timeMs;
  }

  #otherNumber(): number | undefined {
    const start = this.#at;
    const byte = this.#bytes[start] ?? 0;
    this.skip();
    const isNumber = byte === minus || (byte >= zero && byte <= nine);
    return isNumber ? Number(this.#bytes.toString('latin1', start, this.#at)) : undefined;
  }

  #enter(opening: number, closing: number): boolean {
    if (this.#bytes[this.#at] !== opening) {
      this.skip();
      return false;
    }
    this.#at += 1;
    if (this.#bytes[this.#passBlank()] !== closing) return true;
    this.#at += 1;
    return false;
  }

  #goesOn(closing: number): boolean {
    const byte = this.#bytes[this.#passBlank()];
    this.#at += 1;
    if (byte === closing) return false;
    if (byte !== comma) throw jsonSyntaxError;
    this.#passBlank();
    return true;
  }

  #passBlank(): number {
    this.#at = endOfLikelyBlank(this.#bytes, this.#at);
    return this.#at;
  }

  #member(shape: JsonShape, seen: number): number {
    const index = this.#indexOf(shape, this.#at, 32 - Math.clz32(seen));
    if (index < 0) return this.#unexpectedMember(shape, seen);
    this.#enterMember(shape, index);
    return 1 << index;
  }

  /** In another order, or not of the shape. */
  #unexpectedMember(shape: JsonShape, seen: number): number {
    const index = this.#indexOf(shape, this.#at, 0);
    if (index >= 0) {
      if ((seen & (1 << index)) !== 0) throw new UnusualJsonError();
      this.#enterMember(shape, index);
      return 1 << index;
    }
    const bytes = this.#bytes;
    if (bytes[this.#at] !== quote) throw jsonSyntaxError;
    const end = endOfPlainText(bytes, this.#at + 1, bytes.length);
    if (bytes[end] !== quote && !this.#isCanonical) throw new UnusualJsonError();
    this.#shape = undefined;
    this.#at = beginOfLikelyValue(bytes, endOfString(bytes, end, bytes.length));
    return 0;
  }

  #indexOf(shape: JsonShape, at: number, first: number): number {
    if (at + paddingBytes > this.#bytes.length) throw jsonSyntaxError;
    return shape.indexOf(this.#view, at, first);
  }

  #enterMember(shape: JsonShape, index: number): void {
    this.#shape = shape.shapeOf(index);
    this.#at = beginOfLikelyValue(this.#bytes, this.#at + shape.lengthOf(index));
  }

  /** Index behind the value. */
  #endOfLikely(at: number, shape: JsonShape | undefined): number {
    const bytes = this.#bytes;
    const byte = bytes[at] ?? 0;
    if (byte === quote) return endOfLikelyString(bytes, this.#view, at);
    if (byte >= zero && byte <= nine) return endOfLikelyNumber(bytes, this.#view, at);
    if (shape !== undefined && byte === braceOpen) return this.#endOfObject(at, shape);
    if (shape !== undefined && byte === bracketOpen) return this.#endOfList(at, shape);
    return endOfValue(bytes, at, bytes.length);
  }

  #endOfObject(start: number, shape: JsonShape): number {
    const bytes = this.#bytes;
    let at = endOfLikelyBlank(bytes, start + 1);
    if (bytes[at] === braceClose) return at + 1;
    for (let next = 0; ;) {
      const index = this.#indexOf(shape, at, next);
      if (index >= 0) next = index + 1;
      at = index < 0 ? endOfLikelyString(bytes, this.#view, at) : at + shape.lengthOf(index);
      at = this.#endOfLikely(beginOfLikelyValue(bytes, at), index < 0 ? undefined : shape.shapeOf(index));
      at = endOfLikelyBlank(bytes, at);
      if (bytes[at] === braceClose) return at + 1;
      if (bytes[at] !== comma) throw jsonSyntaxError;
      at = endOfLikelyBlank(bytes, at + 1);
    }
  }

  #endOfList(start: number, shape: JsonShape): number {
    const bytes = this.#bytes;
    let at = endOfLikelyBlank(bytes, start + 1);
    if (bytes[at] === bracketClose) return at + 1;
    for (;;) {
      // A list within the list has no shape: the depth of shapes is that of the recursion.
      at = this.#endOfLikely(at, bytes[at] === bracketOpen ? undefined : shape);
      at = endOfLikelyBlank(bytes, at);
      if (bytes[at] === bracketClose) return at + 1;
      if (bytes[at] !== comma) throw jsonSyntaxError;
      at = endOfLikelyBlank(bytes, at + 1);
    }
  }
}
