import type { BlockOf, KeyFigure, Line } from './document.js';
import { type Markup, markup, type MarkupContent } from './markup.js';

/** One beside the other, each a link as a whole. */
export function figuresHtml(
  { title, figures }: BlockOf<'figures'>,
  id: string,
  html: (line: Line) => MarkupContent,
): Markup {
  const tile = ({ name, value, note, tone, bars }: KeyFigure): Markup =>
    markup`<div class="${tone}"><dt>${html(name)}</dt><dd class="value">${html(value)}${bars && barsHtml(bars)}</dd><dd class="small muted">${html(note)}</dd></div>`;
  return markup`<section id="${id}" aria-label="${title}"><dl class="tiles">${figures.map(tile)}</dl></section>`;
}

const barWidth = 4;
const height = 20;

function barsHtml({ caption, counts }: NonNullable<KeyFigure['bars']>): Markup {
  const most = Math.max(1, ...counts);
  const rectangles = counts.map((count, index) => {
    const tall = count === 0 ? 1 : Math.max(3, Math.round((count / most) * height));
    return markup`<rect x="${index * barWidth}" y="${height - tall}" width="${barWidth - 1}" height="${tall}"/>`;
  });
  return markup` <svg class="hours" width="${counts.length * barWidth}" height="${height}" role="img" aria-label="${caption}: ${counts.join(', ')}">${rectangles}</svg>`;
}
