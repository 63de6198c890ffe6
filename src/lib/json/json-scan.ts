/** How far a slice of JSON has been scanned, between two pieces of its bytes. */
export interface SliceScan {
  /** Brackets that are open within the slice. */
  nesting: number;
  deepestNesting: number;
  /** Strings, objects and arrays within the slice. */
  valueCount: number;
  /** 0; in a string that goes on in the next piece 1, and 2 when the first byte of that piece is escaped. */
  overrun: number;
}

export function newScan(): SliceScan {
  return { nesting: 0, deepestNesting: 0, valueCount: 0, overrun: 0 };
}

const quote = 0x22;
const backslash = 0x5c;

/** What a byte means outside of strings. */
const plain = 0;
const string = 1;
const opening = 2;
const closing = 3;
const separator = 4;

const meaningOf = new Uint8Array(256);
for (const [characters, meaning] of [
  ['"', string],
  ['{[', opening],
  ['}]', closing],
  [',', separator],
] as const) {
  for (const byte of Buffer.from(characters)) meaningOf[byte] = meaning;
}

/** By meaning: how the nesting changes, and how many values begin. */
const nestingStep = Int8Array.of(0, 0, 1, -1, 0);
const valueStep = Uint8Array.of(0, 1, 1, 0, 0);

/**
 * Index of the next comma or bracket of `piece` that is in no bracket of the slice; at least the piece's length when there
 * is none. Every byte that is scanned passes this loop: it works on local variables, without calls that are not inlined.
 */
export function nextDelimiter(piece: Uint8Array, from: number, scan: SliceScan): number {
  let { nesting, deepestNesting, valueCount } = scan;
  let at = scan.overrun === 0 ? from : endOfString(piece, scan.overrun - 1) + 1;
  for (; at < piece.length; at += 1) {
    const meaning = meaningOf[piece[at] ?? 0] ?? plain;
    if (meaning === plain) continue;
    if (meaning === string) at = endOfString(piece, at + 1);
    else if (nesting === 0) break;
    nesting += nestingStep[meaning] ?? 0;
    valueCount += valueStep[meaning] ?? 0;
    deepestNesting = Math.max(deepestNesting, nesting);
  }
  scan.nesting = nesting;
  scan.deepestNesting = deepestNesting;
  scan.valueCount = valueCount;
  scan.overrun = Math.max(0, at - piece.length);
  return at;
}

/** Index of the quote that ends the string; the piece's length when it goes on, one more when its last byte is a backslash that escapes the next one. */
function endOfString(piece: Uint8Array, from: number): number {
  let at = from;
  for (; at < piece.length; at += 1) {
    const byte = piece[at];
    if (byte === quote) break;
    if (byte === backslash) at += 1;
  }
  return at;
}

export const bracketOpen = 0x5b;
export const bracketClose = 0x5d;
export const braceOpen = 0x7b;
export const braceClose = 0x7d;
const comma = 0x2c;

/**
 * The kind of the open slice: a member of the object (`key` up to its first bracket, `value` from there), an item, or a
 * place that must be blank: before and after the object, and after the items.
 */
export type Place = 'before' | 'key' | 'value' | 'item' | 'afterItems' | 'after';

const memberEnds = new Map<number, Place>([
  [comma, 'key'],
  [braceClose, 'after'],
]);
const itemEnds = new Map<number, Place>([
  [comma, 'item'],
  [bracketClose, 'afterItems'],
]);

/** The bytes that may end a slice, and the kind of the next one. */
export const ends: Readonly<Record<Place, ReadonlyMap<number, Place>>> = {
  before: new Map(),
  key: memberEnds,
  value: memberEnds,
  item: itemEnds,
  afterItems: memberEnds,
  after: new Map(),
};
