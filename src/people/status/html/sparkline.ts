import { formatAge, formatBytes, formatTime } from '../../../lib/base/units.js';
import { type Markup, markup } from '../../pens/markup.js';
import type { LastUsageReport } from '../../report/eviction-report.js';

type Samples = LastUsageReport['samples'];

interface CurveFrame {
  /** Of what the samples are compared with: drawn as a line. */
  readonly limitBytes?: number;
  /** For curves that are compared; of the samples without it. */
  readonly axis?: TimeAxis;
}

interface TimeAxis {
  readonly fromMs: number;
  readonly toMs: number;
}

/** One for all of the samples, so that their curves compare. Of ten minutes at least: what was not measured stays empty. */
export function timeAxis(samples: Samples): TimeAxis {
  const toMs = Math.max(...samples.map(({ atMs }) => atMs));
  return { fromMs: Math.min(toMs - minSpanMs, ...samples.map(({ atMs }) => atMs)), toMs };
}

const minSpanMs = 600_000;

/** A line above zero, as wide as its place. Undefined of fewer than two samples. `what`: of which they are. */
export function sparkline(samples: Samples, what: string, { limitBytes, axis }: CurveFrame = {}): Markup | undefined {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined || samples.length < 2) return undefined;
  const { fromMs, toMs } = axis ?? { fromMs: first.atMs, toMs: last.atMs };
  const spanMs = Math.max(1, toMs - fromMs);
  const scaleBytes = Math.max(1, limitBytes ?? 0, highestOf(samples));
  const yOf = (bytes: number): string => (height - (bytes / scaleBytes) * (height - 2) - 1).toFixed(1);
  const points = samples.map(
    ({ atMs, usedBytes }) => `${(((atMs - fromMs) / spanMs) * width).toFixed(1)},${yOf(usedBytes)}`,
  );
  const line =
    limitBytes === undefined
      ? undefined
      : markup`<line x1="0" x2="${width}" y1="${yOf(limitBytes)}" y2="${yOf(limitBytes)}"/>`;
  return markup`<svg class="spark" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="${what}: ${courseText(samples, limitBytes)}">${line}<polyline points="${points.join(' ')}"/></svg>`;
}

const width = 600;
const height = 72;

function highestOf(samples: Samples): number {
  return Math.max(...samples.map(({ usedBytes }) => usedBytes));
}

/** The curve in words. */
function courseText(samples: Samples, limitBytes: number | undefined): string {
  const [first, last] = [samples[0], samples.at(-1)].map(
    (sample) => `${formatBytes(sample?.usedBytes)} at ${formatTime(sample?.atMs ?? NaN)}`,
  );
  const limit = limitBytes === undefined ? '' : `, limit ${formatBytes(limitBytes)}`;
  return `${first}, ${last}, highest ${formatBytes(highestOf(samples))} of ${samples.length} measurements${limit}`;
}

/** Returns how the first sample became the last one; undefined of fewer than two. */
export function changeText(samples: Samples): string | undefined {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined || samples.length < 2) return undefined;
  const span = formatAge(last.atMs - first.atMs);
  const [from, to, highest] = [first.usedBytes, last.usedBytes, highestOf(samples)].map((bytes) => formatBytes(bytes));
  if (isFlat(samples)) return `no change in ${span}: ${to}`;
  return `${from} to ${to} in ${span}${highest === from || highest === to ? '' : `, highest ${highest}`}`;
}

export function isFlat(samples: Samples): boolean {
  return samples.every(({ usedBytes }) => usedBytes === samples[0]?.usedBytes);
}
