import { Ranking } from '../base/ranking.js';
import type { Lane } from '../base/scheduler.js';
import type { ListQuery } from './list-query.js';
import { sortedPart } from './sorted-part.js';

/** A part of a list. */
export interface ListPage<T> {
  readonly items: readonly T[];
  /** Items of the whole list. */
  readonly totalCount: number;
  /** Items before the first one here. */
  readonly offset: number;
  readonly limit: number;
}

/** Up to here, the items that end with those of a page are sorted at once. */
const maxRankedCount = 500;

/**
 * The items of a list in an order, of which one page is wanted. Holds no more than the first ones for a page near the beginning,
 * and all of them for others.
 */
export class ListItems<Item> {
  readonly #query;
  readonly #compare: (a: Item, b: Item) => number;
  readonly #ranking: Ranking<Item> | undefined;
  readonly #all: Item[] = [];

  constructor(query: Pick<ListQuery, 'offset' | 'limit'>, compare: (a: Item, b: Item) => number) {
    const endCount = query.offset + query.limit;
    this.#query = query;
    this.#compare = compare;
    this.#ranking = endCount > maxRankedCount ? undefined : new Ranking(endCount, compare);
  }

  add(item: Item): void {
    if (this.#ranking === undefined) this.#all.push(item);
    else this.#ranking.add(item);
  }

  async page<Report>(reportOf: (item: Item) => Report, lane: Lane): Promise<ListPage<Report>> {
    const { offset, limit } = this.#query;
    const items: Report[] = [];
    const shown = await this.#part({ from: offset, to: offset + limit }, lane);
    await lane.each(shown, (item) => items.push(reportOf(item)));
    return { items, totalCount: this.#ranking?.addedCount ?? this.#all.length, offset, limit };
  }

  async #part(range: { readonly from: number; readonly to: number }, lane: Lane): Promise<readonly Item[]> {
    const ranking = this.#ranking;
    if (ranking === undefined) return sortedPart(this.#all, range, this.#compare, lane);
    return lane.run(() => ranking.top().slice(range.from, range.to));
  }
}
