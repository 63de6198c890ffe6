import { type Markup, markup } from './markup.js';

interface SparklinePoint {
  readonly atMs: number;
  readonly usedBytes: number;
}

const width = 72;
const height = 20;

/** The samples as a line above zero; at least two. */
export function sparkline(samples: readonly SparklinePoint[], text: string): Markup {
  const startMs = samples[0]?.atMs ?? 0;
  const spanMs = Math.max(1, (samples.at(-1)?.atMs ?? startMs) - startMs);
  const highestBytes = Math.max(1, ...samples.map(({ usedBytes }) => usedBytes));
  const points = samples.map(({ atMs, usedBytes }) => {
    const x = ((atMs - startMs) / spanMs) * width;
    const y = height - (usedBytes / highestBytes) * (height - 2) - 1;
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  return markup`<svg class="spark" width="${width}" height="${height}" role="img" aria-label="${text}"><polyline points="${points.join(' ')}"/></svg>`;
}
