import { moreText } from '../../lib/base/text.js';
import type { Block, BlockOf, Document, DocumentPart, Line, MoreRows, Statement, Tone } from './document.js';
import { barHtml, curvesHtml, figuresHtml, gridHtml } from './html-drawings.js';
import { type HtmlPlace, lineHtml, nodeText, toneClass } from './html-line.js';
import { tableHtml } from './html-table.js';
import { lines, type Markup, markup, type MarkupContent } from './markup.js';

/** Writes a document as the main part of a page. `form`: stands below the title, and stays when the page is refreshed. One with figures is an overview: all of it is seen at once. */
export function writeHtml({ title: [kind, name], blocks }: Document, place: HtmlPlace, form?: Markup): Markup {
  const isOverview = blocks.some(({ is }) => is === 'figures');
  return markup`<h1${isOverview ? markup` class="visually-hidden"` : undefined}>${kind}${name === '' ? undefined : markup` ${nodeText(name, place)}`}</h1>${form}
<div data-document${isOverview ? markup` class="overview"` : undefined}>${blocks.map((block) => blockHtml(block, idOf(block), place))}</div>`;
}

/** By it, page.js replaces a part by the newer one. */
function idOf(part: DocumentPart): string {
  return part.is === 'section' ? part.id : `part-${part.is}`;
}

/** Parts of a page by what they are. `id`: in the page. */
const writers: { readonly [Is in Block['is']]: (block: BlockOf<Is>, id: string, place: HtmlPlace) => Markup } = {
  verdict: ({ tone, lines, commands }, id, place) =>
    markup`<section id="${id}" class="banner verdict ${tone}" aria-label="Verdict">${lines.map((of) => markup`<p><strong>${lineHtml(of, place)}</strong></p>`)}${commandList(commands)}</section>`,
  verdicts: verdictsHtml,
  text: ({ line, tone = 'ok' }, id, place) =>
    markup`<p id="${id}" class="${toneClass(tone)}">${lineHtml(line, place)}</p>`,
  facts: factsHtml,
  code: ({ caption, text }, id) =>
    markup`<pre tabindex="0" role="region" aria-label="${caption}" data-key="${id}">${lines(text)}</pre>`,
  list: (list, _id, place) =>
    markup`<ul class="lines small">${list.items.map((item) => markup`<li>${lineHtml(item, place)}</li>`)}</ul>${more(list.items.length, list)}`,
  table: (table, id, place) =>
    markup`<div id="${id}">${table.rows.length === 0 ? markup`<p class="muted">${table.none}</p>` : tableHtml(table, place)}${more(table.rows.length, table, place.moreHref)}</div>`,
  bar: barHtml,
  curves: curvesHtml,
  figures: figuresHtml,
  grid: (grid, _id, place) => gridHtml(grid, place),
  section: sectionHtml,
};

function blockHtml(block: Block, id: string, place: HtmlPlace): Markup {
  const write = writers[block.is] as (block: Block, id: string, place: HtmlPlace) => Markup;
  const html = write(block, id, place);
  if (block.is === 'section' || !('detail' in block) || block.detail !== 'folded') return html;
  return folded(id, 'caption' in block ? block.caption : 'More', html);
}

function folded(id: string, summary: string, body: MarkupContent): Markup {
  return markup`<details id="fold-${id}" class="fold"><summary data-key="fold-${id}">${summary}</summary>${body}</details>`;
}

/** A section that page.js replaces as a whole. */
function sectionHtml({ id, title, note, blocks, detail }: BlockOf<'section'>, _id: string, place: HtmlPlace): Markup {
  const inside = blocks.map((each, index) => {
    const caption =
      each.is === 'table' && each.detail === undefined && index > 0 ? markup`<h3>${each.caption}</h3>` : undefined;
    return markup`${caption}${blockHtml(each, `${id}-${index}`, place)}`;
  });
  const aside = note === undefined ? undefined : markup`<p class="small muted">${lineHtml(note, place)}</p>`;
  return markup`<section id="${id}" data-part class="panel" aria-labelledby="${id}-title">
<div class="head"><h2 id="${id}-title">${title}</h2>${aside}</div>
${detail === 'folded' ? folded(id, 'Show', inside) : inside}
</section>
`;
}

/** For readers who see no colours, and for programs that read the page aloud. */
const symbols: Readonly<Record<Tone, string>> = { ok: '✓', unknown: '?', warning: '!', critical: '✕' };

/** One below the other, each with all of its sentences in one paragraph, and its own commands. */
function verdictsHtml({ title, verdicts, more }: BlockOf<'verdicts'>, id: string, place: HtmlPlace): Markup {
  const html = (of: Line): MarkupContent => lineHtml(of, place);
  const item = ({ tone, lines: [first = '', ...others], commands }: Statement): Markup =>
    markup`<li class="${tone}"><p><span class="symbol" aria-hidden="true">${symbols[tone]}</span> <span class="visually-hidden">${tone}: </span><strong>${html(first)}</strong>${others.map((of) => markup` ${html(of)}`)}</p>${commandList(commands)}</li>`;
  const rest = more === undefined ? undefined : markup`<p class="more">${html(more)}</p>`;
  return markup`<section id="${id}" class="verdicts" aria-label="${title}"><ul>${verdicts.map(item)}</ul>${rest}</section>`;
}

function commandList(commands: readonly string[]): Markup | undefined {
  if (commands.length === 0) return undefined;
  return markup`<ul class="commands small">${commands.map((command) => markup`<li><code>${command}</code></li>`)}</ul>`;
}

function factsHtml({ facts }: BlockOf<'facts'>, id: string, place: HtmlPlace): Markup {
  const known = Object.entries(facts).flatMap(([name, value]) =>
    value === undefined ? [] : [markup`<div><dt>${name}</dt><dd>${lineHtml(value, place)}</dd></div>`],
  );
  return markup`<dl id="${id}" class="facts small">${known}</dl>`;
}

function more(shownCount: number, { totalCount = shownCount, what }: MoreRows, href?: string): Markup | undefined {
  const text = moreText(shownCount, totalCount, what);
  if (text === '') return undefined;
  return markup`<p class="more">${href === undefined ? text : markup`<a href="${href}" data-key="more">${text}</a>`}</p>`;
}
