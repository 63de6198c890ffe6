import { formatCount } from '../../lib/base/text.js';
import { formatTime } from '../../lib/base/units.js';
import { amountText, type Line, type Measure, type Piece, type Tone } from './document.js';
import { addressOf, type HtmlPlace, nodeText, queryOf } from './links.js';
import { type Markup, markup, type MarkupContent } from './markup.js';
import { meanings, type Word } from './words.js';

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
