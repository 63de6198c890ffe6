/** A timestamp as in Kubernetes: RFC 3339 in UTC, whole seconds. */
export function timestamp(atMs: number): string {
  return new Date(atMs).toISOString().replace(/\.\d{3}Z$/, 'Z');
}

/** An age as in kubectl: `45s`, `3m59s`, `12m`, `5h`, `2d`. */
export function humanDuration(durationMs: number): string {
  const seconds = Math.max(0, Math.floor(durationMs / 1000));
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (seconds < 120) return `${seconds}s`;
  if (minutes < 10) return seconds % 60 === 0 ? `${minutes}m` : `${minutes}m${seconds % 60}s`;
  if (minutes < 180) return `${minutes}m`;
  if (hours < 48) return `${hours}h`;
  return `${Math.floor(hours / 24)}d`;
}

/** JSON as Go writes it: `<`, `>` and `&` escaped. */
export function goJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replace(
    /[<>&]/g,
    (character) => `\\u00${character.charCodeAt(0).toString(16)}`,
  );
}

/**
 * A quantity as the API server and the kubelet write it: in the largest binary unit without a fraction, below 1024 in
 * the largest decimal one (`1k`).
 * https://github.com/kubernetes/apimachinery/blob/v0.37.1/pkg/api/resource/quantity.go
 */
export function quantity(value: number): string {
  const [base, units] =
    value < 1024 ? ([1000, ['', 'k']] as const) : ([1024, ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi']] as const);
  let exponent = 0;
  let mantissa = value;
  while (mantissa !== 0 && mantissa % base === 0 && exponent < units.length - 1) {
    mantissa /= base;
    exponent++;
  }
  return `${mantissa}${units[exponent] ?? ''}`;
}
