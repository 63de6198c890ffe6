import { curveText, isFlat } from './curve-text.js';
import type { BlockOf, Curve } from './document.js';
import { type Markup, markup } from './markup.js';

const width = 600;
const height = 72;

/** Draws lines above zero, as wide as their place, each with its words; one that is flat, or too short, has words alone. */
export function curvesHtml({ unit, curves }: BlockOf<'curves'>): Markup {
  const times = curves.flatMap(({ samples }) => samples.map(({ atMs }) => atMs));
  const fromMs = Math.min(...times);
  const spanMs = Math.max(1, Math.max(...times) - fromMs);
  return markup`${curves.map((curve) => {
    const text = `${curve.name}: ${curveText(curve, unit)}`;
    return markup`${isFlat(curve) ? undefined : drawn(curve, { text, fromMs, spanMs })}<p class="small">${text}</p>`;
  })}`;
}

function drawn(
  { samples, limit }: Curve,
  { text, fromMs, spanMs }: { readonly text: string; readonly fromMs: number; readonly spanMs: number },
): Markup {
  const scale = Math.max(1, limit ?? 0, ...samples.map(({ amount }) => amount));
  const yOf = (amount: number): string => (height - (amount / scale) * (height - 2) - 1).toFixed(1);
  const points = samples.map(({ atMs, amount }) => `${(((atMs - fromMs) / spanMs) * width).toFixed(1)},${yOf(amount)}`);
  const line =
    limit === undefined ? undefined : markup`<line x1="0" x2="${width}" y1="${yOf(limit)}" y2="${yOf(limit)}"/>`;
  return markup`<svg class="spark" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="${text}">${line}<polyline points="${points.join(' ')}"/></svg>`;
}
