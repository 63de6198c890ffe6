import { formatCount } from '../../lib/base/text.js';
import { formatTime } from '../../lib/base/units.js';
import { amountText, type Line, type Measure, type Piece, type Tone } from './document.js';
import { type Markup, markup, type MarkupContent } from './markup.js';
import { meanings, type Word } from './words.js';

/** The page that a document is written for, and how it leads to the others. */
export interface HtmlPlace {
  /** The address of the page at `/`, relative to it; ends with `/`. */
  readonly root: string;
  /** Returns a sentence in which the names of nodes lack what those of all nodes end with. */
  readonly shortened: (text: string) => string;
  /** The address of the same list in another order; without it, columns lead nowhere. */
  readonly orderHref?: (order: string) => string;
  /** The address of as many rows of the list as there may be; without it, the number of the others is said alone. */
  readonly moreHref?: string | undefined;
}

/**
 * Returns how the page at this path leads to the others: by addresses relative to it, since all of them may be served below a prefix
 * that the exporter does not know. `nodeSuffix`: what the names of all nodes end with, which is not shown.
 */
export function linksFrom(path: string, nodeSuffix = ''): HtmlPlace {
  return {
    root: '../'.repeat(path.split('/').length - 2) || './',
    shortened: nodeSuffix === '' ? (text) => text : shortenedBy(nodeSuffix),
  };
}

/** Where a name ends, and not within one. */
function shortenedBy(suffix: string): (text: string) => string {
  const pattern = new RegExp(`(?<=\\w)${suffix.replaceAll('.', '\\.')}(?![\\w-]|\\.\\w)`, 'g');
  return (text) => text.replaceAll(pattern, '');
}

/** Shows a name that is shortened, and the whole of it to those who ask. */
export function nodeText(name: string, { shortened }: HtmlPlace): Markup {
  const text = shortened(name);
  return text === name ? markup`${name}` : markup`<span title="${name}">${text}</span>`;
}

export function addressOf(root: string, parts: readonly string[]): string {
  return root + parts.map((part) => encodeURIComponent(part.toWellFormed())).join('/');
}

/** With `?`; '' without any. */
export function queryOf(parameters: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(parameters).flatMap(([name, value = '']): [string, string][] =>
    value === '' ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}

export function lineHtml(line: Line, place: HtmlPlace): MarkupContent {
  return Array.isArray(line) ? line.map((piece: Piece) => pieceHtml(piece, place)) : pieceHtml(line as Piece, place);
}

function pieceHtml(piece: Piece, place: HtmlPlace): MarkupContent {
  if (typeof piece === 'string') return place.shortened(piece);
  if ('atMs' in piece) return timePart(piece.atMs);
  if ('word' in piece) return term(piece.word, piece.shown);
  if ('path' in piece) {
    const shown = typeof piece.shown === 'string' ? nodeText(piece.shown, place) : timePart(piece.shown.atMs);
    const section = piece.section === undefined ? '' : `#${piece.section}`;
    return markup`<a href="${addressOf(place.root, piece.path)}${queryOf(piece.query ?? {})}${section}">${shown}</a>`;
  }
  if ('amount' in piece) return toned(exactHtml(piece), piece.tone);
  return toned(piece.isMuted === true ? markup`<span class="muted">${piece.text}</span>` : piece.text, piece.tone);
}

/** A time as an element, to which the script adds the time of the reader's zone. */
export function timePart(atMs: number): Markup {
  return markup`<time datetime="${new Date(atMs).toISOString()}">${formatTime(atMs)}</time>`;
}

/** The word with its meaning, which is shown when it is pointed at, reached by the keyboard, or touched. Not inside of what can be used itself. */
function term(word: Word, text: string = word): Markup {
  return markup`<dfn tabindex="0">${text}<span class="tip" role="tooltip">${meanings[word]}</span></dfn>`;
}

/** Bytes with all digits for those who ask. */
function exactHtml(piece: Measure): MarkupContent {
  const text = amountText(piece);
  const exact = piece.unit === 'bytes' && piece.amount !== undefined ? `${formatCount(piece.amount)} bytes` : text;
  return exact === text || Math.abs(piece.amount ?? 0) < 1024 ? text : markup`<span title="${exact}">${text}</span>`;
}

function toned(shown: MarkupContent, tone: Tone = 'ok'): MarkupContent {
  const name = toneClass(tone);
  return name === '' ? shown : markup`<span class="${name}">${shown}</span>`;
}

/** The class of a text in the colour of a problem; '' for none. */
export function toneClass(tone: Tone): string {
  return tone === 'warning' || tone === 'critical' ? `t-${tone}` : '';
}
