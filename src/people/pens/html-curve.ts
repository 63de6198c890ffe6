import { curveText, isFlat } from './curve-text.js';
import { amountText, type BlockOf, type Curve } from './document.js';
import { timePart } from './html-kit.js';
import { type Markup, markup } from './markup.js';

const width = 600;
const height = 72;
/** Above it, for what the highest line is. */
const labelHeight = 16;

/** Draws lines above zero, as wide as their place, each below its words; one that is flat, or too short, has words alone. */
export function curvesHtml({ unit, curves }: BlockOf<'curves'>): Markup {
  const times = curves.flatMap(({ samples }) => samples.map(({ atMs }) => atMs));
  const [from, to] = [Math.min(...times), Math.max(...times)];
  const all = curves.map((curve) => {
    const text = `${curve.name}: ${curveText(curve, unit)}`;
    return markup`<p class="small">${text}</p>${isFlat(curve) ? undefined : drawn(curve, { text, unit, from, to })}`;
  });
  if (curves.every(isFlat)) return markup`${all}`;
  return markup`${all}<p class="times small muted"><span>${timePart(from)}</span><span>${timePart(to)}</span></p>`;
}

/** `from` and `to`: what all curves are over. */
function drawn(
  { samples, limit }: Curve,
  {
    text,
    unit,
    from,
    to,
  }: { readonly text: string; readonly from: number; readonly to: number } & Pick<BlockOf<'curves'>, 'unit'>,
): Markup {
  const highest = Math.max(...samples.map(({ amount }) => amount));
  const scale = Math.max(1, highest, limit ?? 0);
  const yOf = (amount: number): number => height - 1 - (amount / scale) * (height - 2);
  const xOf = (atMs: number): number => ((atMs - from) / Math.max(1, to - from)) * width;
  const points = samples.map(({ atMs, amount }) => `${xOf(atMs).toFixed(1)},${yOf(amount).toFixed(1)}`);
  const name = limit === undefined ? 'highest' : 'limit';
  const y = yOf(limit ?? highest);
  return markup`<svg class="curve" width="100%" height="${labelHeight + height}" role="img" aria-label="${text}"><text x="100%" y="${(y + labelHeight - 4).toFixed(1)}" text-anchor="end">${name} ${amountText({ amount: limit ?? highest, unit })}</text><svg y="${labelHeight}" width="100%" height="${height}" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none"><line class="${name}" x2="${width}" y1="${y.toFixed(1)}" y2="${y.toFixed(1)}"/><line x2="${width}" y1="${height - 1}" y2="${height - 1}"/><polyline points="${points.join(' ')}"/></svg></svg>`;
}
