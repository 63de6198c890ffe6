import { formatCount } from '../../lib/base/text.js';
import {
  amountText,
  type Block,
  type BlockOf,
  type Document,
  type DocumentPart,
  type Line,
  type Piece,
  type Row,
} from './document.js';
import { barHtml } from './html-bar.js';
import { curvesHtml } from './html-curve.js';
import { dataTable, panel, term, timePart, toneClass } from './html-kit.js';
import { type Markup, markup, type MarkupContent } from './markup.js';

/** The page that a document is written for. */
export interface HtmlPlace {
  /** The address of the page at `/`, relative to it; ends with `/`. */
  readonly root: string;
  /** Shows a name without what the names of all nodes end with, and the whole of it to those who ask. */
  nodeText(name: string): Markup;
}

/** Writes a document as the main part of a page. */
export function writeHtml({ title: [kind, name], blocks }: Document, place: HtmlPlace): Markup {
  return markup`<h1>${kind} ${place.nodeText(name)}</h1>
<div data-document>${blocks.map((block) => blockHtml(block, idOf(block), place))}</div>`;
}

/** By it, page.js replaces a part by the newer one. */
function idOf(part: DocumentPart): string {
  return part.is === 'section' ? part.id : `part-${part.is}`;
}

/** `id`: of the block in the page. */
function blockHtml(block: Block, id: string, place: HtmlPlace): Markup {
  if (block.is === 'section') return sectionHtml(block, place);
  const html = simpleHtml(block, id, place);
  if (!('detail' in block) || block.detail !== 'folded') return html;
  const summary = block.is === 'table' ? block.caption : 'More';
  return markup`<details id="fold-${id}" class="fold"><summary data-key="fold-${id}">${summary}</summary>${html}</details>`;
}

function sectionHtml({ id, title, note, blocks, detail }: BlockOf<'section'>, place: HtmlPlace): Markup {
  const inside = blocks.map((each, index) => {
    const caption =
      each.is === 'table' && each.detail === undefined && index > 0 ? markup`<h3>${each.caption}</h3>` : undefined;
    return markup`${caption}${blockHtml(each, `${id}-${index}`, place)}`;
  });
  return panel({
    id,
    title,
    aside: note === undefined ? undefined : markup`<p class="small muted">${lineHtml(note, place)}</p>`,
    body:
      detail === 'folded'
        ? markup`<details id="fold-${id}" class="fold"><summary data-key="fold-${id}">Show</summary>${inside}</details>`
        : markup`${inside}`,
  });
}

function simpleHtml(block: Exclude<Block, { readonly is: 'section' }>, id: string, place: HtmlPlace): Markup {
  const html = (of: Line): MarkupContent => lineHtml(of, place);
  switch (block.is) {
    case 'verdict':
      return markup`<section id="${id}" class="banner verdict ${block.tone}" aria-label="Verdict">${block.lines.map((of) => markup`<p><strong>${html(of)}</strong></p>`)}${commandList(block.commands)}</section>`;
    case 'text':
      return markup`<p class="${toneClass(block.tone ?? 'ok')}">${html(block.line)}</p>`;
    case 'facts': {
      const known = Object.entries(block.facts).flatMap(([name, value]) =>
        value === undefined ? [] : [markup`<div><dt>${name}</dt><dd>${html(value)}</dd></div>`],
      );
      return markup`<dl id="${id}" class="facts small">${known}</dl>`;
    }
    case 'list':
      return markup`<ul class="lines small">${block.items.map((item) => markup`<li>${html(item)}</li>`)}</ul>${more(block.items.length, block)}`;
    case 'table':
      return markup`${tableHtml(block, place)}${more(block.rows.length, block)}`;
    case 'bar':
      return barHtml(block);
    case 'curves':
      return curvesHtml(block);
  }
}

function commandList(commands: readonly string[]): Markup | undefined {
  if (commands.length === 0) return undefined;
  return markup`<ul class="commands small">${commands.map((command) => markup`<li><code>${command}</code></li>`)}</ul>`;
}

function tableHtml({ caption, columns, rows }: BlockOf<'table'>, place: HtmlPlace): Markup {
  const headers = Object.fromEntries(
    columns.map(({ title, isNumber }) => [title, isNumber === true ? ('number' as const) : ('text' as const)]),
  );
  const rowHtml = ({ cells: [first = '', ...others], colour }: Row): Markup => {
    const cell = (of: Line, index: number): Markup => {
      const { title = '', isNumber } = columns[index + 1] ?? {};
      return markup`<td role="cell" class="low${isNumber === true ? ' number' : ''}" data-label="${title}">${lineHtml(of, place)}</td>`;
    };
    return markup`<tr role="row"><th scope="row" role="rowheader">${swatch(colour)}${lineHtml(first, place)}</th>${others.map(cell)}</tr>`;
  };
  return dataTable('stack dense', caption, headers, rows.map(rowHtml));
}

function swatch(colour: string | undefined): Markup | undefined {
  if (colour === undefined) return undefined;
  return markup`<svg class="swatch" width="12" height="12" aria-hidden="true"><rect class="f-${colour}" width="12" height="12" rx="2"/></svg>`;
}

function more(
  shownCount: number,
  { totalCount = shownCount, what = '' }: { readonly totalCount?: number; readonly what?: string },
): Markup | undefined {
  if (totalCount <= shownCount) return undefined;
  return markup`<p class="more">and ${formatCount(totalCount - shownCount)} more ${what}</p>`;
}

function lineHtml(line: Line, place: HtmlPlace): MarkupContent {
  return Array.isArray(line) ? line.map((piece: Piece) => pieceHtml(piece, place)) : pieceHtml(line as Piece, place);
}

function pieceHtml(piece: Piece, place: HtmlPlace): MarkupContent {
  if (typeof piece === 'string') return piece;
  if ('atMs' in piece) return timePart(piece.atMs);
  if ('word' in piece) return term(piece.word, piece.shown);
  if ('path' in piece) {
    const shown = typeof piece.shown === 'string' ? place.nodeText(piece.shown) : timePart(piece.shown.atMs);
    const query = piece.query === undefined ? '' : `?${new URLSearchParams(piece.query).toString()}`;
    return markup`<a href="${place.root}${piece.path.map((part) => encodeURIComponent(part.toWellFormed())).join('/')}${query}">${shown}</a>`;
  }
  if ('amount' in piece) return toned(exactHtml(piece), piece.tone);
  return toned(piece.isMuted === true ? markup`<span class="muted">${piece.text}</span>` : piece.text, piece.tone);
}

/** Bytes with all digits for those who ask. */
function exactHtml(piece: Extract<Piece, { readonly unit: unknown }>): MarkupContent {
  const text = amountText(piece);
  const exact = piece.unit === 'bytes' && piece.amount !== undefined ? `${formatCount(piece.amount)} bytes` : text;
  return exact === text || Math.abs(piece.amount ?? 0) < 1024 ? text : markup`<span title="${exact}">${text}</span>`;
}

function toned(shown: MarkupContent, tone: 'ok' | 'unknown' | 'warning' | 'critical' = 'ok'): MarkupContent {
  const name = toneClass(tone);
  return name === '' ? shown : markup`<span class="${name}">${shown}</span>`;
}
