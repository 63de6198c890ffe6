import { amountText, type BarPart, type BlockOf } from './document.js';
import { type Markup, markup } from './markup.js';

const labelHeight = 18;
const rowHeight = 26;
/** Narrower parts have no place for their names. */
const minLabelledPercent = 7;

/** Draws a whole: its parts in one row, as wide as the whole, and below them what those consist of. */
export function barHtml({ caption, unit, whole, parts, marks, isOld }: BlockOf<'bar'>): Markup {
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

const upper = { y: 0, labelY: 13, top: labelHeight };
const lower = { y: labelHeight + rowHeight + 1, labelY: rowHeight + 14, top: 0 };

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
