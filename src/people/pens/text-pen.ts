import { countedText, moreText } from '../../lib/base/text.js';
import { formatTime } from '../../lib/base/units.js';
import {
  amountText,
  type Block,
  type BlockOf,
  curveLine,
  type Document,
  type DocumentPart,
  headerOf,
  type Line,
  type MoreRows,
  type Piece,
  type Row,
  type Tone,
} from './document.js';
import { type Column, renderTable } from './table.js';
import { pad, painted, paragraphs, type Style, terminalText, wrap, wrapped } from './terminal-text.js';
import { barLines, gridLines } from './text-drawings.js';

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
  const ofKind = (kind: DocumentPart['is']): Paragraphs =>
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
    if (block.is === 'section') return isDetail(block) ? [block.title] : detailsOf(block);
    return isDetail(block) && 'caption' in block ? [block.caption] : [];
  });
}

function isDetail(block: Block): boolean {
  return 'detail' in block && block.detail !== undefined;
}

type Paragraphs = readonly (readonly string[])[];

function paragraphsOf(block: Block, form: TextForm): Paragraphs {
  if (isDetail(block) && form.isWhole !== true) return [];
  return (writers[block.is] as (block: Block, form: TextForm) => Paragraphs)(block, form);
}

const writers: { readonly [Is in Block['is']]: (block: BlockOf<Is>, form: TextForm) => Paragraphs } = {
  verdict: ({ lines, commands }, { width }) => [
    [...wrapped(lines.map(lineText), width), ...commandLines(commands, width)],
  ],
  verdicts: verdictParagraphs,
  text: ({ line }, { width }) => [wrapped([lineText(line)], width)],
  facts: ({ facts }, form) => [factLines(facts, form)],
  code: ({ text }) => [text.trimEnd().split('\n').map(terminalText)],
  list: (list, { width }) => [[...wrapped(list.items.map(lineText), width), ...moreLines(list.items.length, list)]],
  table: (table, form) => [linesOfTable(table, form)],
  figures: (block, form) => [factLines(factsOf(block), form)],
  grid: (grid, { width }) => [gridLines(grid, width)],
  bar: (bar, { width }) => [barLines(bar, width)],
  curves: ({ curves, unit }, { width }) => [curves.flatMap((curve) => wrapped([curveLine(curve, unit)], width))],
  section: sectionParagraphs,
};

function sectionParagraphs({ title, note, blocks }: BlockOf<'section'>, form: TextForm): Paragraphs {
  const [first, ...others] = blocks
    .flatMap((each, index) => {
      const [lines = [], ...more] = paragraphsOf(each, form);
      const caption =
        each.is === 'table' && index > 0 && lines.length > 0 ? wrapped([`${each.caption}:`], form.width) : [];
      return [[...caption, ...lines], ...more];
    })
    .filter(({ length }) => length > 0);
  return first === undefined ? [] : [[...wrapped([`${title}${noteText(note)}:`], form.width), ...first], ...others];
}

/** A link leads to more on a page. */
function noteText(note: Line | undefined): string {
  const isLink = typeof note === 'object' && 'path' in note;
  return note === undefined || isLink ? '' : ` (${lineText(note)})`;
}

/** Each with its tone, as the program may be read without colours. */
function verdictParagraphs({ verdicts, more }: BlockOf<'verdicts'>, { width, hasColour }: TextForm): Paragraphs {
  const each = verdicts.map(({ tone, lines: [first = '', ...others], commands }) => {
    const style = hasColour === true ? styles[tone] : undefined;
    const [head = '', ...rest] = wrapped([`${tone}: ${lineText(first)}`, ...others.map(lineText)], width);
    return [style === undefined ? head : painted(head, style), ...rest, ...commandLines(commands, width)];
  });
  return [...each, more === undefined ? [] : wrapped([`${lineText(more)}: /${more.path.join('/')}`], width)];
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
function factLines(facts: BlockOf<'facts'>['facts'], { width }: TextForm): readonly string[] {
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
    isOfList && isShare(piece) ? pieceText(piece).replaceAll(' ', '') : pieceText(piece);
  return [line].flat().map(ofPiece).join('');
}

function moreLines(shownCount: number, { totalCount = shownCount, what }: MoreRows): readonly string[] {
  return totalCount > shownCount ? [moreText(shownCount, totalCount, what)] : [];
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

/** As `shellWord` writes it: nothing that a shell would expand or obey. */
const word = String.raw`(?:[\w./:@=,%+-]|'[^'\p{Cc}]*'|"[\w ']*")+`;
const printable = new RegExp(`^(?:kubectl|ssh) (?!-)${word}(?: ${word})*$`, 'u');

/**
 * Writes a line for each command that people may paste into a shell: one program, of those that this project names, whatever
 * answers in the exporter's place; none is broken, so that it can be copied. Says how many others there are.
 */
export function commandLines(commands: readonly string[], width: number): readonly string[] {
  const known = commands.filter((command) => printable.test(command));
  const others = countedText(commands.length - known.length, ['command', 'commands']);
  const note =
    others === '' ? [] : wrapped([`${others} of the exporter left out: not one call of kubectl or ssh.`], width);
  return [...known.map((command) => `  ${terminalText(command)}`), ...note];
}
