import type { Lane } from '../base/scheduler.js';
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

/** Up to here, the first items of twice as many are found within a slice of time. */
const maxHeldCount = 2_000;

/**
 * The items of a list in an order, of which one page is wanted. Holds no more than twice as many as end with that page, but all of them
 * for a page far from the beginning.
 */
export class ListItems<Item> {
  readonly #query;
  readonly #compare: (a: Item, b: Item) => number;
  /** As many as end with the page. */
  readonly #wantedCount: number;
  #items: Item[] = [];
  #addedCount = 0;
  /** The last of the wanted items so far; undefined until there are twice as many. */
  #last: Item | undefined;

  constructor(query: Pick<ListQuery, 'offset' | 'limit'>, compare: (a: Item, b: Item) => number) {
    this.#query = query;
    this.#compare = compare;
    this.#wantedCount = query.offset + query.limit;
  }

  add(item: Item): void {
    this.#addedCount += 1;
    if (this.#last !== undefined && this.#compare(this.#last, item) <= 0) return;
    this.#items.push(item);
    if (this.#wantedCount <= maxHeldCount && this.#items.length >= 2 * this.#wantedCount) this.#truncate();
  }

  async page<Report>(reportOf: (item: Item) => Report, lane: Lane): Promise<ListPage<Report>> {
    const { offset, limit } = this.#query;
    const items: Report[] = [];
    const shown = await sortedPart(this.#items, { from: offset, to: offset + limit }, this.#compare, lane);
    await lane.each(shown, (item) => items.push(reportOf(item)));
    return { items, totalCount: this.#addedCount, offset, limit };
  }

  #truncate(): void {
    this.#items = firstItems(this.#items, this.#wantedCount, this.#compare);
    this.#last = this.#items.reduce((last, item) => (this.#compare(last, item) < 0 ? item : last));
  }
}
