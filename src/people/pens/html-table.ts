import { amountText, type BlockOf, type Line, type Piece, type Row, type TableColumn } from './document.js';
import { addressOf, type HtmlPlace, lineHtml } from './html-line.js';
import { type Markup, markup } from './markup.js';

/** Columns from here on have a place on wide screens alone. */
const extraRank = 6;

/** A table whose rows become blocks on small screens: therefore it names the roles. Sentences about a row stand below it. */
export function tableHtml(
  { caption, columns: all, rows, nameIndex = 0, order }: BlockOf<'table'>,
  place: HtmlPlace,
): Markup {
  const columns = all.flatMap((column, index) => (column.isWide === true ? [] : [{ ...column, index }]));
  const rowHtml = (row: Row): Markup => {
    const cells = columns.map((column) => {
      const line = row.cells[column.index] ?? '';
      return column.index === nameIndex ? nameCell(row, line, place) : cell(column, line, place);
    });
    const note =
      row.note === undefined
        ? undefined
        : markup`<tr role="row" class="note"><td role="cell" class="wide small" colspan="${columns.length}">${lineHtml(row.note, place)}</td></tr>`;
    return markup`<tr role="row"${row.isOld === true ? markup` class="last"` : undefined}>${cells}</tr>${note}`;
  };
  return markup`<table class="stack dense" role="table"><caption class="visually-hidden">${caption}</caption>
<thead role="rowgroup"><tr role="row">${columns.map((column) => header(column, order, place))}</tr></thead>
<tbody role="rowgroup">${rows.map(rowHtml)}</tbody></table>`;
}

function header(column: TableColumn, order: string | undefined, { orderHref }: HtmlPlace): Markup {
  const { title, about, isNumber } = column;
  const isSorted = column.order !== undefined && column.order === order;
  const classes = classesOf(column, isNumber === true ? 'number' : '');
  const hint = about === undefined ? undefined : markup` title="${about}"`;
  const shown =
    column.order === undefined || orderHref === undefined
      ? title
      : markup`<a href="${orderHref(column.order)}" data-key="order-${column.order}">${title}</a>`;
  const isFalling = isNumber === true && column.isRising !== true;
  const sorted = isSorted ? markup` aria-sort="${isFalling ? 'descending' : 'ascending'}"` : undefined;
  return markup`<th scope="col" role="columnheader"${classes}${hint}${sorted}>${shown}</th>`;
}

function nameCell({ path, colour }: Row, line: Line, place: HtmlPlace): Markup {
  const name = lineHtml(line, place);
  const shown = path === undefined ? name : markup`<a href="${addressOf(place.root, path)}">${name}</a>`;
  return markup`<th scope="row" role="rowheader">${swatch(colour)}${shown}</th>`;
}

/** On a small screen a cell has its own line, and none where it says nothing. */
function cell(column: TableColumn, line: Line, place: HtmlPlace): Markup {
  const { title, isNumber } = column;
  const classes = ['low', isNumber === true ? 'number' : '', isNothing(line) ? 'none' : ''].filter(Boolean).join(' ');
  const drawn = [line].flat().flatMap(markedShare);
  return markup`<td role="cell"${classesOf(column, classes)} data-label="${title}">${drawn}${lineHtml(line, place)}</td>`;
}

function classesOf({ rank = 0 }: TableColumn, names: string): Markup | undefined {
  const classes = [names, rank >= extraRank ? 'extra' : ''].filter(Boolean).join(' ');
  return classes === '' ? undefined : markup` class="${classes}"`;
}

function isNothing(line: Line): boolean {
  return line === '-' || line === '' || (typeof line === 'object' && 'amount' in line && line.amount === undefined);
}

/** Draws the share beside its text, which says the same. */
function markedShare(piece: Piece): readonly Markup[] {
  if (typeof piece === 'string' || !('amount' in piece)) return [];
  const { amount, mark, tone = 'ok' } = piece;
  if (mark === undefined || amount === undefined) return [];
  const percent = (share: number): string => `${Number((Math.min(1, Math.max(0, share)) * 100).toFixed(2))}%`;
  return [
    markup`<svg class="share" width="100%" height="12" aria-hidden="true"><rect class="f-free" width="100%" height="12"/><rect class="f-${tone}-bar" width="${percent(amount)}" height="12"/><rect class="mark" x="${percent(mark)}" width="2" height="12"><title>${amountText({ amount: mark, unit: 'share' })}</title></rect></svg>`,
  ];
}

function swatch(colour: string | undefined): Markup | undefined {
  if (colour === undefined) return undefined;
  return markup`<svg class="swatch" width="12" height="12" aria-hidden="true"><rect class="f-${colour}" width="12" height="12" rx="2"/></svg>`;
}
