import { moreText } from '../../lib/base/text.js';
import {
  amountText,
  areNamed,
  type BarPart,
  type Block,
  type BlockOf,
  type Curve,
  curveLine,
  type Document,
  type GridTile,
  isFlat,
  type KeyFigure,
  type Line,
  type Measure,
  type MoreRows,
  type Statement,
  type Tone,
} from './document.js';
import { addressOf, type HtmlPlace, lineHtml, nodeText, timePart, toneClass } from './html-line.js';
import { tableHtml } from './html-table.js';
import { lines, type Markup, markup, type MarkupContent } from './markup.js';

/** Writes a document as the main part of a page. `form`: stands below the title, and stays when the page is refreshed. One with figures is an overview: all of it is seen at once. */
export function writeHtml({ title: [kind, name], blocks }: Document, place: HtmlPlace, form?: Markup): Markup {
  const isOverview = blocks.some(({ is }) => is === 'figures');
  return markup`<h1${isOverview ? markup` class="visually-hidden"` : undefined}>${kind}${name === '' ? undefined : markup` ${nodeText(name, place)}`}</h1>${form}
<div data-document${isOverview ? markup` class="overview"` : undefined}>${blocks.map((block) => blockHtml(block, block.is === 'section' ? block.id : `part-${block.is}`, place))}</div>`;
}

/** Parts of a page by what they are. `id`: in the page, by which page.js replaces a part by the newer one. */
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

const bar = { labelHeight: 18, rowHeight: 26 };
/** Narrower parts have no place for their names. */
const minLabelledPercent = 7;
const upper = { y: 0, labelY: 13, top: bar.labelHeight };
const lower = { y: bar.labelHeight + bar.rowHeight + 1, labelY: bar.rowHeight + 14, top: 0 };

/** Draws a whole: its parts in one row, as wide as the whole, and below them what those consist of. */
function barHtml({ caption, unit, whole, parts, marks, isOld }: BlockOf<'bar'>): Markup {
  const { labelHeight, rowHeight } = bar;
  const widthOf = (amount: number): string => `${Number(((amount / whole) * 100).toFixed(3))}%`;
  const textOf = ({ name, amount }: BarPart): string => `${name} ${amountText({ amount, unit })}`;
  const label = (part: BarPart, y: number): Markup | undefined =>
    (part.amount / whole) * 100 < minLabelledPercent ? undefined : markup`<text y="${y}">${textOf(part)}</text>`;
  const rowOf = (part: BarPart, at: number, { y, labelY, top }: typeof upper): Markup =>
    markup`<svg x="${widthOf(at)}" y="${y}" width="${widthOf(part.amount)}" height="${labelHeight + rowHeight}" aria-hidden="true"><title>${textOf(part)}</title>${label(part, labelY)}<rect class="f-${part.colour}" y="${top}" width="100%" height="${rowHeight}"/></svg>`;
  const shown = placed(parts, 0);
  const inner = shown.flatMap(({ part, at }) => placed(part.parts ?? [], at));
  const rows = inner.length === 0 ? 1 : 2;
  const drawn = [
    ...shown.map(({ part, at }) => rowOf(part, at, upper)),
    ...inner.map(({ part, at }) => rowOf(part, at, lower)),
  ];
  const lines = marks.map(
    ({ name, at }) =>
      markup`<rect class="mark" x="${widthOf(at)}" y="${labelHeight - 4}" width="2" height="${rows * rowHeight + 10}"><title>${name}</title></rect>`,
  );
  const text = `${caption}: ${shown.map(({ part }) => textOf(part)).join(', ')}`;
  const svg = markup`<svg class="icicle" width="100%" height="${rows * (labelHeight + rowHeight) + 2}" role="img" aria-label="${text}">${drawn}${lines}</svg>`;
  return isOld === true ? markup`<div class="last-known">${svg}</div>` : svg;
}

/** Returns those that have a width, each with where it begins. */
function placed(parts: readonly BarPart[], from: number): readonly { readonly part: BarPart; readonly at: number }[] {
  let end = from;
  return parts
    .filter(({ amount }) => amount > 0)
    .map((part) => {
      end += part.amount;
      return { part, at: end - part.amount };
    });
}

/** `labelHeight`: above a curve, for what the highest line is. */
const plot = { width: 600, height: 72, labelHeight: 16 };

/** Draws lines above zero, as wide as their place, each below its words; one that is flat, or too short, has words alone. */
function curvesHtml({ unit, curves }: BlockOf<'curves'>): Markup {
  const times = curves.flatMap(({ samples }) => samples.map(({ atMs }) => atMs));
  const [from, to] = [Math.min(...times), Math.max(...times)];
  const xOf = (atMs: number): number => ((atMs - from) / Math.max(1, to - from)) * plot.width;
  const all = curves.map((curve) => {
    const text = curveLine(curve, unit);
    return markup`<p class="small">${text}</p>${isFlat(curve) ? undefined : curveHtml(curve, { text, unit, xOf })}`;
  });
  if (curves.every(isFlat)) return markup`${all}`;
  return markup`${all}<p class="times small muted"><span>${timePart(from)}</span><span>${timePart(to)}</span></p>`;
}

function curveHtml(
  { samples, limit }: Curve,
  { text, unit, xOf }: Pick<Measure, 'unit'> & { readonly text: string; readonly xOf: (atMs: number) => number },
): Markup {
  const { width, height, labelHeight } = plot;
  const highest = Math.max(...samples.map(({ amount }) => amount));
  const scale = Math.max(1, highest, limit ?? 0);
  const yOf = (amount: number): number => height - 1 - (amount / scale) * (height - 2);
  const points = samples.map(({ atMs, amount }) => `${xOf(atMs).toFixed(1)},${yOf(amount).toFixed(1)}`);
  const name = limit === undefined ? 'highest' : 'limit';
  const y = yOf(limit ?? highest);
  return markup`<svg class="curve" width="100%" height="${labelHeight + height}" role="img" aria-label="${text}"><text x="100%" y="${(y + labelHeight - 4).toFixed(1)}" text-anchor="end">${name} ${amountText({ amount: limit ?? highest, unit })}</text><svg y="${labelHeight}" width="100%" height="${height}" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none"><line class="${name}" x2="${width}" y1="${y.toFixed(1)}" y2="${y.toFixed(1)}"/><line x2="${width}" y1="${height - 1}" y2="${height - 1}"/><polyline points="${points.join(' ')}"/></svg></svg>`;
}

/** One beside the other, each a link as a whole. */
function figuresHtml({ title, figures }: BlockOf<'figures'>, id: string, place: HtmlPlace): Markup {
  const tile = ({ name, value, note, tone, bars }: KeyFigure): Markup =>
    markup`<div class="${tone}"><dt>${lineHtml(name, place)}</dt><dd class="value">${lineHtml(value, place)}${bars && countsHtml(bars)}</dd><dd class="small muted">${lineHtml(note, place)}</dd></div>`;
  return markup`<section id="${id}" aria-label="${title}"><dl class="tiles">${figures.map(tile)}</dl></section>`;
}

function countsHtml({ caption, counts }: NonNullable<KeyFigure['bars']>): Markup {
  const [width, height] = [4, 20];
  const most = Math.max(1, ...counts);
  const rectangles = counts.map((count, index) => {
    const tall = count === 0 ? 1 : Math.max(3, Math.round((count / most) * height));
    return markup`<rect x="${index * width}" y="${height - tall}" width="${width - 1}" height="${tall}"/>`;
  });
  return markup` <svg class="hours" width="${counts.length * width}" height="${height}" role="img" aria-label="${caption}: ${counts.join(', ')}">${rectangles}</svg>`;
}

/** A tile for each, which is a link; the legend says what the letters mean. */
function gridHtml(grid: BlockOf<'grid'>, place: HtmlPlace): Markup {
  const { legend, groups, more } = grid;
  const tileHtml = areNamed(grid) ? namedTile : smallTile;
  const marks = legend.map(
    ({ text, ...mark }) =>
      markup`<li><span class="tile ${tileClass(mark)}" aria-hidden="true">${mark.letter}</span>${text}</li>`,
  );
  const lists = groups.map(
    ({ name, title, tiles }) =>
      markup`${title === undefined ? undefined : markup`<h3>${title}</h3>`}<ul class="grid${areNamed(grid) ? ' named' : ''}" aria-label="${name}">${tiles.map((tile) => markup`<li>${tileHtml(tile, place)}</li>`)}</ul>`,
  );
  const rest = more === undefined ? undefined : markup`<p class="more">${lineHtml(more, place)}</p>`;
  return markup`<ul class="legend" aria-label="Legend">${marks}</ul>${lists}${rest}`;
}

function tileClass({ tone, isMissing }: Pick<GridTile, 'tone' | 'isMissing'>): string {
  return isMissing ? 'silent' : tone;
}

function classOf(tile: GridTile): string {
  return `tile ${tileClass(tile)} d${Math.min(10, Math.floor((tile.full.amount ?? 0) * 10))}`;
}

function labelOf({ name, state, full }: GridTile): string {
  return `${name}: ${state}${full.amount === undefined ? '' : `, ${amountText(full)} full`}`;
}

/** Named by what is seen on it, so that it can be asked for, and by what a letter means. */
function namedTile(tile: GridTile, place: HtmlPlace): Markup {
  const { name, path, letter, state, full } = tile;
  const percent = full.amount === undefined ? undefined : amountText(full);
  return markup`<a class="${classOf(tile)}" href="${addressOf(place.root, path)}" title="${labelOf(tile)}"><span class="tile-name">${nodeText(name, place)}</span><span>${letter} ${percent}<span class="visually-hidden"> ${percent === undefined ? '' : 'full, '}${state}</span></span></a>`;
}

function smallTile(tile: GridTile, { root }: HtmlPlace): Markup {
  const label = labelOf(tile);
  return markup`<a class="${classOf(tile)}" href="${addressOf(root, tile.path)}" aria-label="${label}" title="${label}">${tile.letter}</a>`;
}
