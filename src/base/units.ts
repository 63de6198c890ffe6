import { formatDuration } from './duration.js';

const units = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const;

/** With one decimal from 1 KiB on; `-` for an unknown value. */
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
  return `${value.toFixed(1)}${units[unit] ?? ''}`;
}

/** In whole seconds; `-` for an unknown value. */
export function formatAge(ageMs: number | undefined): string {
  if (ageMs === undefined) return '-';
  const text = formatDuration(Math.max(0, Math.floor(ageMs / 1000)) * 1000);
  return text === '0' ? '0s' : text;
}

/** Two decimals, never rounded up to a limit that is not reached; `+Inf` of a limit of 0; `-` for an unknown value. */
export function formatRatio(ratio: number | undefined): string {
  if (ratio === undefined) return '-';
  if (ratio === Infinity) return '+Inf';
  const floor = Math.floor(ratio * 100);
  const hundredths = (floor + 1) / 100 <= ratio ? floor + 1 : floor; // in a double, 0.29 * 100 is below 29
  return (hundredths / 100).toFixed(2);
}
