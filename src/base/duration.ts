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
