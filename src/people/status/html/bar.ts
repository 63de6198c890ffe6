import { type Markup, markup, type MarkupContent } from '../../pens/markup.js';

export interface Segment {
  /** A colour of the style sheet. */
  readonly colour: string;
  /** Shown as a tooltip. */
  readonly label: string;
  readonly amount: number;
}

export interface Mark {
  readonly kind: 'limit' | 'request';
  readonly label: string;
  readonly amount: number;
}

const fullHeight = 14;
const thinHeight = 6;
/** Narrower segments would be invisible. */
const minPercent = 0.4;

/** A stacked bar. Widths are attributes: the page's policy forbids inline styles. */
export function bar({
  segments,
  marks = [],
  scale,
  text,
  isThin = false,
}: {
  readonly segments: readonly Segment[];
  readonly marks?: readonly Mark[];
  /** The amount that fills the width. Segments are cut off at it; marks beyond it are not drawn. */
  readonly scale: number;
  /** The same in words. */
  readonly text: string;
  /** For amounts that are no part of anything: without a track, which would look like a limit. */
  readonly isThin?: boolean;
}): Markup {
  const height = isThin ? thinHeight : fullHeight;
  const track = isThin ? undefined : markup`<rect class="f-track" width="100%" height="${height}" rx="3"/>`;
  return markup`<svg class="bar" width="100%" height="${height}" role="img" aria-label="${text}">${track}${rectangles(segments, scale, height)}${marks.map((mark) => markOf(mark, scale, height))}</svg>`;
}

function rectangles(segments: readonly Segment[], scale: number, height: number): MarkupContent {
  let startPercent = 0;
  return segments
    .filter(({ amount }) => amount > 0)
    .map(({ colour, label, amount }) => {
      const wantedPercent = scale > 0 ? Math.max(minPercent, (amount / scale) * 100) : 0;
      const widthPercent = Math.max(0, Math.min(wantedPercent, 100 - startPercent));
      const x = startPercent;
      startPercent += widthPercent;
      return markup`<rect class="f-${colour}" x="${percent(x)}" width="${percent(widthPercent)}" height="${height}"><title>${label}</title></rect>`;
    });
}

function markOf({ kind, label, amount }: Mark, scale: number, height: number): MarkupContent {
  if (scale <= 0 || amount > scale) return undefined;
  const [top, length] = kind === 'limit' ? [-3, height + 6] : [height / 2, height / 2 + 3];
  return markup`<rect class="mark ${kind}" x="${percent((amount / scale) * 100)}" y="${top}" width="2" height="${length}" transform="translate(-1 0)"><title>${label}</title></rect>`;
}

function percent(value: number): string {
  return `${Number(value.toFixed(3))}%`;
}
