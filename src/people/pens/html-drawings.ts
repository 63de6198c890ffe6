import {
  amountText,
  areNamed,
  type BarPart,
  type BlockOf,
  type Curve,
  curveLine,
  type GridTile,
  isFlat,
  type KeyFigure,
  type Measure,
} from './document.js';
import { addressOf, type HtmlPlace, lineHtml, nodeText, timePart } from './html-line.js';
import { type Markup, markup } from './markup.js';

const bar = { labelHeight: 18, rowHeight: 26 };
/** Narrower parts have no place for their names. */
const minLabelledPercent = 7;
const upper = { y: 0, labelY: 13, top: bar.labelHeight };
const lower = { y: bar.labelHeight + bar.rowHeight + 1, labelY: bar.rowHeight + 14, top: 0 };

/** Draws a whole: its parts in one row, as wide as the whole, and below them what those consist of. */
export function barHtml({ caption, unit, whole, parts, marks, isOld }: BlockOf<'bar'>): Markup {
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
export function curvesHtml({ unit, curves }: BlockOf<'curves'>): Markup {
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
export function figuresHtml({ title, figures }: BlockOf<'figures'>, id: string, place: HtmlPlace): Markup {
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
export function gridHtml(grid: BlockOf<'grid'>, place: HtmlPlace): Markup {
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
