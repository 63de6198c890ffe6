/**
 * Kubernetes quantities.
 * https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
 */

const form = /^([+-]?)(\d+(?:\.\d*)?|\.\d+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+|)$/;

interface Scale {
  readonly multiplier: bigint;
  /** Power of ten. */
  readonly exponent: number;
}

const binary = (power: number): Scale => ({ multiplier: 2n ** BigInt(power), exponent: 0 });
const decimal = (exponent: number): Scale => ({ multiplier: 1n, exponent });

const scales: ReadonlyMap<string, Scale> = new Map([
  ['n', decimal(-9)],
  ['u', decimal(-6)],
  ['m', decimal(-3)],
  ['', decimal(0)],
  ['k', decimal(3)],
  ['M', decimal(6)],
  ['G', decimal(9)],
  ['T', decimal(12)],
  ['P', decimal(15)],
  ['E', decimal(18)],
  ['Ki', binary(10)],
  ['Mi', binary(20)],
  ['Gi', binary(30)],
  ['Ti', binary(40)],
  ['Pi', binary(50)],
  ['Ei', binary(60)],
]);

/** Largest result; 10 to the power of `saturatingExponent` is above it. */
const maxValue = 2n ** 53n;
const saturatingExponent = 16;

/** More digits than the largest multiplier, 2^60, has. */
const multiplierDigits = 20;

/** Kubernetes rounds quantities up to billionths when it parses them. */
const nanosPerUnit = 1_000_000_000n;
const nanosPerUnitNumber = Number(nanosPerUnit);

/**
 * A quantity as exact as Kubernetes keeps it: whole units, the rule, are a number; an amount with a fraction keeps that.
 * Usage is whole bytes and the kubelet compares it with the exact limit, so 629,145.5 bytes are less than 629,146.
 */
export type Amount =
  | number
  | {
      readonly roundedUp: number;
      /** Billionths between the amount and `roundedUp`: from 1 to 999,999,999. */
      readonly nanosBelow: number;
    };

/**
 * A quantity in whole units (bytes, for storage), rounded away from zero as Kubernetes' `Quantity.Value()` does, and
 * saturated at ±2^53. A sign is part of the grammar, so a negative quantity gives a negative number: what it means
 * is the caller's business. Undefined when `text` is not a quantity.
 */
export function parseQuantity(text: string): number | undefined {
  const amount = parseAmount(text);
  return amount === undefined ? undefined : roundUp(amount);
}

/** The same with its fraction of a unit; negative ones, which no limit is, are rounded away from zero. */
export function parseAmount(text: string): Amount | undefined {
  const parsed = parse(text);
  if (parsed === undefined) return undefined;
  const { isNegative, nanos } = parsed;
  const roundedUp = ceilUnits(nanos);
  if (isNegative) return roundedUp === 0 ? 0 : -roundedUp;
  const nanosBelow = Number(BigInt(roundedUp) * nanosPerUnit - nanos);
  return nanosBelow <= 0 || nanosBelow >= nanosPerUnitNumber ? roundedUp : { roundedUp, nanosBelow };
}

function parse(text: string): { readonly isNegative: boolean; readonly nanos: bigint } | undefined {
  const parts = form.exec(text);
  if (parts === null) return undefined;
  const [, sign, number = '', suffix = ''] = parts;
  const [whole = '', fraction = ''] = number.split('.');
  const scale = scales.get(suffix) ?? exponentScale(suffix.slice(1));
  if (scale === undefined) return undefined;
  const exponent = in32Bits(BigInt(scale.exponent - fraction.length));
  return { isNegative: sign === '-', nanos: ceilNanos(whole + fraction, { ...scale, exponent }) };
}

/**
 * Kubernetes refuses an exponent that 64 bits do not hold and keeps the low 32 bits of the others: `1e4294967296`, which the API
 * server repeats as it was written, is 1.
 * https://github.com/kubernetes/kubernetes/pull/142395
 */
function exponentScale(text: string): Scale | undefined {
  const exponent = BigInt(text);
  return BigInt.asIntN(64, exponent) === exponent ? decimal(in32Bits(exponent)) : undefined;
}

function in32Bits(exponent: bigint): number {
  return Number(BigInt.asIntN(32, exponent));
}

/** `digits · multiplier · 10^exponent` in billionths, rounded up; saturated. No power grows beyond the length of `digits`. */
function ceilNanos(digits: string, { multiplier, exponent }: Scale): bigint {
  const mantissa = BigInt(digits);
  if (mantissa === 0n) return 0n;
  if (exponent >= saturatingExponent) return maxValue * nanosPerUnit;
  const nanoExponent = exponent + 9;
  if (nanoExponent >= 0) return mantissa * multiplier * 10n ** BigInt(nanoExponent);
  if (nanoExponent < -(digits.length + multiplierDigits)) return 1n;
  const divisor = 10n ** BigInt(-nanoExponent);
  return (mantissa * multiplier + divisor - 1n) / divisor;
}

function ceilUnits(nanos: bigint): number {
  const units = (nanos + nanosPerUnit - 1n) / nanosPerUnit;
  return Number(units < maxValue ? units : maxValue);
}

/** In whole units, rounded up. */
export function roundUp(amount: Amount): number {
  return typeof amount === 'number' ? amount : amount.roundedUp;
}

/** Writes an amount as the API server does when no larger suffix fits. */
export function formatQuantity(amount: Amount): string {
  if (typeof amount === 'number') return String(amount);
  const nanos = BigInt(amount.roundedUp) * nanosPerUnit - BigInt(amount.nanosBelow);
  if (nanos % 1_000_000n === 0n) return `${nanos / 1_000_000n}m`;
  return nanos % 1000n === 0n ? `${nanos / 1000n}u` : `${nanos}n`;
}

function nanosBelow(amount: Amount): number {
  return typeof amount === 'number' ? 0 : amount.nanosBelow;
}

export function addAmounts(a: Amount, b: Amount): Amount {
  if (typeof a === 'number' && typeof b === 'number') return a + b;
  const below = nanosBelow(a) + nanosBelow(b);
  const carried = below >= nanosPerUnitNumber ? 1 : 0;
  const rest = below - carried * nanosPerUnitNumber;
  const roundedUp = roundUp(a) + roundUp(b) - carried;
  return rest === 0 ? roundedUp : { roundedUp, nanosBelow: rest };
}

/** Negative when `a` is less. */
export function compareAmounts(a: Amount, b: Amount): number {
  return roundUp(a) - roundUp(b) || nanosBelow(b) - nanosBelow(a);
}

/** `used − amount`, in the form that compares by its parts. */
export function excessOver(used: number, amount: Amount): { readonly units: number; readonly nanos: number } {
  return { units: used - roundUp(amount), nanos: nanosBelow(amount) };
}

/** Whether `used` whole units are more than the amount. */
export function isAbove(used: number, amount: Amount): boolean {
  return used > roundUp(amount) || (used === roundUp(amount) && nanosBelow(amount) > 0);
}

/**
 * `used / amount`: above 1 exactly when {@link isAbove}, however little. Of an amount of 0, `Infinity`, or 0 when nothing
 * is used.
 */
export function ratioTo(used: number, amount: Amount): number {
  if (amount === 0) return used > 0 ? Infinity : 0;
  if (typeof amount === 'number') return used / amount;
  const ratio = used / (amount.roundedUp - amount.nanosBelow / nanosPerUnitNumber);
  if (isAbove(used, amount)) return Math.max(ratio, 1 + Number.EPSILON);
  return Math.min(ratio, 1);
}
