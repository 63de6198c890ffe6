/** Values as Go reads them from YAML. */

/** https://yaml.org/type/bool.html */
const booleans: ReadonlyMap<string, boolean> = new Map([
  ...['y', 'yes', 'on', 'true'].map((word) => [word, true] as const),
  ...['n', 'no', 'off', 'false'].map((word) => [word, false] as const),
]);

/** Undefined for another text. Of capital letters, only `Yes` and `YES` are accepted. */
export function parseBoolean(text: string): boolean | undefined {
  return /^(?:[A-Z]?[a-z]*|[A-Z]+)$/.test(text) ? booleans.get(text.toLowerCase()) : undefined;
}

const unitsMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

const durationForm = /^[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/;

/** Milliseconds of `1.5s` or `1m30s`; a number without a unit is nanoseconds. https://pkg.go.dev/time#ParseDuration */
export function parseGoDuration(text: string): number | undefined {
  if (/^[-+]?\d+$/.test(text)) return Number(text) / 1e6;
  if (!durationForm.test(text)) return undefined;
  const parts = [...text.matchAll(/([\d.]+)([a-zµμ]+)/g)];
  const durationMs = parts.reduce((sumMs, [, count, unit = '']) => sumMs + Number(count) * (unitsMs[unit] ?? NaN), 0);
  return text.startsWith('-') ? -durationMs : durationMs;
}

/**
 * Whether Go takes a text for a hash of bcrypt: `$2y$10$` and 53 characters.
 * https://pkg.go.dev/golang.org/x/crypto/bcrypt#Cost
 */
export function isBcryptHash(text: string): boolean {
  const [, cost] = /^\$[ -2][^$]?\$(\d\d)/.exec(text) ?? [];
  return Buffer.byteLength(text) >= 59 && Number(cost) >= 4 && Number(cost) <= 31;
}
