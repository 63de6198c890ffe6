import { formatCount } from '../../lib/base/text.js';
import { formatTime } from '../../lib/base/units.js';
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
import { tableLines } from './table.js';
import { pad, paragraphs, type Style, terminalText, wrap, wrapped } from './terminal-text.js';
import { commandLines } from './verdict-lines.js';

export interface TextForm {
  /** Columns; Infinity where nobody reads on a screen. */
  readonly width: number;
  readonly hasColour?: boolean;
  /** With the details. */
  readonly isWhole?: boolean;
}

/** Writes a document for a terminal: its verdict, its title with the facts, a paragraph for each other block, and nothing that a terminal would obey. */
export function writeText({ title, blocks }: Document, form: TextForm): string {
  const linesOfKind = (kind: DocumentPart['is']): readonly string[] =>
    blocks.filter(({ is }) => is === kind).flatMap((part) => paragraphsOf(part, form).flat());
  const sections = blocks.filter(({ is }) => is === 'section').flatMap((part) => paragraphsOf(part, form));
  const heading = [...wrapped([title.join(' ')], form.width), ...linesOfKind('facts')];
  return paragraphs([linesOfKind('verdict'), heading, ...sections]);
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
  return block.is === 'table' ? block.caption : '';
}

function paragraphsOf(block: Block, form: TextForm): readonly (readonly string[])[] {
  if (isDetail(block) && form.isWhole !== true) return [];
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
  return note === undefined || isLink ? '' : ` (${textOf(note)})`;
}

const isFilled = (lines: readonly string[]): boolean => lines.length > 0;

function linesOf(block: Exclude<Block, { readonly is: 'section' }>, form: TextForm): readonly string[] {
  const { width } = form;
  switch (block.is) {
    case 'verdict':
      return [...wrapped(block.lines.map(textOf), width), ...commandLines(block.commands, width)];
    case 'text':
      return wrapped([textOf(block.line)], width);
    case 'facts':
      return factLines(block, width);
    case 'list':
      return [...wrapped(block.items.map(textOf), width), ...moreLines(block.items.length, block)];
    case 'table':
      return [...tableLines(columnsOf(block), block.rows, width, form), ...moreLines(block.rows.length, block)];
    case 'bar':
      return barLines(block, width);
    case 'curves':
      return wrapped(
        block.curves.map((curve) => `${curve.name}: ${curveText(curve, block.unit)}`),
        width,
      );
  }
}

/** Values begin in one column, as `kubectl describe` has them, where that leaves them half of the width. */
function factLines({ facts }: BlockOf<'facts'>, width: number): readonly string[] {
  const known = Object.entries(facts).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  const nameWidth = Math.max(...known.map(([name]) => name.length + 3));
  if (2 * nameWidth > width)
    return wrapped(
      known.map(([name, value]) => `${name}: ${textOf(value)}`),
      width,
    );
  return known.flatMap(([name, value]) =>
    wrap(terminalText(textOf(value)), width - nameWidth).map((line, index) =>
      `${pad(index === 0 ? `${name}:` : '', nameWidth, 'left')}${line}`.trimEnd(),
    ),
  );
}

function columnsOf({ columns }: BlockOf<'table'>): Parameters<typeof tableLines<Row>>[0] {
  return columns.map(({ title, isNumber, rank, minWidth }, index) => ({
    header: title.toUpperCase(),
    text: ({ cells }) => textOf(cells[index] ?? ''),
    style: ({ cells }) => styleOf(cells[index] ?? ''),
    ...(isNumber === true && { align: 'right' as const }),
    ...(rank !== undefined && { dropRank: rank }),
    ...(minWidth !== undefined && { minWidth }),
  }));
}

function moreLines(
  shownCount: number,
  { totalCount = shownCount, what = '' }: { readonly totalCount?: number; readonly what?: string },
): readonly string[] {
  return totalCount > shownCount ? [`and ${formatCount(totalCount - shownCount)} more ${what}`.trimEnd()] : [];
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

function textOf(line: Line): string {
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
