import { displayWidth, pad, painted, shorten, type Style, terminalText } from './terminal-text.js';

export interface Column<Row> {
  readonly header: string;
  /** May hold anything: it is made fit for a terminal here. */
  readonly text: (row: Row) => string;
  /** Left without it. */
  readonly align?: 'left' | 'right';
  /** A name: shortened in the middle down to this width when the table is too wide. Other cells are never shortened. */
  readonly minWidth?: number;
  /**
   * Left out, the highest first, when shortened names are not enough. Columns without a rank always stay; those from
   * `detailRank` on go before a name without a rank is shortened below `goodNameWidth`.
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
  /** A name of this width is recognised. */
  readonly goodWidth: number;
  readonly dropRank: number;
}

const gap = '  ';
const detailRank = 5;
const goodNameWidth = 24;

/** Rows as lines of at most `width` columns, one line each. */
export function renderTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  width: number,
  {
    hasHeader = true,
    hasColour = false,
  }: {
    /** With it unless false. */
    readonly hasHeader?: boolean;
    readonly hasColour?: boolean;
  } = {},
): {
  /** The header first; no line is wider than the given width. */
  readonly lines: readonly string[];
  /** Headers of the columns that found no room. */
  readonly dropped: readonly string[];
} {
  const all = columns.map((column) => fittedColumn(column, rows));
  const shown = dropColumns(dropDetails(all, width), width);
  const widths = shareWidth(shown, width);
  const lineOf = (texts: readonly string[], styles: readonly (Style | undefined)[] = []): string => {
    const cells = texts.map((text, index) => {
      const columnWidth = widths[index] ?? 0;
      return pad(shorten(text, columnWidth), columnWidth, shown[index]?.align ?? 'left');
    });
    const line = cells.join(gap).trimEnd();
    if (displayWidth(line) > width) return shorten(line, width);
    return cells
      .map((cell, index) => styledCell(cell, styles[index]))
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
  options?: Parameters<typeof renderTable>[3],
): readonly string[] {
  return rows.length === 0 ? [] : renderTable(columns, rows, width, options).lines;
}

function styledCell(cell: string, style: Style | undefined): string {
  return style === undefined ? cell : painted(cell, style);
}

function fittedColumn<Row>(column: Column<Row>, rows: readonly Row[]): FittedColumn {
  const { header, text, align = 'left', minWidth = Infinity, dropRank = 0, style } = column;
  const cells = rows.map((row) => terminalText(text(row)));
  const naturalWidth = cells.reduce((widest, cell) => Math.max(widest, displayWidth(cell)), header.length);
  const leastWidth = Math.min(naturalWidth, Math.max(minWidth, header.length));
  const goodWidth = Math.max(leastWidth, Math.min(naturalWidth, goodNameWidth));
  const styles = style === undefined ? [] : rows.map(style);
  return { header, align, cells, styles, naturalWidth, leastWidth, goodWidth, dropRank };
}

function dropDetails(columns: readonly FittedColumn[], width: number): readonly FittedColumn[] {
  const shortTotal = sum(columns.map(shortWidth)) + gaps(columns);
  const last = firstToGo(columns);
  if (shortTotal <= width || last.dropRank < detailRank) return columns;
  return dropDetails(without(columns, last), width);
}

function dropColumns(columns: readonly FittedColumn[], width: number): readonly FittedColumn[] {
  const leastWidth = sum(columns.map((column) => column.leastWidth)) + gaps(columns);
  const last = firstToGo(columns);
  if (leastWidth <= width || last.dropRank === 0) return columns;
  return dropColumns(without(columns, last), width);
}

function firstToGo(columns: readonly FittedColumn[]): FittedColumn {
  return columns.reduce((a, b) => (b.dropRank > a.dropRank ? b : a));
}

function without(columns: readonly FittedColumn[], left: FittedColumn): readonly FittedColumn[] {
  return columns.filter((column) => column !== left);
}

/**
 * Takes what is too much from the widest names, one by one: of all names what is more than good, then of those that may
 * be left out, then of what the table is about.
 */
function shareWidth(columns: readonly FittedColumn[], width: number): readonly number[] {
  const good = columns.map(({ goodWidth }) => goodWidth);
  const short = columns.map(shortWidth);
  const least = columns.map(({ leastWidth }) => leastWidth);
  const natural = columns.map(({ naturalWidth }) => naturalWidth);
  return [good, short, least].reduce((widths, floors) => shrink(widths, floors, width - gaps(columns)), natural);
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

/** Good for what the table is about, least for the rest. */
function shortWidth({ dropRank, goodWidth, leastWidth }: FittedColumn): number {
  return dropRank === 0 ? goodWidth : leastWidth;
}

function gaps(columns: readonly unknown[]): number {
  return gap.length * (columns.length - 1);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
