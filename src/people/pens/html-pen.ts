import { formatCount, moreText } from '../../lib/base/text.js';
import {
  amountText,
  type Block,
  type BlockOf,
  type Document,
  type DocumentPart,
  type Line,
  type Piece,
  type Statement,
  type Tone,
} from './document.js';
import { barHtml } from './html-bar.js';
import { curvesHtml } from './html-curve.js';
import { figuresHtml } from './html-figures.js';
import { gridHtml } from './html-grid.js';
import { emptyText, type HtmlWriter, panel, term, timePart, toneClass } from './html-kit.js';
import { tableHtml, toned } from './html-table.js';
import { lines, type Markup, markup, type MarkupContent } from './markup.js';

/** The page that a document is written for. */
export interface HtmlPlace {
  /** The address of the page at `/`, relative to it; ends with `/`. */
  readonly root: string;
  /** Shows a name without what the names of all nodes end with, and the whole of it to those who ask. */
  nodeText(name: string): Markup;
  /** The same for a sentence with such names. */
  shortened(text: string): string;
  /** The address of the same list in another order; without it, columns lead nowhere. */
  readonly orderHref?: (order: string) => string;
  /** The address of as many rows of the list as there may be; without it, the number of the others is said alone. */
  readonly moreHref?: string | undefined;
}

/** Writes a document as the main part of a page. `form`: stands below the title, and stays when the page is refreshed. One with figures is an overview: all of it is seen at once. */
export function writeHtml({ title: [kind, name], blocks }: Document, place: HtmlPlace, form?: Markup): Markup {
  const isOverview = blocks.some(({ is }) => is === 'figures');
  return markup`<h1${isOverview ? markup` class="visually-hidden"` : undefined}>${kind}${name === '' ? undefined : markup` ${place.nodeText(name)}`}</h1>${form}
<div data-document${isOverview ? markup` class="overview"` : undefined}>${blocks.map((block) => blockHtml(block, idOf(block), place))}</div>`;
}

/** By it, page.js replaces a part by the newer one. */
function idOf(part: DocumentPart): string {
  return part.is === 'section' ? part.id : `part-${part.is}`;
}

/** `id`: of the block in the page. */
function blockHtml(block: Block, id: string, place: HtmlPlace): Markup {
  if (block.is === 'section') return sectionHtml(block, place);
  const html = isOfWords(block) ? wordsHtml(block, id, place) : drawnHtml(block, id, place);
  if (!('detail' in block) || block.detail !== 'folded') return html;
  const summary = 'caption' in block ? block.caption : 'More';
  return folded(id, summary, html);
}

function folded(id: string, summary: string, body: MarkupContent): Markup {
  return markup`<details id="fold-${id}" class="fold"><summary data-key="fold-${id}">${summary}</summary>${body}</details>`;
}

function sectionHtml({ id, title, note, blocks, detail }: BlockOf<'section'>, place: HtmlPlace): Markup {
  const inside = blocks.map((each, index) => {
    const caption =
      each.is === 'table' && each.detail === undefined && index > 0 ? markup`<h3>${each.caption}</h3>` : undefined;
    return markup`${caption}${blockHtml(each, `${id}-${index}`, place)}`;
  });
  const aside = note === undefined ? undefined : markup`<p class="small muted">${lineHtml(note, place)}</p>`;
  return panel({ id, title, aside }, detail === 'folded' ? folded(id, 'Show', inside) : inside);
}

type WordsBlock = BlockOf<'text' | 'facts' | 'list' | 'table'>;

function isOfWords(block: Block): block is WordsBlock {
  return ['text', 'facts', 'list', 'table'].includes(block.is);
}

function drawnHtml(
  block: BlockOf<'verdict' | 'verdicts' | 'bar' | 'curves' | 'code' | 'figures' | 'grid'>,
  id: string,
  place: HtmlPlace,
): Markup {
  const html = (of: Line): MarkupContent => lineHtml(of, place);
  switch (block.is) {
    case 'verdict':
      return verdictHtml(block, id, html);
    case 'verdicts':
      return verdictsHtml(block, id, html);
    case 'bar':
      return barHtml(block);
    case 'curves':
      return curvesHtml(block);
    case 'figures':
      return figuresHtml(block, id, html);
    case 'grid':
      return gridHtml(block, writerOf(place));
    case 'code':
      return markup`<pre tabindex="0" role="region" aria-label="${block.caption}" data-key="${id}">${lines(block.text)}</pre>`;
  }
}

function verdictHtml({ tone, lines, commands }: Statement, id: string, html: (line: Line) => MarkupContent): Markup {
  return markup`<section id="${id}" class="banner verdict ${tone}" aria-label="Verdict">${lines.map((of) => markup`<p><strong>${html(of)}</strong></p>`)}${commandList(commands)}</section>`;
}

/** For readers who see no colours, and for programs that read the page aloud. */
const symbols: Readonly<Record<Tone, string>> = { ok: '✓', unknown: '?', warning: '!', critical: '✕' };

/** One below the other, each with all of its sentences in one paragraph, and its own commands. */
function verdictsHtml(
  { title, verdicts, more }: BlockOf<'verdicts'>,
  id: string,
  html: (line: Line) => MarkupContent,
): Markup {
  const item = ({ tone, lines: [first = '', ...others], commands }: Statement): Markup =>
    markup`<li class="${tone}"><p><span class="symbol" aria-hidden="true">${symbols[tone]}</span> <span class="visually-hidden">${tone}: </span><strong>${html(first)}</strong>${others.map((of) => markup` ${html(of)}`)}</p>${commandList(commands)}</li>`;
  const rest = more === undefined ? undefined : markup`<p class="more">${html(more)}</p>`;
  return markup`<section id="${id}" class="verdicts" aria-label="${title}"><ul>${verdicts.map(item)}</ul>${rest}</section>`;
}

function commandList(commands: readonly string[]): Markup | undefined {
  if (commands.length === 0) return undefined;
  return markup`<ul class="commands small">${commands.map((command) => markup`<li><code>${command}</code></li>`)}</ul>`;
}

function wordsHtml(block: WordsBlock, id: string, place: HtmlPlace): Markup {
  const html = (of: Line): MarkupContent => lineHtml(of, place);
  switch (block.is) {
    case 'text':
      return markup`<p id="${id}" class="${toneClass(block.tone ?? 'ok')}">${html(block.line)}</p>`;
    case 'facts': {
      const known = Object.entries(block.facts).flatMap(([name, value]) =>
        value === undefined ? [] : [markup`<div><dt>${name}</dt><dd>${html(value)}</dd></div>`],
      );
      return markup`<dl id="${id}" class="facts small">${known}</dl>`;
    }
    case 'list':
      return markup`<ul class="lines small">${block.items.map((item) => markup`<li>${html(item)}</li>`)}</ul>${more(block.items.length, block)}`;
    case 'table':
      return markup`<div id="${id}">${rowsHtml(block, place)}${more(block.rows.length, block, place.moreHref)}</div>`;
  }
}

function rowsHtml(table: BlockOf<'table'>, place: HtmlPlace): Markup {
  return table.rows.length === 0 ? emptyText(table.none ?? '') : tableHtml(table, writerOf(place));
}

function writerOf(place: HtmlPlace): HtmlWriter {
  return {
    line: (line) => lineHtml(line, place),
    href: (path) => hrefOf(path, place),
    nodeText: (name) => place.nodeText(name),
    orderHref: place.orderHref,
  };
}

function hrefOf(path: readonly string[], { root }: HtmlPlace): string {
  return root + path.map((part) => encodeURIComponent(part.toWellFormed())).join('/');
}

function more(
  shownCount: number,
  { totalCount = shownCount, what }: { readonly totalCount?: number; readonly what?: string },
  href?: string,
): Markup | undefined {
  const text = moreText(shownCount, totalCount, what);
  if (text === '') return undefined;
  return markup`<p class="more">${href === undefined ? text : markup`<a href="${href}" data-key="more">${text}</a>`}</p>`;
}

function lineHtml(line: Line, place: HtmlPlace): MarkupContent {
  return Array.isArray(line) ? line.map((piece: Piece) => pieceHtml(piece, place)) : pieceHtml(line as Piece, place);
}

function pieceHtml(piece: Piece, place: HtmlPlace): MarkupContent {
  if (typeof piece === 'string') return place.shortened(piece);
  if ('atMs' in piece) return timePart(piece.atMs);
  if ('word' in piece) return term(piece.word, piece.shown);
  if ('path' in piece) {
    const shown = typeof piece.shown === 'string' ? place.nodeText(piece.shown) : timePart(piece.shown.atMs);
    const query = piece.query === undefined ? '' : `?${new URLSearchParams(piece.query).toString()}`;
    const section = piece.section === undefined ? '' : `#${piece.section}`;
    return markup`<a href="${hrefOf(piece.path, place)}${query}${section}">${shown}</a>`;
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
