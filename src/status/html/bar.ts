import { type Content, type Markup, markup } from './markup.js';

export interface Segment {
  /** Name of a colour of the style sheet. */
  readonly colour: string;
  /** Shown when one points at it. */
  readonly label: string;
  readonly amount: number;
}

export interface Mark {
  readonly kind: 'limit' | 'request';
  readonly label: string;
  readonly amount: number;
}

export interface Bar {
  readonly segments: readonly Segment[];
  readonly marks?: readonly Mark[];
  /** What the whole width stands for; parts beyond it are cut off, marks beyond it left out. */
  readonly scale: number;
  /** What the bar says, in words. */
  readonly text: string;
}

const height = 14;
/** Narrower parts would not be seen. */
const leastPercent = 0.4;

/** A stacked bar. Widths are attributes: the page's policy allows no inline style. */
export function bar({ segments, marks = [], scale, text }: Bar): Markup {
  return markup`<svg class="bar" width="100%" height="${height}" role="img" aria-label="${text}"><rect class="f-track" width="100%" height="${height}" rx="3"/>${rectangles(segments, scale)}${marks.map((mark) => markOf(mark, scale))}</svg>`;
}

function rectangles(segments: readonly Segment[], scale: number): Content {
  let startPercent = 0;
  return segments
    .filter(({ amount }) => amount > 0)
    .map(({ colour, label, amount }) => {
      const wantedPercent = scale > 0 ? Math.max(leastPercent, (amount / scale) * 100) : 0;
      const widthPercent = Math.max(0, Math.min(wantedPercent, 100 - startPercent));
      const x = startPercent;
      startPercent += widthPercent;
      return markup`<rect class="f-${colour}" x="${percent(x)}" width="${percent(widthPercent)}" height="${height}"><title>${label}</title></rect>`;
    });
}

function markOf({ kind, label, amount }: Mark, scale: number): Content {
  if (scale <= 0 || amount > scale) return undefined;
  const [top, length] = kind === 'limit' ? [-3, height + 6] : [height / 2, height / 2 + 3];
  return markup`<rect class="mark ${kind}" x="${percent((amount / scale) * 100)}" y="${top}" width="2" height="${length}" transform="translate(-1 0)"><title>${label}</title></rect>`;
}

function percent(value: number): string {
  return `${Number(value.toFixed(3))}%`;
}
