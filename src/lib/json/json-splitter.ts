import { messageOf, RequestError } from '../base/errors.js';
import { ChunkAccumulator } from './body-chunks.js';
import { parseJson } from './json.js';
import {
  braceClose,
  braceOpen,
  bracketClose,
  bracketOpen,
  ends,
  newScan,
  nextDelimiter,
  type Place,
} from './json-scan.js';
import { LikelyItems, maxUncheckedBytes } from './likely-items.js';
import type { SliceSink, SplitDocument } from './split-document.js';

/** No kubelet and no API server nests half as deep. */
const maxNesting = 64;
/** Beside the array there are three or fewer. */
const maxMemberCount = 64;

/**
 * Cuts the bytes of a JSON object into its members and the items of some of its arrays: neither the text of the document
 * nor the document itself is ever one value. It recognizes only strings, brackets and commas, which are ASCII and never
 * part of another character. JSON.parse then validates each slice, after its limits.
 *
 * Throws `RequestError`: `decode` for a document that is truncated, malformed or nested deeper than 64 levels, has a member
 * twice or more than 64; `too_large` for a slice above its limits. Errors of the callbacks pass through.
 */
export class JsonSplitter {
  readonly #document: SplitDocument;
  readonly #slice: ChunkAccumulator;
  readonly #names = new Set<string>();
  #place: Place = 'before';
  #likelyItems = new LikelyItems();
  #scan = newScan();
  #itemCount = 0;
  /** Of the array that was opened last: its name, and how many items were before it. */
  #array = { name: '', firstItem: 0 };
  /** Of the open member: the bytes before its value. */
  #keyByteCount = 0;
  /** Takes the open slice when it is too large. */
  #sink: SliceSink | undefined;

  constructor(document: SplitDocument) {
    this.#document = document;
    const describe = (): string => this.#describeSlice();
    this.#slice = new ChunkAccumulator({ maxBytes: document.limits.maxBytes, describe });
  }

  write(piece: Buffer): void {
    this.#likelyItems.beginPiece();
    let start = 0;
    for (let at = nextDelimiter(piece, 0, this.#scan); at < piece.length;) {
      const isEnd = this.#delimit(piece[at] ?? 0, piece.subarray(start, at));
      if (isEnd) start = this.#takeItems(piece, at + 1);
      at = nextDelimiter(piece, isEnd ? start : at + 1, this.#scan);
    }
    this.#carry(piece.subarray(start));
  }

  /** To be called at the end of the document. Returns the names of its members. */
  finish(): ReadonlySet<string> {
    if (this.#place === 'after') return this.#names;
    const { what } = this.#document;
    throw new RequestError('decode', `${what}: truncated after ${this.#itemCount} items`);
  }

  /** Takes items from `start` on without scanning them, as far as that succeeds. Returns where scanning goes on. */
  #takeItems(piece: Buffer, start: number): number {
    if (this.#place !== 'item') return start;
    let next = start;
    for (
      let end = this.#likelyItems.endOf(piece, next);
      end !== undefined;
      end = this.#likelyItems.endOf(piece, next)
    ) {
      const items = parsedItems(piece.toString('utf8', next, end));
      if (items.length === 0) {
        this.#likelyItems.misled();
        break;
      }
      for (const item of items) this.#addItem(item);
      next = end + 1;
    }
    return next;
  }

  /** At a byte outside the brackets of the slice. Returns whether another slice begins behind it. */
  #delimit(byte: number, rest: Buffer): boolean {
    if (byte !== braceOpen && byte !== bracketOpen) return this.#end(byte, rest);
    if (this.#open(byte, rest)) return true;
    this.#scan.nesting = 1;
    this.#scan.valueCount += 1;
    return false;
  }

  /** At the outermost opening bracket of the slice. Returns whether another slice begins behind it. */
  #open(byte: number, rest: Buffer): boolean {
    switch (this.#place) {
      case 'before':
        if (byte !== braceOpen) throw this.#malformed('it is not a JSON object');
        this.#checkBlank(rest);
        return this.#enter('key');
      case 'key':
        if (byte === bracketOpen && this.#beginsItems(rest)) return this.#enter('item');
        this.#place = 'value';
        this.#keyByteCount = this.#slice.byteCount + rest.length;
        return false;
      case 'value':
      case 'item':
        return false;
      case 'afterItems':
      case 'after':
        throw this.#malformed(`text after the ${this.#arrays} or after the object`);
    }
  }

  #enter(place: Place): true {
    this.#place = place;
    this.#scan = newScan();
    return true;
  }

  #beginsItems(rest: Buffer): boolean {
    const [name] = this.#memberOf(`${this.#slice.peek(rest)}[]`);
    if (!this.#document.arrayNames.includes(name)) return false;
    this.#slice.drop();
    this.#addName(name);
    this.#array = { name, firstItem: this.#itemCount };
    this.#likelyItems = new LikelyItems();
    return true;
  }

  /** At a comma or closing bracket behind the slice. */
  #end(byte: number, rest: Buffer): true {
    const next = ends[this.#place].get(byte);
    if (next === undefined) throw this.#malformed(`unexpected "${String.fromCharCode(byte)}"`);
    if (this.#place === 'afterItems') this.#checkBlank(rest);
    else if (this.#diverts(rest)) this.#endDiverted();
    else if (this.#place === 'item') this.#endItem(rest, byte);
    else this.#endMember(this.#takeBytes(rest), byte);
    return this.#enter(next);
  }

  #carry(rest: Buffer): void {
    if (this.#mustBeBlank()) {
      this.#checkBlank(rest);
      return;
    }
    if (this.#diverts(rest)) return;
    this.#slice.carry(rest);
    this.#checkLimits(this.#slice.byteCount);
  }

  /** Valid until the next piece. */
  #takeBytes(rest: Buffer): Buffer {
    this.#checkLimits(this.#slice.byteCount + rest.length);
    return this.#slice.takeBytes(rest);
  }

  #checkLimits(byteCount: number): void {
    if (byteCount <= maxUncheckedBytes) return;
    const { deepestNesting, valueCount } = this.#scan;
    const { maxValueCount } = this.#document.limits;
    if (deepestNesting > maxNesting) throw this.#malformed(`it is nested deeper than ${maxNesting} levels`);
    if (valueCount > maxValueCount)
      throw new RequestError('too_large', `${this.#describeSlice()} has more than ${maxValueCount} values`);
  }

  #endItem(rest: Buffer, byte: number): void {
    const bytes = this.#takeBytes(rest);
    const isEmptyArray = byte === bracketClose && this.#itemCount === this.#array.firstItem && isBlank(bytes);
    if (!isEmptyArray) this.#addItem(this.#parse(bytes.toString()));
  }

  /** Whether these bytes belong to a slice that is too large, and went to what takes it. */
  #diverts(rest: Buffer): boolean {
    if (this.#sink === undefined) {
      this.#sink = this.#isOversized(rest) ? this.#sinkOfSlice(rest) : undefined;
      if (this.#sink === undefined) return false;
      const kept = this.#slice.beginning(Infinity);
      this.#slice.drop();
      this.#sink.write(kept);
    }
    this.#sink.write(rest);
    return true;
  }

  #isOversized(rest: Buffer): boolean {
    if (this.#slice.exceeds(rest)) return true;
    const isUnchecked = this.#slice.byteCount + rest.length <= maxUncheckedBytes;
    return !isUnchecked && this.#scan.valueCount > this.#document.limits.maxValueCount;
  }

  #sinkOfSlice(rest: Buffer): SliceSink | undefined {
    const { onOversizedItem, skipsOversized } = this.#document;
    if (this.#place === 'item') return onOversizedItem?.();
    if (this.#place !== 'value' || skipsOversized === undefined) return undefined;
    const key = Buffer.concat([this.#slice.beginning(this.#keyByteCount), rest]).subarray(0, this.#keyByteCount);
    const [name] = this.#memberOf(`${key.toString()}[]`);
    const end = (): void => {
      this.#addName(name);
    };
    return skipsOversized(name) ? { write: () => undefined, end } : undefined;
  }

  #endDiverted(): void {
    if (this.#place === 'item') this.#itemCount += 1;
    this.#sink?.end();
    this.#sink = undefined;
  }

  #addItem(item: unknown): void {
    this.#itemCount += 1;
    this.#document.onItem(item, this.#array.name);
  }

  get #arrays(): string {
    return this.#document.arrayNames.join(' or ');
  }

  #endMember(bytes: Buffer, byte: number): void {
    if (byte === braceClose && this.#names.size === 0 && isBlank(bytes)) return;
    const [name, value] = this.#memberOf(bytes.toString());
    this.#addName(name);
    this.#document.onMember(name, value);
  }

  #addName(name: string): void {
    if (this.#names.has(name)) throw this.#malformed(`duplicate member "${name}"`);
    if (this.#names.size >= maxMemberCount) throw this.#malformed(`it has more than ${maxMemberCount} members`);
    this.#names.add(name);
  }

  /** The name and the value of one `"name": value`. */
  #memberOf(text: string): [name: string, value: unknown] {
    const [member] = Object.entries(this.#parse(`{${text}}`) as object);
    if (member === undefined) throw this.#malformed('a comma without a member');
    return member;
  }

  #parse(text: string): unknown {
    return parseJson(text, (error) => this.#malformed(messageOf(error)));
  }

  #mustBeBlank(): boolean {
    return this.#place === 'before' || this.#place === 'afterItems' || this.#place === 'after';
  }

  #checkBlank(rest: Buffer): void {
    if (isBlank(rest)) return;
    const isObject = this.#place !== 'before';
    throw this.#malformed(isObject ? `text around the object or after its ${this.#arrays}` : 'it is not a JSON object');
  }

  #describeSlice(): string {
    const { what, itemName } = this.#document;
    return `${what}: ${this.#place === 'item' ? itemName : 'a member'}`;
  }

  #malformed(problem: string): RequestError {
    return new RequestError('decode', `${this.#document.what}: malformed JSON: ${problem}`);
  }
}

/** The items between the commas of the text; none for a text that is not JSON or blank. */
function parsedItems(text: string): readonly unknown[] {
  return (parseJson(`[${text}]`) as readonly unknown[] | undefined) ?? [];
}

/** By the grammar of JSON, which is stricter than `trim`: a byte order mark is no blank. */
function isBlank(bytes: Buffer): boolean {
  return !/[^ \t\n\r]/.test(bytes.toString('latin1'));
}
