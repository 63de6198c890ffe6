import { ChunkAccumulator } from './body-chunks.js';
import { messageOf, RequestError } from './errors.js';
import { braceClose, braceOpen, bracketClose, bracketOpen, comma, endOfBlank } from './json-bytes.js';
import { ends, type Place } from './json-places.js';
import { newScan, nextDelimiter } from './json-scan.js';
import { LikelyItems, maxUncheckedBytes } from './likely-items.js';
import { oneLine } from './text.js';

export interface SplitDocument {
  /** Names the document, such as `list`; begins the messages. */
  readonly what: string;
  /** The member of the object whose array is split into items. */
  readonly arrayName: string;
  /** Names an item in errors: `an item`. */
  readonly itemName: string;
  readonly limits: SliceLimits;
  /**
   * Called for each other member of the object, in order; for the array too when it is missing an array: Go writes a nil
   * slice as `null`.
   */
  readonly onMember: (name: string, value: unknown) => void;
  /** Called for each item, in order. The items are valid only when `finish` returns: until then the document may be truncated. */
  readonly onItem: (item: unknown) => void;
  /** Reads the items instead of JSON.parse. */
  readonly itemReader?: ItemReader;
  /**
   * Called for each item above `maxBytes`, which is skipped; the message has its size and its beginning. Without it, such
   * an item is an error.
   */
  readonly onOversizedItem?: (message: string) => void;
}

/** Makes items of their bytes. */
export interface ItemReader {
  /** The item that was read last. */
  readonly item: unknown;
  /**
   * Reads the item that begins at `start`. Returns the index of the comma or bracket behind it; -1 when there is none before
   * `end`, or the bytes before it are no item: they will be passed to `read` then.
   */
  readonly readAhead: (bytes: Buffer, start: number, end: number) => number;
  /** Reads the item that these bytes are, with blanks around it. Throws an error for bytes that are none. */
  readonly read: (bytes: Buffer) => void;
}

/** What JSON.parse may get at once, an item or a member. */
export interface SliceLimits {
  readonly maxBytes: number;
  /** Strings (names of members too), objects and arrays: they cost far more than their bytes. */
  readonly maxValueCount: number;
}

/** No kubelet and no API server nests half as deep. */
const maxNesting = 64;
/** Of an item that is too large: enough for its name. */
const quotedBytes = 120;
/** Beside the array there are three or fewer. */
const maxMemberCount = 64;

/**
 * Cuts the bytes of a JSON object into its members and the items of one of its arrays: neither the text of the document
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
  readonly #likelyItems = new LikelyItems();
  #scan = newScan();
  #itemCount = 0;
  /** Of the open item when it is too large, so far. */
  #oversized: { byteCount: number; readonly beginning: string } | undefined;

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
    const { itemReader } = this.#document;
    return itemReader === undefined ? this.#takeLikelyItems(piece, start) : this.#readAhead(itemReader, piece, start);
  }

  #readAhead(reader: ItemReader, piece: Buffer, start: number): number {
    for (let next = start; ;) {
      const end = reader.readAhead(piece, next, Math.min(piece.length, next + maxUncheckedBytes));
      if (end < 0) return next;
      this.#addItem(reader.item);
      next = end + 1;
      if (piece[end] === comma) continue;
      this.#enter('afterItems');
      return next;
    }
  }

  #takeLikelyItems(piece: Buffer, start: number): number {
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
        return false;
      case 'value':
      case 'item':
        return false;
      case 'afterItems':
      case 'after':
        throw this.#malformed(`text after the ${this.#document.arrayName} or after the object`);
    }
  }

  #enter(place: Place): true {
    this.#place = place;
    this.#scan = newScan();
    return true;
  }

  #beginsItems(rest: Buffer): boolean {
    const [name] = this.#memberOf(`${this.#slice.peek(rest)}[]`);
    if (name !== this.#document.arrayName) return false;
    this.#slice.take(rest);
    this.#addName(name);
    return true;
  }

  /** At a comma or closing bracket behind the slice. */
  #end(byte: number, rest: Buffer): true {
    const next = ends[this.#place].get(byte);
    if (next === undefined) throw this.#malformed(`unexpected "${String.fromCharCode(byte)}"`);
    if (this.#place === 'afterItems') this.#checkBlank(rest);
    else if (this.#place === 'item') this.#endItem(rest, byte);
    else this.#endMember(this.#takeBytes(rest), byte);
    return this.#enter(next);
  }

  #carry(rest: Buffer): void {
    if (this.#mustBeBlank()) {
      this.#checkBlank(rest);
      return;
    }
    if (this.#skips(rest)) return;
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
    if (this.#skips(rest)) {
      this.#endOversized();
      return;
    }
    const bytes = this.#takeBytes(rest);
    const isEmptyArray = byte === bracketClose && this.#itemCount === 0 && isBlank(bytes);
    if (!isEmptyArray) this.#addItem(this.#read(bytes));
  }

  #read(bytes: Buffer): unknown {
    const { itemReader } = this.#document;
    if (itemReader === undefined) return this.#parse(bytes.toString());
    try {
      itemReader.read(bytes);
    } catch (error) {
      throw this.#malformed(messageOf(error));
    }
    return itemReader.item;
  }

  /** Whether these bytes belong to an item that is too large, of which no more is kept. */
  #skips(rest: Buffer): boolean {
    if (this.#oversized === undefined) {
      const isAllowed = this.#document.onOversizedItem !== undefined && this.#place === 'item';
      if (!isAllowed || !this.#slice.exceeds(rest)) return false;
      const beginning = this.#slice.beginning(quotedBytes).toString();
      this.#oversized = { byteCount: this.#slice.byteCount, beginning };
      this.#slice.drop();
    }
    this.#oversized.byteCount += rest.length;
    return true;
  }

  #endOversized(): void {
    const { byteCount = 0, beginning = '' } = this.#oversized ?? {};
    this.#oversized = undefined;
    this.#itemCount += 1;
    const { onOversizedItem, limits, itemName } = this.#document;
    onOversizedItem?.(
      `${itemName} of ${byteCount} bytes, above ${limits.maxBytes}, that begins with ${oneLine(beginning)}`,
    );
  }

  #addItem(item: unknown): void {
    this.#itemCount += 1;
    this.#document.onItem(item);
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
    try {
      return JSON.parse(text);
    } catch (error) {
      throw this.#malformed(messageOf(error));
    }
  }

  #mustBeBlank(): boolean {
    return this.#place === 'before' || this.#place === 'afterItems' || this.#place === 'after';
  }

  #checkBlank(rest: Buffer): void {
    if (isBlank(rest)) return;
    const { arrayName } = this.#document;
    const isObject = this.#place !== 'before';
    throw this.#malformed(isObject ? `text around the object or after its ${arrayName}` : 'it is not a JSON object');
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
  try {
    return JSON.parse(`[${text}]`) as readonly unknown[];
  } catch {
    return [];
  }
}

/** By the grammar of JSON, which is stricter than `trim`: a byte order mark is no blank. */
function isBlank(bytes: Buffer): boolean {
  return endOfBlank(bytes, 0, bytes.length) === bytes.length;
}
