import type { Lane } from '../../lib/base/lane.js';
import { type Ranked, Ranking } from '../../lib/base/ranking.js';
import type { ListQuery } from './list-query.js';

/** The first items of a list. */
export interface ListPage<T> extends Ranked<T> {
  /** Items at most. */
  readonly limit: number;
  /** All items of the list are here. */
  readonly isComplete: boolean;
  /**
   * What each item here is sorted by, the larger first, of equal ones by the next value; then by names. What is not known has the least
   * number. Absent where the items show all that they are sorted by.
   */
  readonly ranks?: readonly (readonly number[])[] | undefined;
}

/** What a list is made of, such as nodes and their pods. */
export interface ListSources<Source, Item, Report> {
  readonly sources: readonly Source[];
  /** Adds the items of one source. */
  readonly addItems: (items: Ranking<Item>, source: Source) => void;
  readonly compare: (a: Item, b: Item) => number;
  readonly reportOf: (item: Item) => Report;
  /** What `compare` goes by before it compares names, where reports do not show it. */
  readonly ranksOf?: (item: Item) => readonly number[];
}

/** Returns the first items in the order of the list. Yields to the event loop between sources and between reports. */
export async function listPage<Source, Item, Report>(
  { sources, addItems, compare, reportOf, ranksOf }: ListSources<Source, Item, Report>,
  { limit }: Pick<ListQuery, 'limit'>,
  lane: Lane,
): Promise<ListPage<Report>> {
  const ranking = new Ranking(limit, compare);
  await lane.each(sources, (source) => {
    addItems(ranking, source);
  });
  const first = await lane.run(() => ranking.top());
  const items: Report[] = [];
  await lane.each(first, (item) => items.push(reportOf(item)));
  const ranks =
    ranksOf &&
    first.map((item) => ranksOf(item).map((rank) => Math.min(Math.max(rank, -Number.MAX_VALUE), Number.MAX_VALUE)));
  return { ...firstOf(items, limit, ranking.addedCount), ...(ranks === undefined ? {} : { ranks }) };
}

/** Returns the first of items that are in their order. `totalCount`: of the whole list, where it has others. */
export function firstOf<T>(sorted: readonly T[], limit: number, totalCount = sorted.length): ListPage<T> {
  const items = sorted.slice(0, limit);
  return { items, totalCount, limit, isComplete: items.length === totalCount };
}
