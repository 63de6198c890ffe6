import { largestKept } from './text.js';

/** As YAML writes them. https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/ */
const units = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi'] as const;

/** With one decimal where there is one, from 1Ki on; `-` for an unknown value. */
export function formatBytes(bytes: number | undefined): string {
  if (bytes === undefined) return '-';
  if (Math.abs(bytes) < 1024) return `${bytes}B`;
  let value = bytes / 1024;
  let unit = 0;
  // toFixed(1) rounds 1023.95 to 1024.0.
  while (Math.abs(value) >= 1023.95 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const text = `${value.toFixed(1).replace('.0', '')}${units[unit] ?? ''}`;
  return bytes >= largestKept ? `${text} or more` : text;
}

/** UTC, to the second; `-` beyond what a Date holds: times of other processes may be any number. */
export function formatTime(atMs: number): string {
  const time = new Date(atMs);
  return Number.isNaN(time.getTime()) ? '-' : `${time.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** In whole seconds; `-` for an unknown value. */
export function formatAge(ageMs: number | undefined): string {
  if (ageMs === undefined) return '-';
  const text = formatDuration(Math.max(0, Math.floor(ageMs / 1000)) * 1000);
  return text === '0' ? '0s' : text;
}

/** Of a forecast: whole minutes, below three of them steps of ten seconds. Growth is no clock. */
export function formatForecast(timeMs: number): string {
  const stepMs = timeMs < 180_000 ? 10_000 : 60_000;
  return formatAge(Math.max(1, Math.round(timeMs / stepMs)) * stepMs);
}

/** Whole percent, rounded down: never to a limit, or to what is near one, that is not reached. `any use` of a limit of 0; `-` for an unknown value. */
export function formatPercent(ratio: number | undefined): string {
  if (ratio === undefined) return '-';
  const whole = Math.floor(ratio * 100 + 1e-9); // 0.29 · 100 is less than 29
  const shown = ratio < 1 ? Math.min(99, whole) : whole;
  return ratio === Infinity ? 'any use' : `${shown.toLocaleString('en-US')} %`;
}

const durationUnits = [
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
] as const;

const durationForm = /^(-?)(?:0|(?=\d)(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?(?:(\d+)ms)?)$/;

/**
 * Milliseconds of `500ms`, `55s`, `1h30m` or `0`: whole numbers with the units h, m, s and ms, each at most once and
 * in this order, as in Prometheus. Accepts a leading `-`; the caller decides whether negative durations are valid.
 * Undefined when `text` is not a duration.
 * https://prometheus.io/docs/prometheus/latest/configuration/configuration/
 */
export function parseDuration(text: string): number | undefined {
  const parts = durationForm.exec(text);
  if (parts === null) return undefined;
  const [, sign, ...counts] = parts;
  const sumMs = durationUnits.reduce((ms, [, unitMs], index) => ms + Number(counts[index] ?? 0) * unitMs, 0);
  return sign === '-' && sumMs !== 0 ? -sumMs : sumMs;
}

/** The shortest text that {@link parseDuration} accepts; for whole milliseconds, 0 or more. */
export function formatDuration(durationMs: number): string {
  let restMs = durationMs;
  const parts = durationUnits.map(([unit, unitMs]) => {
    const count = Math.floor(restMs / unitMs);
    restMs -= count * unitMs;
    return count === 0 ? '' : `${count}${unit}`;
  });
  return parts.join('') || '0';
}
