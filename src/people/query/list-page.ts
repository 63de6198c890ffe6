import type { Lane } from '../../lib/base/lane.js';
import type { ListQuery } from './list-query.js';
import { firstItems, sortedPart } from './sorted-part.js';

/** A part of a list. */
export interface ListPage<T> {
  readonly items: readonly T[];
  /** Items of the whole list. */
  readonly totalCount: number;
  /** Items before the first one here. */
  readonly offset: number;
  readonly limit: number;
}

type PageQuery = Pick<ListQuery, 'offset' | 'limit'>;

/** What a list is made of, such as nodes and their pods. */
export interface ListSources<Source, Item, Report> {
  readonly sources: readonly Source[];
  /** Adds the items of one source. Called more than once for those of a long list. */
  readonly addItems: (items: ListItems<Item>, source: Source) => void;
  readonly compare: (a: Item, b: Item) => number;
  readonly reportOf: (item: Item) => Report;
}

/** Up to here, the first items of twice as many are found within a slice of time. */
const maxHeldCount = 2_000;
/** With the items of so many, the place of any item is known to a few hundredths of the list. */
const sampledSourceCount = 256;
const leastStep = 4;
const marginOfSample = 1 / 12;

/** Where a page is expected: not before `first`, and before `last`. Undefined: as far as the list goes. */
export interface ItemRange<Item> {
  readonly first?: Item | undefined;
  readonly last?: Item | undefined;
}

/** Returns a page of the sorted list. Of a page far from the beginning, it holds those items alone that a sample expects near it. */
export async function listPage<Source, Item, Report>(
  list: ListSources<Source, Item, Report>,
  query: PageQuery,
  lane: Lane,
): Promise<ListPage<Report>> {
  const addTo = async (items: ListItems<Item>, sources: readonly Source[]): Promise<ListItems<Item>> => {
    await lane.each(sources, (source) => {
      list.addItems(items, source);
    });
    return items;
  };
  const { compare, sources } = list;
  const wantedCount = query.offset + query.limit;
  const step = wantedCount <= maxHeldCount ? 1 : Math.floor(sources.length / sampledSourceCount);
  if (step >= leastStep) {
    const sampled = sources.filter((_, index) => index % step === 0);
    const sample = await addTo(new ListItems(query, compare), sampled);
    const range = await sample.rangeOf(sampled.length / sources.length, lane);
    const items = await addTo(new ListItems(query, compare, range), sources);
    if (items.hasPage) return items.page(list.reportOf, lane);
  }
  const items = await addTo(new ListItems(query, compare), sources);
  return items.page(list.reportOf, lane);
}

/**
 * The items of a list in an order, of which one page is wanted. Holds no more than twice as many as end with that page; for a page far
 * from the beginning, those of a range, or all of them.
 */
export class ListItems<Item> {
  readonly #query;
  readonly #compare: (a: Item, b: Item) => number;
  /** As many as end with the page. */
  readonly #wantedCount: number;
  readonly #first: Item | undefined;
  #items: Item[] = [];
  #addedCount = 0;
  /** Before the first one of the range. */
  #earlierCount = 0;
  /** None from here on is held: the last of the wanted items so far, once there are twice as many, or that of the range. */
  #last: Item | undefined;

  constructor(query: PageQuery, compare: (a: Item, b: Item) => number, { first, last }: ItemRange<Item> = {}) {
    this.#query = query;
    this.#compare = compare;
    this.#wantedCount = query.offset + query.limit;
    this.#first = first;
    this.#last = last;
  }

  add(item: Item): void {
    if (this.isBehind(item)) this.addBehind(1);
    else if (this.#first !== undefined && this.#compare(item, this.#first) < 0) this.addBefore(1);
    else this.#hold(item);
  }

  #hold(item: Item): void {
    this.#addedCount += 1;
    this.#items.push(item);
    if (this.#wantedCount <= maxHeldCount && this.#items.length >= 2 * this.#wantedCount) this.#truncate();
  }

  /** Returns whether the page is known to end before the item, and so before those that come after it. */
  isBehind(item: Item): boolean {
    return this.#last !== undefined && this.#compare(this.#last, item) <= 0;
  }

  /** Adds items that are {@link isBehind}. */
  addBehind(count: number): void {
    this.#addedCount += count;
  }

  /** Where the page is expected: what is known so far. */
  get range(): ItemRange<Item> {
    return { first: this.#first, last: this.#last };
  }

  /** Adds items that come before the first one of the range. */
  addBefore(count: number): void {
    this.#addedCount += count;
    this.#earlierCount += count;
  }

  /** False when the page is not all within the range. */
  get hasPage(): boolean {
    const heldEnd = this.#earlierCount + this.#items.length;
    return this.#earlierCount <= this.#query.offset && Math.min(this.#wantedCount, this.#addedCount) <= heldEnd;
  }

  async page<Report>(reportOf: (item: Item) => Report, lane: Lane): Promise<ListPage<Report>> {
    const { offset, limit } = this.#query;
    const from = offset - this.#earlierCount;
    const shown = await sortedPart(this.#items, { from, to: from + limit }, this.#compare, lane);
    const items: Report[] = [];
    await lane.each(shown, (item) => items.push(reportOf(item)));
    return { items, totalCount: this.#addedCount, offset, limit };
  }

  /** Where the page is expected in a list of which all items have been added that are in a `share` of it. */
  async rangeOf(share: number, lane: Lane): Promise<ItemRange<Item>> {
    const margin = this.#items.length * marginOfSample;
    const at = async (position: number): Promise<Item | undefined> => {
      const from = Math.floor(position);
      return from < 0 ? undefined : (await sortedPart(this.#items, { from, to: from + 1 }, this.#compare, lane))[0];
    };
    return {
      first: await at(Math.min(this.#query.offset * share, this.#items.length) - margin),
      last: await at(this.#wantedCount * share + margin),
    };
  }

  #truncate(): void {
    this.#items = firstItems(this.#items, this.#wantedCount, this.#compare);
    this.#last = this.#items.reduce((last, item) => (this.#compare(last, item) < 0 ? item : last));
  }
}
