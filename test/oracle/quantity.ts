/** What a suffix multiplies and divides by. */
const scales: Readonly<Record<string, readonly [bigint, bigint]>> = {
  '': [1n, 1n],
  m: [1n, 1000n],
  k: [10n ** 3n, 1n],
  M: [10n ** 6n, 1n],
  G: [10n ** 9n, 1n],
  T: [10n ** 12n, 1n],
  Ki: [2n ** 10n, 1n],
  Mi: [2n ** 20n, 1n],
  Gi: [2n ** 30n, 1n],
  Ti: [2n ** 40n, 1n],
};

/** The bytes of a quantity, rounded up; of the forms that specs have in practice. */
function quantityBytes(text: string): bigint {
  return toBytes(quantityNanos(text));
}

/** Whole bytes, rounded up, of billionths of a byte. */
export function toBytes(nanos: bigint): bigint {
  return (nanos + nanosPerByte - 1n) / nanosPerByte;
}

export const nanosPerByte = 10n ** 9n;

/** The quantity in billionths. */
export function quantityNanos(text: string): bigint {
  const [, whole = '', fraction = '', suffix = ''] = /^(\d+)(?:\.(\d+))?([A-Za-z]*)$/.exec(text) ?? [];
  const [multiplier, divisor] = scales[suffix] ?? [];
  if (whole === '' || multiplier === undefined || divisor === undefined) throw new Error(`no quantity: ${text}`);
  const dividend = BigInt(whole + fraction) * multiplier * nanosPerByte;
  const parts = divisor * 10n ** BigInt(fraction.length);
  return dividend / parts + (dividend % parts === 0n ? 0n : 1n);
}

/** Of `ephemeral-storage` in limits, requests, overhead or allocatable. */
export function storageOf(resources: Readonly<Record<string, string>> | undefined): bigint | undefined {
  const text = resources?.['ephemeral-storage'];
  return text === undefined ? undefined : quantityBytes(text);
}

/** The same in billionths of a byte. */
export function storageNanosOf(resources: Readonly<Record<string, string>> | undefined): bigint | undefined {
  const text = resources?.['ephemeral-storage'];
  return text === undefined ? undefined : quantityNanos(text);
}

export function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}

/** The sum of what is known; undefined when nothing is. */
export function sumOfKnown(amounts: readonly (bigint | undefined)[]): bigint | undefined {
  const known = amounts.filter((amount) => amount !== undefined);
  return known.length === 0 ? undefined : sum(known);
}

/** Undefined when one of them is unknown. */
export function sumOfAll(amounts: readonly (bigint | undefined)[]): bigint | undefined {
  return amounts.reduce<bigint | undefined>((a, b) => (a === undefined || b === undefined ? undefined : a + b), 0n);
}

/** Of at least one. */
export function largest(amounts: readonly bigint[]): bigint {
  return amounts.reduce((a, b) => (a > b ? a : b));
}

/** Whole bytes for each of `count` receivers: the first ones get what does not divide, the first ones owe it when it is negative. */
export function dealt(amount: bigint, count: number): bigint[] {
  if (amount < 0n) return dealt(-amount, count).map((bytes) => -bytes);
  const receivers = BigInt(count);
  return Array.from({ length: count }, (_, place) => (amount + receivers - 1n - BigInt(place)) / receivers);
}
