import { displayWidth, pad, shorten, terminalText } from './terminal-text.js';

export interface Column<Row> {
  readonly header: string;
  /** May hold anything: it is made fit for a terminal here. */
  readonly text: (row: Row) => string;
  /** Left without it. */
  readonly align?: 'left' | 'right';
  /** A name: shortened in the middle down to this width when the table is too wide. Other cells are never shortened. */
  readonly minWidth?: number;
  /** Left out, the highest first, when shortened names are not enough. Columns without a rank always stay. */
  readonly dropRank?: number;
}

export interface TableText {
  /** The header first; none is wider than asked for. */
  readonly lines: readonly string[];
  /** Headers of the columns that found no room. */
  readonly dropped: readonly string[];
}

interface FittedColumn {
  readonly header: string;
  readonly align: 'left' | 'right';
  readonly cells: readonly string[];
  readonly naturalWidth: number;
  readonly leastWidth: number;
  readonly dropRank: number;
}

const gap = '  ';

/** Rows as lines of at most `width` columns, one line each. */
export function renderTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[], width: number): TableText {
  const all = columns.map((column) => fittedColumn(column, rows));
  const shown = dropColumns(all, width);
  const widths = shareWidth(shown, width);
  const lineOf = (texts: readonly string[]): string =>
    shorten(
      texts
        .map((text, index) => {
          const columnWidth = widths[index] ?? 0;
          return pad(shorten(text, columnWidth), columnWidth, shown[index]?.align ?? 'left');
        })
        .join(gap)
        .trimEnd(),
      width,
    );
  return {
    lines: [
      lineOf(shown.map(({ header }) => header)),
      ...rows.map((_, row) => lineOf(shown.map(({ cells }) => cells[row] ?? ''))),
    ],
    dropped: all.filter((column) => !shown.includes(column)).map(({ header }) => header),
  };
}

function fittedColumn<Row>(column: Column<Row>, rows: readonly Row[]): FittedColumn {
  const { header, text, align = 'left', minWidth = Infinity, dropRank = 0 } = column;
  const cells = rows.map((row) => terminalText(text(row)));
  const naturalWidth = cells.reduce((widest, cell) => Math.max(widest, displayWidth(cell)), header.length);
  const leastWidth = Math.min(naturalWidth, Math.max(minWidth, header.length));
  return { header, align, cells, naturalWidth, leastWidth, dropRank };
}

function dropColumns(columns: readonly FittedColumn[], width: number): readonly FittedColumn[] {
  const leastWidth = sum(columns.map((column) => column.leastWidth)) + gaps(columns);
  const last = columns.reduce((a, b) => (b.dropRank > a.dropRank ? b : a));
  if (leastWidth <= width || last.dropRank === 0) return columns;
  return dropColumns(
    columns.filter((column) => column !== last),
    width,
  );
}

/** Takes what is too much from the widest of the columns that may be shortened, one by one. */
function shareWidth(columns: readonly FittedColumn[], width: number): readonly number[] {
  const widths = columns.map(({ naturalWidth }) => naturalWidth);
  for (let excess = sum(widths) + gaps(columns) - width; excess > 0; excess -= 1) {
    const spare = columns.map(({ leastWidth }, index) =>
      (widths[index] ?? 0) > leastWidth ? (widths[index] ?? 0) : 0,
    );
    const widest = spare.indexOf(Math.max(...spare));
    if (spare[widest] === 0) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

function gaps(columns: readonly unknown[]): number {
  return gap.length * (columns.length - 1);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
