import { promisify } from 'node:util';
import { constants, crc32, deflateRaw } from 'node:zlib';

import type { Clock } from '../../lib/base/clock.js';
import { haveSameItems } from '../../lib/base/memo.js';

/** Text in the order of a body. */
export interface TextPiece {
  readonly chunk: Buffer;
  /** Equal ones stand for the same bytes; undefined for text that is made for each body. */
  readonly chunkId: number | undefined;
  /** Whether a page may end with it: the same for the text of one source before and after a change. */
  readonly mayEndPage: boolean;
}

/** Text that is compressed on its own. */
interface TextPage {
  readonly chunks: readonly Buffer[];
  /** Of the chunks; undefined when one of them is made for each body. */
  readonly chunkIds: readonly number[] | undefined;
}

/** A part of a deflated stream that ends with a whole byte and refers to nothing before it. */
interface DeflatedPage {
  readonly chunkIds: readonly number[] | undefined;
  readonly bytes: Buffer;
  /** Of the text. */
  readonly crc: number;
  readonly crcShift: number;
  readonly byteCount: number;
}

/** A page ends with the first chunk that may end it after so many bytes: smaller ones compress worse, with more work. */
const leastPageBytes = 48 * 1_024;
const mostPageBytes = 256 * 1_024;

/** Compressed at once, in other threads. */
const maxConcurrent = 2;

/** Kinds of bodies whose pages are kept: as a rule there is one, and some for scrapes that are split by families. */
const maxKinds = 8;
/** Of kept pages. Two kinds are kept whatever their size. */
const defaultMaxBytes = 64 * 1_024 * 1_024;
const keptForMs = 5 * 60_000;

const deflate = promisify(deflateRaw) as (text: Buffer, options: object) => Promise<Buffer>;

/** https://www.rfc-editor.org/rfc/rfc1952#page-5 (fastest compression, unknown system) */
const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 0xff]);
/** An empty block that is the last one. */
const lastBlock = Buffer.from([3, 0]);

/**
 * Compresses bodies with gzip, page by page: of a body like the last one of its kind, only pages with other text are
 * compressed. Many clients read the first member of a gzip file alone, so that a body is one member.
 */
export class GzipPages {
  readonly #clock: Clock;
  readonly #maxBytes: number;
  /** The last body of each kind, its pages by the id of their first chunk. The one that was used last is the last. */
  readonly #bodies = new Map<
    string,
    { readonly pages: ReadonlyMap<number, DeflatedPage>; readonly byteCount: number; readonly usedAtMs: number }
  >();

  constructor(clock: Clock, maxBytes = defaultMaxBytes) {
    this.#clock = clock;
    this.#maxBytes = maxBytes;
  }

  /** `kind`: bodies of one kind have the same text, but for changes. Rejects with the signal's reason. */
  async compress(pieces: Iterable<TextPiece>, kind: string, signal: AbortSignal): Promise<readonly Buffer[]> {
    const pages = [...pagesOf(pieces)];
    const deflated: DeflatedPage[] = [];
    const left = pages.entries();
    const work = async (): Promise<void> => {
      for (const [index, page] of left) {
        signal.throwIfAborted();
        deflated[index] = this.#find(page) ?? (await deflatedPage(page));
      }
    };
    await Promise.all(Array.from({ length: maxConcurrent }, work));
    this.#keep(kind, deflated);
    return [header, ...deflated.map(({ bytes }) => bytes), lastBlock, trailer(deflated)];
  }

  /** Forgets the pages of kinds that nobody has asked for lately. */
  expire(): void {
    const oldestMs = this.#clock.monotonicMs() - keptForMs;
    for (const [kind, { usedAtMs }] of this.#bodies) if (usedAtMs < oldestMs) this.#bodies.delete(kind);
  }

  #find({ chunkIds = [] }: TextPage): DeflatedPage | undefined {
    const first = chunkIds[0];
    if (first === undefined) return undefined;
    for (const { pages } of this.#bodies.values()) {
      const page = pages.get(first);
      if (page?.chunkIds !== undefined && haveSameItems(page.chunkIds, chunkIds)) return page;
    }
    return undefined;
  }

  #keep(kind: string, deflated: readonly DeflatedPage[]): void {
    const pages = new Map<number, DeflatedPage>();
    let byteCount = 0;
    for (const page of deflated) {
      if (page.chunkIds?.[0] === undefined) continue;
      pages.set(page.chunkIds[0], page);
      byteCount += page.bytes.length;
    }
    this.#bodies.delete(kind);
    // Of more kinds than there is room for, the one used last makes room: clients come in turn, and if the oldest did, each would find
    // its pages gone.
    for (const former of [...this.#bodies.keys()].reverse()) {
      if (this.#hasRoomFor(byteCount)) break;
      this.#bodies.delete(former);
    }
    this.#bodies.set(kind, { pages, byteCount, usedAtMs: this.#clock.monotonicMs() });
  }

  #hasRoomFor(byteCount: number): boolean {
    const keptBytes = [...this.#bodies.values()].reduce((sum, body) => sum + body.byteCount, byteCount);
    return this.#bodies.size < 2 || (this.#bodies.size < maxKinds && keptBytes <= this.#maxBytes);
  }
}

/** Returns whether a page may end with the text of a source: every sixteenth, so that most pages stay where no source comes or goes. */
export function isPageEnd(name: string): boolean {
  let hash = 0;
  for (const character of name) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01_00_01_93);
  return ((hash >>> 16) & 15) === 0;
}

function* pagesOf(pieces: Iterable<TextPiece>): Iterable<TextPage> {
  let chunks: Buffer[] = [];
  let chunkIds: number[] = [];
  let byteCount = 0;
  const page = (isKept: boolean): TextPage => {
    const ended = { chunks, chunkIds: isKept ? chunkIds : undefined };
    [chunks, chunkIds, byteCount] = [[], [], 0];
    return ended;
  };
  for (const { chunk, chunkId, mayEndPage } of pieces) {
    const isKept = chunkId !== undefined;
    if (chunks.length > 0 && isKept !== chunkIds.length > 0) yield page(chunkIds.length > 0);
    chunks.push(chunk);
    byteCount += chunk.length;
    if (isKept) chunkIds.push(chunkId);
    if (byteCount >= (mayEndPage ? leastPageBytes : mostPageBytes)) yield page(isKept);
  }
  if (chunks.length > 0) yield page(chunkIds.length > 0);
}

async function deflatedPage({ chunks, chunkIds }: TextPage): Promise<DeflatedPage> {
  const [first = lastBlock] = chunks;
  const text = chunks.length === 1 ? first : Buffer.concat(chunks);
  // Level 1: a higher one takes twice the time to save a few percent.
  const deflated = await deflate(text, { level: constants.Z_BEST_SPEED, finishFlush: constants.Z_SYNC_FLUSH });
  const bytes = Buffer.allocUnsafeSlow(deflated.length); // what zlib returns is a part of a larger block
  deflated.copy(bytes);
  return { chunkIds, bytes, crc: crc32(text), crcShift: crc32Shift(text.length), byteCount: text.length };
}

function trailer(pages: readonly DeflatedPage[]): Buffer {
  let crc = 0;
  let byteCount = 0;
  for (const page of pages) {
    crc = combineCrc32(crc, page.crc, page.crcShift);
    byteCount += page.byteCount;
  }
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32LE(crc, 0);
  bytes.writeUInt32LE(byteCount % 2 ** 32, 4);
  return bytes;
}

/** Of gzip over GF(2), with the bits in reverse order, as in zlib: https://github.com/madler/zlib/blob/develop/crc32.c */
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
