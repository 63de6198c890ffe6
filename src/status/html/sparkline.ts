import type { LastUsageReport } from '../../report/eviction-report.js';
import { type Markup, markup } from './markup.js';

const small = { width: 72, height: 20 };

/** The samples as a line above zero; at least two. `text`: the same in words. */
export function sparkline(samples: LastUsageReport['samples'], text: string, { width, height } = small): Markup {
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
