import { amountText, type BlockOf, type GridTile } from './document.js';
import type { HtmlWriter } from './html-kit.js';
import { type Markup, markup } from './markup.js';

/** Up to here tiles have names. */
const namedCount = 60;

/** A tile for each, which is a link; the legend says what the letters mean. */
export function gridHtml({ legend, groups, more }: BlockOf<'grid'>, place: HtmlWriter): Markup {
  const isNamed = groups.reduce((sum, { tiles }) => sum + tiles.length, 0) <= namedCount;
  const rest = more === undefined ? undefined : markup`<p class="more">${place.line(more)}</p>`;
  const marks = legend.map(
    ({ text, ...mark }) =>
      markup`<li><span class="tile ${tileClass(mark)}" aria-hidden="true">${mark.letter}</span>${text}</li>`,
  );
  return markup`<ul class="legend" aria-label="Legend">${marks}</ul>${groups.map(
    ({ name, title, tiles }) =>
      markup`${title === undefined ? undefined : markup`<h3>${title}</h3>`}<ul class="grid${isNamed ? ' named' : ''}" aria-label="${name}">${tiles.map((tile) => markup`<li>${isNamed ? named(tile, place) : small(tile, place)}</li>`)}</ul>`,
  )}${rest}`;
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
function named(tile: GridTile, { href, nodeText }: HtmlWriter): Markup {
  const { name, path, letter, state, full } = tile;
  const percent = full.amount === undefined ? undefined : amountText(full);
  return markup`<a class="${classOf(tile)}" href="${href(path)}" title="${labelOf(tile)}"><span class="tile-name">${nodeText(name)}</span><span>${letter} ${percent}<span class="visually-hidden"> ${percent === undefined ? '' : 'full, '}${state}</span></span></a>`;
}

function small(tile: GridTile, { href }: HtmlWriter): Markup {
  const label = labelOf(tile);
  return markup`<a class="${classOf(tile)}" href="${href(tile.path)}" aria-label="${label}" title="${label}">${tile.letter}</a>`;
}
