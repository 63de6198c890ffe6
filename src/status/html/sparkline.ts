import type { LastUsageReport } from '../../report/eviction-report.js';
import { type Markup, markup } from './markup.js';

interface SparklineShape {
  readonly width: number;
  readonly height: number;
  /** Of what the samples are compared with: drawn as a line. */
  readonly limitBytes?: number | undefined;
}

const small: SparklineShape = { width: 72, height: 20 };

/** As wide as its panel. */
export const wideShape: SparklineShape = { width: 600, height: 72 };

/** The samples as a line above zero; at least two. `text`: the same in words. */
export function sparkline(samples: LastUsageReport['samples'], text: string, shape = small): Markup {
  const { width, height, limitBytes } = shape;
  const startMs = samples[0]?.atMs ?? 0;
  const spanMs = Math.max(1, (samples.at(-1)?.atMs ?? startMs) - startMs);
  const highestBytes = Math.max(1, limitBytes ?? 0, ...samples.map(({ usedBytes }) => usedBytes));
  const yOf = (bytes: number): string => (height - (bytes / highestBytes) * (height - 2) - 1).toFixed(1);
  const points = samples.map(({ atMs, usedBytes }) => {
    const x = ((atMs - startMs) / spanMs) * width;
    return `${x.toFixed(1)},${yOf(usedBytes)}`;
  });
  const limit =
    limitBytes === undefined
      ? undefined
      : markup`<line x1="0" x2="${width}" y1="${yOf(limitBytes)}" y2="${yOf(limitBytes)}"/>`;
  return markup`<svg class="spark${shape === small ? '' : ' across'}" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="${text}">${limit}<polyline points="${points.join(' ')}"/></svg>`;
}
