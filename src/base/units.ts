import { formatDuration } from './duration.js';

const units = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const;

/** With one decimal from 1 KiB on; `-` for what is not known. */
export function formatBytes(bytes: number | undefined): string {
  if (bytes === undefined) return '-';
  if (Math.abs(bytes) < 1024) return `${bytes}B`;
  let value = bytes / 1024;
  let unit = 0;
  // 1023.95 would be rounded to 1024.0.
  while (Math.abs(value) >= 1023.95 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value.toFixed(1)}${units[unit] ?? ''}`;
}

/** Whole seconds; `-` for what is not known. */
export function formatAge(ageMs: number | undefined): string {
  if (ageMs === undefined) return '-';
  const text = formatDuration(Math.max(0, Math.floor(ageMs / 1000)) * 1000);
  return text === '0' ? '0s' : text;
}

/** Two decimals, never rounded up to a limit that is not reached; `-` for what is not known. */
export function formatRatio(ratio: number | undefined): string {
  if (ratio === undefined) return '-';
  const cut = Math.floor(ratio * 100);
  const hundredths = (cut + 1) / 100 <= ratio ? cut + 1 : cut; // in a double, 0.29 * 100 is below 29
  return (hundredths / 100).toFixed(2);
}
