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
