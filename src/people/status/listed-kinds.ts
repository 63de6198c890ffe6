import type { Kind } from '../kinds/kind.js';
import { nextKind } from '../kinds/next-kind.js';
import { headerOf } from '../pens/text-pen.js';
import { ordersOf } from '../query/list-query.js';
import { kindOf, type ListView } from './document-of.js';

/** What commands list: as the pages do, and who is evicted next. */
type Listed = ListView['kind'] | 'next';

export function listedKind(list: Listed): Kind<unknown> {
  return list === 'next' ? (nextKind as Kind<unknown>) : kindOf(list);
}

/** What a list is sorted by: an order that it has, or else a column. `about`: what the column means. */
interface SortOrder {
  readonly order?: string | undefined;
  readonly column?: string;
  readonly about?: string | undefined;
}

/** Returns what a list can be sorted by, by the names that people give it: those of its orders and the headers of its columns. */
export function sortOrders(list: Listed): Readonly<Record<string, SortOrder>> {
  const orders: readonly string[] = list === 'next' ? [] : ordersOf[list];
  return Object.fromEntries([
    ...orders.map((order): [string, SortOrder] => [order, { order }]),
    ...listedKind(list).columns.map(({ title, order, about }): [string, SortOrder] => [
      headerOf(title).toLowerCase(),
      order === undefined ? { column: title, about } : { order, about },
    ]),
  ]);
}
