import type { Ranking } from '../base/ranking.js';
import type { ListQuery } from './list-query.js';

/** A part of a list. */
export interface ListPage<T> {
  readonly items: readonly T[];
  /** Items of the whole list. */
  readonly totalCount: number;
  /** Items before the first one here. */
  readonly offset: number;
  readonly limit: number;
}

/** Returns the items of the page; `ranking`: of those up to its end. */
export function listPage<Item, Report>(
  ranking: Ranking<Item>,
  { offset, limit }: Pick<ListQuery, 'offset' | 'limit'>,
  reportOf: (item: Item) => Report,
): ListPage<Report> {
  const items = ranking.top().slice(offset, offset + limit);
  return { items: items.map(reportOf), totalCount: ranking.addedCount, offset, limit };
}
