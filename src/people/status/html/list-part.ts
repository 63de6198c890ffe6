import { formatCount } from '../../../lib/base/text.js';
import { dataTable, emptyText } from '../../pens/html-kit.js';
import { type Markup, markup, type MarkupContent } from '../../pens/markup.js';
import type { ListPage } from '../../query/list-page.js';
import { type ListKind, type ListQuery, parametersOf, valuesOf } from '../../query/list-query.js';
import { queryOf } from './links.js';

/** A list: what filters it, its rows, and the way to the others. */
export interface ListPart<T> {
  readonly kind: ListKind;
  readonly query: ListQuery;
  readonly page: ListPage<T>;
  /** By their headers. */
  readonly columns: Readonly<Record<string, 'text' | 'number'>>;
  readonly row: (item: T) => Markup;
  /** In words, of the items: `pods`. */
  readonly caption: string;
  /** Parameters that the address of the page says already. */
  readonly fixed?: readonly string[] | undefined;
}

/** Shows a form, the rows in a table, and links to the rows before and after. */
export function listPart<T>(part: ListPart<T>): Markup {
  const { page, columns, row, caption } = part;
  const table =
    page.items.length === 0
      ? emptyText(emptyList(part))
      : dataTable('stack dense', caption, columns, page.items.map(row));
  return markup`${filterForm(part)}
<div id="part-list" data-part>${pager(part)}${table}</div>`;
}

function emptyList<T>(part: ListPart<T>): string {
  const { page, caption } = part;
  if (page.totalCount > 0) return `The list ends after ${page.totalCount} ${caption}.`;
  return isFiltered(part) ? `No ${caption} match these filters.` : `No ${caption} found.`;
}

function isFiltered<T>({ query: { given }, fixed = [] }: ListPart<T>): boolean {
  return Object.keys(given).some((name) => ![...withoutField, ...fixed, 'order'].includes(name));
}

/** In the order of the form. Position and number are those of the links. */
const withoutField = ['offset', 'limit'];

const hints: Readonly<Record<string, string>> = {
  search: 'part of a name',
  workload: 'NAMESPACE/TYPE/NAME',
  selector: 'app=web,tier!=cache',
};

function filterForm<T>({ kind, query, fixed = [] }: ListPart<T>): Markup {
  const names = parametersOf(kind).filter((name) => !withoutField.includes(name) && !fixed.includes(name));
  return markup`<form class="filter small" method="get">${names.map((name) => field(kind, name, query))}<button type="submit">Show</button></form>`;
}

function field(kind: ListKind, name: string, { given, order }: ListQuery): MarkupContent {
  const id = `filter-${name}`;
  const label = markup`<label for="${id}">${name}</label>`;
  const values = valuesOf(kind, name);
  if (values === undefined) {
    return markup`<span>${label}<input id="${id}" name="${name}" value="${given[name] ?? ''}" placeholder="${hints[name] ?? ''}" autocomplete="off"></span>`;
  }
  const current = name === 'order' ? order : (given[name] ?? '');
  const options = name === 'order' ? values : ['', ...values];
  return markup`<span>${label}<select id="${id}" name="${name}">${options.map(
    (option) =>
      markup`<option value="${option}"${option === current ? markup` selected` : undefined}>${option === '' ? 'all' : option}</option>`,
  )}</select></span>`;
}

function pager<T>({ query, page, caption }: ListPart<T>): Markup {
  const { offset, limit, totalCount, items } = page;
  const range =
    items.length === 0
      ? `${formatCount(totalCount)} ${caption}`
      : `${formatCount(offset + 1)} to ${formatCount(offset + items.length)} of ${formatCount(totalCount)} ${caption}`;
  const link = (to: number, text: string): Markup =>
    markup` <a href="${queryOf({ ...query.given, offset: to || undefined }) || '?'}" data-key="${text}">${text}</a>`;
  const next = offset + limit;
  return markup`<p class="pager small muted">${range}${offset > 0 ? link(Math.max(0, offset - limit), 'previous') : undefined}${
    next < totalCount ? link(next, 'next') : undefined
  }</p>`;
}
