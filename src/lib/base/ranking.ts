import type { Named } from './maps.js';

/** Orders items by their names, such as namespace and pod, by code units: the same order on every machine. */
export function byNames<T>(namesOf: (item: T) => readonly string[]): (a: T, b: T) => number {
  return (a, b) => compareNames(namesOf(a), namesOf(b));
}

/** The same for one name. */
export function byName<T>(nameOf: (item: T) => string): (a: T, b: T) => number {
  return (a, b) => compareTexts(nameOf(a), nameOf(b));
}

/** Orders texts by code units. */
export function compareTexts(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** Returns what names are compared by where numbers in them count: node-2 before node-10. */
export function naturalNames(name: string): readonly string[] {
  return [naturalName(name), name];
}

/** The same in one text, for names of one form. */
export function naturalName(name: string): string {
  return name.replaceAll(/\d+/g, (digits) => digits.padStart(20, '0'));
}

/** Returns the items in the order of their names; the same list when they are in it. */
export function sortedByName<T extends Named>(items: readonly T[]): readonly T[] {
  const isSorted = items.every(({ name }, index) => index === 0 || (items[index - 1]?.name ?? '') <= name);
  return isSorted ? items : items.toSorted(byName((item) => item.name));
}

/** Orders items by a value, and equal ones by name, so that the order is stable. Items without a value come last. */
export function largestFirst<T>(
  valueOf: (item: T) => number | undefined,
  namesOf: (item: T) => readonly string[],
): (a: T, b: T) => number {
  return (a, b) => {
    const [valueA, valueB] = [valueOf(a) ?? -1, valueOf(b) ?? -1];
    return valueA === valueB ? compareNames(namesOf(a), namesOf(b)) : valueB - valueA;
  };
}

function compareNames(a: readonly string[], b: readonly string[]): number {
  for (let index = 0; index < a.length; index += 1) {
    const order = compareTexts(a[index] ?? '', b[index] ?? '');
    if (order !== 0) return order;
  }
  return 0;
}

/** Divides items into the first `count` in the order of `compare` and the others, both in the order that they are in. */
export function divided<T>(items: readonly T[], count: number, compare: (a: T, b: T) => number) {
  if (items.length <= count) return { first: items, others: [] };
  const first = new Set(items.toSorted(compare).slice(0, count));
  return { first: items.filter((item) => first.has(item)), others: items.filter((item) => !first.has(item)) };
}

/** The first of many. */
export interface Ranked<T> {
  readonly items: readonly T[];
  /** With those that are not here. */
  readonly totalCount: number;
}

/**
 * The first `count` of the added items in the order of `compare`; of equal items, those added first. Holds at most
 * twice as many and sorts them when they become too many.
 */
export class Ranking<T> {
  readonly #count: number;
  readonly #compare: (a: T, b: T) => number;
  readonly #items: T[] = [];
  #addedCount = 0;
  #last: T | undefined;

  /** `count`: above 0. */
  constructor(count: number, compare: (a: T, b: T) => number) {
    this.#count = count;
    this.#compare = compare;
  }

  add(item: T): void {
    this.#addedCount += 1;
    if (this.#last !== undefined && this.#compare(this.#last, item) <= 0) return;
    this.#items.push(item);
    if (this.#items.length === 2 * this.#count) this.#truncate();
  }

  get addedCount(): number {
    return this.#addedCount;
  }

  /** Sorted. */
  top(): readonly T[] {
    this.#truncate();
    return this.#items;
  }

  /** The same as `reportOf` shows them, and how many have been added. */
  ranked<R>(reportOf: (item: T) => R): Ranked<R> {
    return { items: this.top().map((item) => reportOf(item)), totalCount: this.#addedCount };
  }

  #truncate(): void {
    this.#items.sort(this.#compare);
    if (this.#items.length < this.#count) return;
    this.#items.length = this.#count;
    this.#last = this.#items.at(-1);
  }
}

/** Returns the first of the items in the order of `compare`, as `reportOf` shows them, and how many there are. */
export function rankedOf<T, R>(
  items: Iterable<T>,
  count: number,
  compare: (a: T, b: T) => number,
  reportOf: (item: T) => R,
): Ranked<R> {
  const ranking = new Ranking(count, compare);
  for (const item of items) ranking.add(item);
  return ranking.ranked(reportOf);
}
