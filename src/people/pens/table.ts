import { truncate } from '../../lib/base/text.js';
import { displayWidth, pad, painted, shorten, type Style, terminalText } from './terminal-text.js';

export interface Column<Row> {
  readonly header: string;
  /** May hold anything: it is made fit for a terminal here. */
  readonly text: (row: Row) => string;
  /** Left without it. */
  readonly align?: 'left' | 'right';
  /** May be shortened in the middle down to this width when the table is too wide. Other cells are never shortened. */
  readonly minWidth?: number;
  /**
   * Left out, the highest first and of equals the last, before what has no rank is shortened: the next command needs those
   * names whole. Rank 1, what the table is read for, stays beside shortened ones: those of one long name leave the others whole.
   */
  readonly dropRank?: number;
  /** Of the cell, in a table with colours. */
  readonly style?: (row: Row) => Style | undefined;
}

interface FittedColumn {
  readonly header: string;
  readonly align: 'left' | 'right';
  readonly cells: readonly string[];
  readonly styles: readonly (Style | undefined)[];
  readonly naturalWidth: number;
  readonly leastWidth: number;
  readonly dropRank: number;
}

const gap = '  ';
const keyRank = 1;

/** Of a cell, since each row is as wide as the longest: names have 253 at most. */
const maxCellLength = 1_000;

/** Returns rows as lines of at most `width` columns, one line each, the header first; `dropped`: headers of the columns that found no room. */
export function renderTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  width: number,
  { hasHeader = true, hasColour = false }: { readonly hasHeader?: boolean; readonly hasColour?: boolean } = {},
): { readonly lines: readonly string[]; readonly dropped: readonly string[] } {
  const all = columns.map((column) => fittedColumn(column, rows));
  const shown = columnsThatFit(all, width);
  const widths = shareWidth(shown, width);
  const isTooWide = sum(widths) + gaps(shown) > width;
  const lineOf = (texts: readonly string[], styles: readonly (Style | undefined)[] = []): string => {
    const cells = texts.map((text, index) => {
      const columnWidth = widths[index] ?? 0;
      return pad(shorten(text, columnWidth), columnWidth, shown[index]?.align ?? 'left');
    });
    const line = cells.join(gap).trimEnd();
    if (isTooWide && displayWidth(line) > width) return shorten(line, width);
    return cells
      .map((cell, index) => painted(cell, styles[index]))
      .join(gap)
      .trimEnd();
  };
  const rowLines = rows.map((_, row) =>
    lineOf(
      shown.map(({ cells }) => cells[row] ?? ''),
      hasColour ? shown.map(({ styles }) => styles[row]) : [],
    ),
  );
  return {
    lines: hasHeader ? [lineOf(shown.map(({ header }) => header)), ...rowLines] : rowLines,
    dropped: all.filter((column) => !shown.includes(column)).map(({ header }) => header),
  };
}

/** The table of {@link renderTable} alone; none without rows. */
export function tableLines<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  width: number,
): readonly string[] {
  return rows.length === 0 ? [] : renderTable(columns, rows, width).lines;
}

function fittedColumn<Row>(column: Column<Row>, rows: readonly Row[]): FittedColumn {
  const { header, text, align = 'left', minWidth = Infinity, dropRank = 0, style } = column;
  const cells = rows.map((row) => terminalText(truncate(text(row), maxCellLength)));
  const naturalWidth = cells.reduce((widest, cell) => Math.max(widest, displayWidth(cell)), header.length);
  const leastWidth = Math.min(naturalWidth, Math.max(minWidth, header.length));
  const styles = style === undefined ? [] : rows.map(style);
  return { header, align, cells, styles, naturalWidth, leastWidth, dropRank };
}

function columnsThatFit(columns: readonly FittedColumn[], width: number): readonly FittedColumn[] {
  const keys = dropAbove(keyRank, columns, { width, widthOf: wholeNames });
  return dropAbove(0, keys, { width, widthOf: shortNames });
}

/** Leaves columns of a higher rank out until the others fit. */
function dropAbove(
  rank: number,
  columns: readonly FittedColumn[],
  fit: { readonly width: number; readonly widthOf: (column: FittedColumn) => number },
): readonly FittedColumn[] {
  const last = columns.reduce((a, b) => (b.dropRank >= a.dropRank ? b : a));
  if (last.dropRank <= rank || sum(columns.map(fit.widthOf)) + gaps(columns) <= fit.width) return columns;
  return dropAbove(
    rank,
    columns.filter((column) => column !== last),
    fit,
  );
}

/** Takes what is too much from the widest: of what may be left out, then of what the table is about. */
function shareWidth(columns: readonly FittedColumn[], width: number): readonly number[] {
  const natural = columns.map(({ naturalWidth }) => naturalWidth);
  const floors = [wholeNames, shortNames].map((floorOf) => columns.map(floorOf));
  return floors.reduce((widths, least) => shrink(widths, least, width - gaps(columns)), natural);
}

/** Widths of the sum `total`, or the floors when those are more. */
function shrink(widths: readonly number[], floors: readonly number[], total: number): number[] {
  const shrunk = [...widths];
  for (let excess = sum(widths) - total; excess > 0; excess -= 1) {
    const spare = shrunk.map((width, index) => (width > (floors[index] ?? 0) ? width : 0));
    const widest = spare.indexOf(Math.max(...spare));
    if (spare[widest] === 0) break;
    shrunk[widest] = (shrunk[widest] ?? 0) - 1;
  }
  return shrunk;
}

function wholeNames({ dropRank, naturalWidth, leastWidth }: FittedColumn): number {
  return dropRank === 0 ? naturalWidth : leastWidth;
}

function shortNames({ leastWidth }: FittedColumn): number {
  return leastWidth;
}

function gaps(columns: readonly unknown[]): number {
  return gap.length * (columns.length - 1);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
