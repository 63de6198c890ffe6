import { messageOf, RequestError } from '../base/errors.js';
import { oneLine } from '../base/text.js';
import { objectOf, textOf } from '../kube/json.js';
import { ChunkAccumulator, yieldToEventLoop } from './body-chunks.js';

/** etcd refuses objects above 1.5 MiB by default (https://etcd.io/docs/latest/dev-guide/limit/). */
const maxItemBytes = 8 * 1024 * 1024;
/** A list has three beside its items: `kind`, `apiVersion` and `metadata`. */
const maxMemberCount = 64;

export interface ListOptions {
  /** The only kind accepted: `PodList`, … */
  readonly kind: string;
  /** Called for each item, in order. The items are valid only when `readList` resolves: until then the list may be truncated. */
  readonly onItem: (item: unknown) => void;
  /** Called for each item above 8 MiB, which is skipped; the message has its size and its beginning. */
  readonly onOversizedItem: (message: string) => void;
}

/** The metadata of the list. */
export interface ListMeta {
  readonly resourceVersion: string;
  /** For the next page; undefined on the last one. */
  readonly continueToken: string | undefined;
}

/**
 * Reads a list of the Kubernetes API item by item: neither the text of the list nor the list itself is ever one value.
 * Throws `RequestError`: `decode` for a list that is truncated, malformed or of another kind, `too_large` for a member
 * other than the items above 8 MiB. Errors of the body and of the callbacks pass through.
 */
export async function readList(body: AsyncIterable<Buffer>, options: ListOptions): Promise<ListMeta> {
  const scanner = new ListScanner(options);
  for await (const piece of yieldToEventLoop(body)) scanner.write(piece);
  return scanner.finish();
}

/** Of an item that is too large: enough for its name. */
const quotedBytes = 120;

const quote = 0x22;
const comma = 0x2c;
const bracketOpen = 0x5b;
const backslash = 0x5c;
const bracketClose = 0x5d;
const braceOpen = 0x7b;
const braceClose = 0x7d;

/** 1 for the bytes that have a meaning outside of strings. */
const structural = new Uint8Array(256);
for (const byte of [quote, comma, bracketOpen, bracketClose, braceOpen, braceClose]) structural[byte] = 1;

/**
 * The kind of the open slice: a member of the list's object (`key` up to its first bracket, `value` from there), an item,
 * or a place that must be blank: before and after the object, and after the items.
 */
type Place = 'before' | 'key' | 'value' | 'item' | 'afterItems' | 'after';

const memberEnds = new Map<number, Place>([
  [comma, 'key'],
  [braceClose, 'after'],
]);
const itemEnds = new Map<number, Place>([
  [comma, 'item'],
  [bracketClose, 'afterItems'],
]);

/** The bytes that may end a slice, and the kind of the next one. */
const ends: Readonly<Record<Place, ReadonlyMap<number, Place>>> = {
  before: new Map(),
  key: memberEnds,
  value: memberEnds,
  item: itemEnds,
  afterItems: memberEnds,
  after: new Map(),
};

interface OversizedItem {
  /** So far. */
  byteCount: number;
  readonly beginning: string;
}

/**
 * Cuts the bytes of a list into slices: the members of its object and the items of its array `items`. It recognizes only
 * strings, brackets and commas, which are ASCII and never part of another character. JSON.parse then validates each slice.
 */
class ListScanner {
  readonly #options: ListOptions;
  readonly #slice = new ChunkAccumulator({ maxBytes: maxItemBytes, description: 'a member of the list' });
  readonly #members = new Map<string, unknown>();
  #place: Place = 'before';
  /** Brackets open within the slice. */
  #nesting = 0;
  #isInString = false;
  #isEscaped = false;
  #itemCount = 0;
  /** Of the open item when it is too large. */
  #oversized: OversizedItem | undefined;

  constructor(options: ListOptions) {
    this.#options = options;
  }

  write(piece: Buffer): void {
    let start = 0;
    for (let at = this.#nextDelimiter(piece, 0); at < piece.length; at = this.#nextDelimiter(piece, at + 1)) {
      const rest = piece.subarray(start, at);
      if (this.#nesting === 0 ? this.#end(piece[at] ?? 0, rest) : this.#open(piece[at] ?? 0, rest)) start = at + 1;
    }
    const rest = piece.subarray(start);
    if (!this.#skips(rest)) this.#slice.carry(rest);
  }

  finish(): ListMeta {
    if (this.#place !== 'after') {
      throw new RequestError('decode', `truncated list: it ends after ${this.#itemCount} items`);
    }
    this.#takeBlank(Buffer.of());
    this.#checkKind(this.#members.get('kind'));
    if (!this.#members.has('items')) throw malformed('the list has no items');
    const metadata = objectOf(this.#members.get('metadata'));
    const resourceVersion = textOf(metadata['resourceVersion']);
    if (resourceVersion === undefined) throw malformed('the list has no resourceVersion');
    return { resourceVersion, continueToken: textOf(metadata['continue']) };
  }

  /**
   * Index of the next byte that ends the slice (`#nesting` is 0) or opens its outermost bracket (`#nesting` is 1); the
   * piece's length when there is none.
   */
  #nextDelimiter(piece: Buffer, from: number): number {
    let at = from;
    while (at < piece.length) {
      const byte = piece[at] ?? 0;
      if (this.#isInString) at = this.#skipString(piece, at);
      else if (structural[byte] === 1 && this.#countIn(byte)) return at;
      else at += 1;
    }
    return at;
  }

  /** Index of the byte after the string that is open at `from`, or the piece's length. */
  #skipString(piece: Buffer, from: number): number {
    for (let at = from; at < piece.length; at += 1) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (piece[at] === backslash) this.#isEscaped = true;
      else if (piece[at] === quote) {
        this.#isInString = false;
        return at + 1;
      }
    }
    return piece.length;
  }

  /** Updates the state for a structural byte. Returns whether it delimits a slice. */
  #countIn(byte: number): boolean {
    switch (byte) {
      case quote:
        this.#isInString = true;
        return false;
      case braceOpen:
      case bracketOpen:
        this.#nesting += 1;
        return this.#nesting === 1;
      case comma:
        return this.#nesting === 0;
      default:
        if (this.#nesting === 0) return true;
        this.#nesting -= 1;
        return false;
    }
  }

  /** At the outermost opening bracket of the slice. Returns whether another slice begins behind it. */
  #open(byte: number, rest: Buffer): boolean {
    switch (this.#place) {
      case 'before':
        if (byte !== braceOpen) throw malformed('it is not a JSON object');
        this.#takeBlank(rest);
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
        throw malformed('text after the items or after the list');
    }
  }

  #enter(place: Place): true {
    this.#place = place;
    this.#nesting = 0;
    return true;
  }

  #beginsItems(rest: Buffer): boolean {
    const [key] = memberOf(`${this.#slice.peek(rest)}[]`);
    if (key !== 'items') return false;
    this.#slice.take(rest);
    this.#addMember('items', null);
    return true;
  }

  /** At a comma or closing bracket behind the slice. */
  #end(byte: number, rest: Buffer): true {
    const next = ends[this.#place].get(byte);
    if (next === undefined) throw malformed(`unexpected "${String.fromCharCode(byte)}"`);
    if (this.#place === 'afterItems') this.#takeBlank(rest);
    else if (this.#place === 'item') this.#endItem(rest, byte);
    else this.#addMember(...memberOf(this.#slice.take(rest)));
    this.#place = next;
    return true;
  }

  /** Whether these bytes belong to an item that is too large, of which no more is kept. */
  #skips(rest: Buffer): boolean {
    if (this.#oversized === undefined) {
      if (this.#place !== 'item' || !this.#slice.exceeds(rest)) return false;
      const { byteCount, first } = this.#slice.drop();
      this.#oversized = { byteCount, beginning: first.subarray(0, quotedBytes).toString() };
    }
    this.#oversized.byteCount += rest.length;
    return true;
  }

  #endItem(rest: Buffer, byte: number): void {
    if (this.#skips(rest)) this.#endOversized();
    else this.#endText(this.#slice.take(rest), byte);
  }

  #endOversized(): void {
    const { byteCount = 0, beginning = '' } = this.#oversized ?? {};
    this.#oversized = undefined;
    this.#itemCount += 1;
    const message = `an item of ${byteCount} bytes, above ${maxItemBytes}, that begins with ${oneLine(beginning)}`;
    this.#options.onOversizedItem(message);
  }

  #endText(text: string, byte: number): void {
    const isEmptyArray = byte === bracketClose && this.#itemCount === 0 && text.trim() === '';
    if (isEmptyArray) return;
    const item = parse(text);
    this.#itemCount += 1;
    this.#options.onItem(item);
  }

  #addMember(key: string, value: unknown): void {
    if (this.#members.has(key)) throw malformed(`duplicate member "${key}"`);
    if (key === 'kind') this.#checkKind(value);
    // Go writes a nil slice as null.
    if (key === 'items' && value !== null) throw malformed('"items" is not an array');
    if (this.#members.size >= maxMemberCount) throw malformed(`it has more than ${maxMemberCount} members`);
    this.#members.set(key, value);
  }

  #checkKind(kind: unknown): void {
    if (kind !== this.#options.kind) throw malformed(`kind ${JSON.stringify(kind)} instead of ${this.#options.kind}`);
  }

  #takeBlank(rest: Buffer): void {
    if (this.#slice.take(rest).trim() !== '') throw malformed('text around the list or after its items');
  }
}

/** The key and the value of one `"key": value`. */
function memberOf(text: string): [key: string, value: unknown] {
  const [member] = Object.entries(parse(`{${text}}`) as object);
  if (member === undefined) throw malformed('a comma without a member');
  return member;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw malformed(messageOf(error));
  }
}

function malformed(what: string): RequestError {
  return new RequestError('decode', `malformed list: ${what}`);
}
