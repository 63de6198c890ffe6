/** Values as Go reads them from YAML. */
import type { ScalarTag, Tags } from 'yaml';

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

const durationForm = /^[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|[\u00b5\u03bc]s|ms|s|m|h))+$/;

/** The first number that is too large for 64 bits. */
const int64End = 2 ** 63;

/** Milliseconds of `1.5s`, `1m30s` or `0`, less than 292 years. https://pkg.go.dev/time#ParseDuration */
export function parseGoDuration(text: string): number | undefined {
  if (/^[-+]?0$/.test(text)) return 0;
  if (!durationForm.test(text)) return undefined;
  const parts = [...text.matchAll(/([\d.]+)([a-z\u00b5\u03bc]+)/g)];
  const durationMs = parts.reduce((sumMs, [, count, unit = '']) => sumMs + Number(count) * (unitsMs[unit] ?? NaN), 0);
  if (durationMs * 1e6 >= int64End) return undefined;
  return text.startsWith('-') ? -durationMs : durationMs;
}

const integerForm = /^([-+]?)(0x[\da-f]+|0o?[0-7]+|0b[01]+|0|[1-9]\d*)$/i;
const floatForm = /^[-+]?(?:\.\d+|\d+\.?\d*)(?:e[-+]?\d+)?$/i;

/**
 * A number of 64 bits from one without quotation marks: `20`, `1_000`, `0x10`, `017` (octal); `1.5` counts as 1.
 * https://github.com/yaml/go-yaml/blob/v2.4.0/resolve.go
 */
export function parseGoInteger(text: string): number | undefined {
  if (text.startsWith('_')) return undefined;
  const digits = text.replaceAll('_', '');
  const [, sign, literal] = integerForm.exec(digits) ?? [];
  if (literal === undefined) {
    const float = floatForm.test(digits) ? Math.trunc(Number(digits)) : NaN;
    return Math.abs(float) < int64End ? float : undefined;
  }
  const size = BigInt(literal.replace(/^0(?=\d)/, '0o'));
  const integer = sign === '-' ? -size : size;
  return BigInt.asIntN(64, integer) === integer ? Number(integer) : undefined;
}

/**
 * Whether Go takes a text for a hash of bcrypt: `$2y$10$` and 53 characters.
 * https://pkg.go.dev/golang.org/x/crypto/bcrypt#Cost
 */
export function isBcryptHash(text: string): boolean {
  const [, cost] = /^\$[ -2][^$]?\$(\d\d)/.exec(text) ?? [];
  return Buffer.byteLength(text) >= 59 && Number(cost) >= 4 && Number(cost) <= 31;
}

/** A value without quotation marks: only such ones are numbers, booleans and null to Go. One with them is a string. */
export class PlainText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const plainTag: ScalarTag = {
  tag: 'tag:yaml.org,2002:plain',
  default: true,
  test: /^/,
  resolve: (text) => new PlainText(text),
};

/** For the option `customTags` of the YAML parser, with the schema `failsafe`. Keys stay strings. */
export function withPlainText(tags: Tags): Tags {
  return [...tags, plainTag];
}

export type ScalarText = string | PlainText;

export function isScalarText(value: unknown): value is ScalarText {
  return typeof value === 'string' || value instanceof PlainText;
}

export function textOf(value: ScalarText): string {
  return typeof value === 'string' ? value : value.text;
}
