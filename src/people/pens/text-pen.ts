import { moreText } from '../../lib/base/text.js';
import { formatTime } from '../../lib/base/units.js';
import { commandLines } from './command-lines.js';
import { curveText } from './curve-text.js';
import {
  amountText,
  type Block,
  type BlockOf,
  type Document,
  type DocumentPart,
  type Line,
  type Piece,
  type Row,
  type Tone,
} from './document.js';
import { gridLines } from './grid-text.js';
import { type Column, renderTable } from './table.js';
import { pad, painted, paragraphs, type Style, terminalText, wrap, wrapped } from './terminal-text.js';

export interface TextForm {
  /** Columns; Infinity where nobody reads on a screen. */
  readonly width: number;
  readonly hasColour?: boolean;
  /** With the details. */
  readonly isWhole?: boolean;
  /** With all columns of tables, and the sentences about rows. */
  readonly isWide?: boolean;
  /** Of tables; with it unless false. */
  readonly hasHeader?: boolean;
}

/**
 * Writes a document for a terminal: its verdicts, its title with the facts, a paragraph for each other block, its figures, what is missing, and
 * nothing that a terminal would obey. Of a list the table is first, as kubectl prints it.
 */
export function writeText({ title, blocks, notes = [] }: Document, form: TextForm): string {
  const ofKind = (kind: DocumentPart['is']): readonly (readonly string[])[] =>
    blocks.filter(({ is }) => is === kind).flatMap((part) => paragraphsOf(part, form));
  const name = title[1] === '' ? [] : wrapped([title.join(' ')], form.width);
  return paragraphs([
    ofKind('verdict').flat(),
    ...ofKind('verdicts'),
    [...name, ...ofKind('facts').flat()],
    ...ofKind('table'),
    ...ofKind('section'),
    ...ofKind('figures'),
    ofKind('text').flat(),
    wrapped(notes, form.width),
  ]);
}

/** The table of a list alone, its header first, and the headers of columns that found no room; no lines without rows. */
export function writeTable(table: BlockOf<'table'>, form: TextForm): ReturnType<typeof renderTable> {
  const { lines, dropped } = renderTable(columnsOf(table, form), table.rows, form.width, form);
  return table.rows.length === 0 ? { lines: [], dropped: [] } : { lines, dropped };
}

/** Names the sections and tables that {@link writeText} leaves out. */
export function detailsOf({ blocks }: { readonly blocks: readonly Block[] }): readonly string[] {
  return blocks.flatMap((block) => {
    if (isDetail(block)) return [nameOf(block)].filter((name) => name !== '');
    return block.is === 'section' ? detailsOf(block) : [];
  });
}

function isDetail(block: Block): boolean {
  return 'detail' in block && block.detail !== undefined;
}

function nameOf(block: Block): string {
  if (block.is === 'section') return block.title;
  return block.is === 'table' || block.is === 'code' ? block.caption : '';
}

function paragraphsOf(block: Block, form: TextForm): readonly (readonly string[])[] {
  if (isDetail(block) && form.isWhole !== true) return [];
  if (block.is === 'verdicts') return verdictParagraphs(block, form);
  if (block.is !== 'section') return [linesOf(block, form)];
  const [first = [], ...others] = block.blocks
    .flatMap((each, index) => {
      const [lines = [], ...more] = paragraphsOf(each, form);
      const caption =
        each.is === 'table' && index > 0 && lines.length > 0 ? wrapped([`${each.caption}:`], form.width) : [];
      return [[...caption, ...lines], ...more];
    })
    .filter(isFilled);
  if (first.length === 0) return [];
  return [[...wrapped([`${block.title}${noteText(block.note)}:`], form.width), ...first], ...others];
}

/** A link leads to more on a page. */
function noteText(note: Line | undefined): string {
  const isLink = typeof note === 'object' && 'path' in note;
  return note === undefined || isLink ? '' : ` (${lineText(note)})`;
}

const isFilled = (lines: readonly string[]): boolean => lines.length > 0;

/** Each with its tone, as the program may be read without colours. */
function verdictParagraphs(
  { verdicts, more }: BlockOf<'verdicts'>,
  { width, hasColour }: TextForm,
): readonly (readonly string[])[] {
  const each = verdicts.map(({ tone, lines: [first = '', ...others], commands }) => {
    const style = hasColour === true ? styles[tone] : undefined;
    const [head = '', ...rest] = wrapped([`${tone}: ${lineText(first)}`, ...others.map(lineText)], width);
    return [style === undefined ? head : painted(head, style), ...rest, ...commandLines(commands, width)];
  });
  return [...each, more === undefined ? [] : wrapped([lineText(more)], width)];
}

function linesOf(block: Exclude<Block, { readonly is: 'section' | 'verdicts' }>, form: TextForm): readonly string[] {
  const { width } = form;
  if (isDrawn(block)) return drawnLines(block, width);
  switch (block.is) {
    case 'verdict':
      return [...wrapped(block.lines.map(lineText), width), ...commandLines(block.commands, width)];
    case 'text':
      return wrapped([lineText(block.line)], width);
    case 'facts':
      return factLines(block, width);
    case 'code':
      return block.text.trimEnd().split('\n').map(terminalText);
    case 'list':
      return [...wrapped(block.items.map(lineText), width), ...moreLines(block.items.length, block)];
    case 'table':
      return linesOfTable(block, form);
  }
}

type DrawnBlock = BlockOf<'figures' | 'grid' | 'bar' | 'curves'>;

/** Returns whether a page has a drawing of it. */
function isDrawn(block: Block): block is DrawnBlock {
  return ['figures', 'grid', 'bar', 'curves'].includes(block.is);
}

function drawnLines(block: DrawnBlock, width: number): readonly string[] {
  switch (block.is) {
    case 'figures':
      return factLines({ facts: factsOf(block) }, width);
    case 'grid':
      return gridLines(block, width);
    case 'bar':
      return barLines(block, width);
    case 'curves':
      return wrapped(
        block.curves.map((curve) => `${curve.name}: ${curveText(curve, block.unit)}`),
        width,
      );
  }
}

function factsOf({ figures }: BlockOf<'figures'>): BlockOf<'facts'>['facts'] {
  return Object.fromEntries(
    figures.map(({ name, value, note }) => {
      const more = lineText(note);
      return [lineText(name), `${lineText(value)}${more === '' ? '' : `, ${more}`}`];
    }),
  );
}

/** Values begin in one column, as `kubectl describe` has them, where that leaves them half of the width. */
function factLines({ facts }: Pick<BlockOf<'facts'>, 'facts'>, width: number): readonly string[] {
  const known = Object.entries(facts).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  const nameWidth = Math.max(...known.map(([name]) => name.length + 3));
  if (2 * nameWidth > width)
    return wrapped(
      known.map(([name, value]) => `${name}: ${lineText(value)}`),
      width,
    );
  return known.flatMap(([name, value]) =>
    wrap(terminalText(lineText(value)), width - nameWidth).map((line, index) =>
      `${pad(index === 0 ? `${name}:` : '', nameWidth, 'left')}${line}`.trimEnd(),
    ),
  );
}

function linesOfTable(block: BlockOf<'table'>, form: TextForm): readonly string[] {
  if (block.rows.length === 0) return wrapped(block.none === undefined ? [] : [block.none], form.width);
  const { lines, dropped } = writeTable(block, form);
  const [header = '', ...others] = lines;
  const hidden = isList(block) && dropped.length > 0 ? [`Columns hidden: ${dropped.join(', ')}`] : [];
  return [
    header,
    ...others.flatMap((line, index) => [line, ...noteLines(block.rows[index], form)]),
    ...moreLines(block.rows.length, block),
    ...wrapped(hidden, form.width),
  ];
}

/** The sentence about a row stands below it; programs read lists, whose rows are one line each. */
function noteLines(row: Row | undefined, { width }: TextForm): readonly string[] {
  if (row?.note === undefined || row.name !== undefined) return [];
  return wrapped([lineText(row.note)], width - 2).map((line) => `  ${line}`);
}

function isList({ rows }: BlockOf<'table'>): boolean {
  return rows.some(({ name }) => name !== undefined);
}

function columnsOf(block: BlockOf<'table'>, { isWide }: TextForm): readonly Column<Row>[] {
  const { columns, rows } = block;
  const isOfList = isList(block);
  const shown = columns.flatMap((column, index): readonly Column<Row>[] => {
    if (column.isWide === true && isWide !== true) return [];
    const { title, isNumber, rank, minWidth } = column;
    return [
      {
        header: isOfList ? headerOf(title) : title.toUpperCase(),
        text: ({ cells }) => cellText(cells[index] ?? '', isOfList),
        style: ({ cells }) => styleOf(cells[index] ?? ''),
        ...(isNumber === true && { align: 'right' as const }),
        ...(rank !== undefined && { dropRank: rank }),
        ...(minWidth !== undefined && { minWidth }),
      },
    ];
  });
  const hasNotes = isOfList && isWide === true && rows.some(({ note }) => note !== undefined);
  return hasNotes ? [...shown, { header: 'NOTE', text: ({ note = '-' }) => lineText(note) }] : shown;
}

/** In a list, which programs read too, a number is one word. */
function cellText(line: Line, isOfList: boolean): string {
  const isShare = (piece: Piece): boolean => typeof piece === 'object' && 'unit' in piece && piece.unit === 'share';
  const ofPiece = (piece: Piece): string =>
    isOfList && isShare(piece) ? oneWord(pieceText(piece), '') : pieceText(piece);
  return [line].flat().map(ofPiece).join('');
}

/** Returns the header of a list's column: one word. */
export function headerOf(title: string): string {
  return oneWord(title.toUpperCase(), '-');
}

function oneWord(text: string, joint: string): string {
  return text.replaceAll(' ', joint);
}

function moreLines(
  shownCount: number,
  { totalCount = shownCount, what }: { readonly totalCount?: number; readonly what?: string },
): readonly string[] {
  return totalCount > shownCount ? [moreText(shownCount, totalCount, what)] : [];
}

const maxBarWidth = 60;
/** Of parts, by their order; what is free is empty. */
const fills = '#=+:*%~-';

/** A line of characters, then what they are. A mark stands where its amount is. */
function barLines({ unit, whole, parts, marks }: BlockOf<'bar'>, width: number): readonly string[] {
  const length = Math.min(maxBarWidth, width - 2);
  const columnOf = (amount: number): number => Math.round((amount / whole) * length);
  const shown = parts.filter(({ amount }) => amount > 0);
  const fillOf = (colour: string, index: number): string =>
    colour === 'free' ? ' ' : (fills[index % fills.length] ?? '');
  let end = 0;
  const drawn = shown.map(({ amount, colour }, index) => {
    const from = columnOf(end);
    end += amount;
    return fillOf(colour, index).repeat(Math.max(0, Math.min(length, columnOf(end)) - from));
  });
  const bar = Array.from(drawn.join('').padEnd(length));
  for (const { at } of marks) bar[Math.min(length - 1, columnOf(at))] = '|';
  const names = shown.map(({ name, amount, colour }, index) => {
    const fill = fillOf(colour, index).trim();
    return `${fill === '' ? '' : `${fill} `}${name} ${amountText({ amount, unit })}`;
  });
  const notes = marks.map(({ name }) => `| ${name}`);
  return [`[${bar.join('')}]`, ...wrapped([[...names, ...notes].join(', ')], width)];
}

/** Returns a sentence as text, which may hold anything. */
export function lineText(line: Line): string {
  return Array.isArray(line) ? line.map(pieceText).join('') : pieceText(line as Piece);
}

function pieceText(piece: Piece): string {
  if (typeof piece === 'string') return piece;
  if ('amount' in piece) return amountText(piece);
  if ('atMs' in piece) return formatTime(piece.atMs);
  if ('path' in piece) return pieceText(piece.shown);
  return 'word' in piece ? (piece.shown ?? piece.word) : piece.text;
}

const styles: Readonly<Record<Tone, Style | undefined>> = {
  ok: undefined,
  unknown: undefined,
  warning: 'yellow',
  critical: 'bold-red',
};

/** The worst of a cell has its colour. */
function styleOf(line: Line): Style | undefined {
  const tones = [line].flat().flatMap((piece) => (typeof piece === 'object' && 'tone' in piece ? [piece.tone] : []));
  const worst = (['critical', 'warning'] as const).find((tone) => tones.includes(tone));
  return worst && styles[worst];
}
