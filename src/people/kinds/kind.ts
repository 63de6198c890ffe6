import type { Block, BlockOf, Document, Line, Row, TableColumn } from '../pens/document.js';
import type { ListPage } from '../query/list-page.js';
import type { ListQuery } from '../query/list-query.js';

export interface KindColumn<Report> extends TableColumn {
  readonly cell: (report: Report) => Line;
  /** Only where the rows may be of more than one namespace. */
  readonly isOfNamespace?: true;
  /** Only where a row has more than `-` in it. */
  readonly isSeldom?: true;
}

/** What there is a list of: the columns that page and terminal show of it, and what is said of its rows. */
export interface Kind<Report> {
  readonly title: string;
  /** Several of them. */
  readonly what: string;
  readonly columns: readonly KindColumn<Report>[];
  /** The title of the column with the name of a row. */
  readonly nameColumn: string;
  /** As kubectl has it: `pod/web-1`. */
  readonly nameOf: (report: Report) => string;
  readonly pathOf: (report: Report) => readonly string[];
  /** As JSON has it; without it the report itself. */
  readonly dataOf?: (report: Report) => unknown;
  /** A sentence about a row. */
  readonly noteOf?: (report: Report) => Line | undefined;
  /** Whether its figures are those that were known last. */
  readonly isOld?: (report: Report) => boolean;
  /** What needs an explanation in these rows. */
  readonly explain?: (reports: readonly Report[]) => string | undefined;
}

/** Returns the first of a list as a document: one table, and what is to be said of it. `none`: why there are no rows, where it is known. */
export function listDocument<Report>(
  kind: Kind<Report>,
  page: ListPage<Report>,
  { order, namespace, given }: Pick<ListQuery, 'order' | 'namespace' | 'given'>,
  none?: string,
): Document {
  const columns = kind.columns.filter(({ isOfNamespace }) => isOfNamespace !== true || namespace === undefined);
  const isFiltered = Object.keys(given).some((name) => !['order', 'limit'].includes(name));
  const usual = isFiltered ? `No ${kind.what} match these filters.` : `No ${kind.what} found.`;
  const table = tableOf({ ...kind, columns }, page, (report) => ({ name: kind.nameOf(report) }));
  return { title: [kind.title, ''], blocks: [{ ...table, order, none: none ?? usual }, ...explanation(kind, page)] };
}

/** Returns the first of an object's, as a part of its document: columns of the kind by their titles, in that order. */
export function partTable<Report>(
  kind: Kind<Report>,
  page: Pick<ListPage<Report>, 'items' | 'totalCount'>,
  titles: readonly string[],
): readonly Block[] {
  const columns = titles.flatMap((title) => kind.columns.filter((column) => column.title === title));
  return [tableOf({ ...kind, columns }, page), ...explanation(kind, page)];
}

function explanation<Report>(
  { explain }: Kind<Report>,
  { items }: Pick<ListPage<Report>, 'items'>,
): readonly BlockOf<'text'>[] {
  const line = explain?.(items);
  return line === undefined ? [] : [{ is: 'text', line }];
}

function tableOf<Report>(
  { columns, nameColumn, pathOf, noteOf, isOld, what, title }: Kind<Report>,
  { items, totalCount }: Pick<ListPage<Report>, 'items' | 'totalCount'>,
  nameOf?: (report: Report) => Pick<Row, 'name'>,
): BlockOf<'table'> {
  const shown = columns
    .map((column) => ({ column, cells: items.map(column.cell) }))
    .filter(({ column, cells }) => column.isSeldom !== true || cells.some((cell) => cell !== '-'));
  return {
    is: 'table',
    caption: title,
    columns: shown.map(({ column }) => tableColumn(column)),
    rows: items.map((report, row) => ({
      cells: shown.map(({ cells }) => cells[row] ?? '-'),
      ...nameOf?.(report),
      path: pathOf(report),
      note: noteOf?.(report),
      isOld: isOld?.(report),
    })),
    nameIndex: shown.findIndex(({ column }) => column.title === nameColumn),
    totalCount,
    what,
  };
}

/** Returns a column without what stands in it. */
export function tableColumn({
  title,
  isNumber,
  about,
  order,
  isRising,
  isWide,
  rank,
  minWidth,
}: TableColumn): TableColumn {
  return { title, isNumber, about, order, isRising, isWide, rank, minWidth };
}
