/**
 * Kubernetes quantities.
 * https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
 */

const form = /^([+-]?)(\d+\.?\d*|\.\d+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+|)$/;

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

/**
 * A quantity in whole units (bytes, for storage), rounded away from zero as Kubernetes' `Quantity.Value()` does, and
 * saturated at ±2^53. A sign is part of the grammar, so a negative quantity gives a negative number: what it means
 * is the caller's business. Undefined when `text` is not a quantity.
 */
export function parseQuantity(text: string): number | undefined {
  const parts = form.exec(text);
  if (parts === null) return undefined;
  const [, sign, number = '', suffix = ''] = parts;
  const [whole = '', fraction = ''] = number.split('.');
  const { multiplier, exponent } = scales.get(suffix) ?? decimal(Number(suffix.slice(1)));
  const digits = whole + fraction;
  const magnitude = ceilScaled(digits, { multiplier, exponent: exponent - fraction.length });
  const value = Number(magnitude < maxValue ? magnitude : maxValue);
  return sign === '-' && value !== 0 ? -value : value;
}

/** `digits · multiplier · 10^exponent`, rounded up; exact up to 2^53. No power grows beyond the length of `digits`. */
function ceilScaled(digits: string, { multiplier, exponent }: Scale): bigint {
  const mantissa = BigInt(digits);
  if (mantissa === 0n) return 0n;
  if (exponent >= saturatingExponent) return maxValue;
  if (exponent >= 0) return mantissa * multiplier * 10n ** BigInt(exponent);
  if (exponent < -(digits.length + multiplierDigits)) return 1n;
  const divisor = 10n ** BigInt(-exponent);
  return (mantissa * multiplier + divisor - 1n) / divisor;
}
