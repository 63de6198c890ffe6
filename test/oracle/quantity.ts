const powers: Readonly<Record<string, readonly [base: bigint, power: bigint]>> = {
  '': [10n, 0n],
  k: [10n, 3n],
  M: [10n, 6n],
  G: [10n, 9n],
  T: [10n, 12n],
  Ki: [2n, 10n],
  Mi: [2n, 20n],
  Gi: [2n, 30n],
  Ti: [2n, 40n],
};

/** The bytes of a quantity, rounded up; of the forms that specs have in practice. */
export function quantityBytes(text: string): bigint {
  const [, whole = '', fraction = '', suffix = ''] = /^(\d+)(?:\.(\d+))?([A-Za-z]*)$/.exec(text) ?? [];
  const [base, power] = powers[suffix] ?? [];
  if (whole === '' || base === undefined || power === undefined) throw new Error(`no quantity: ${text}`);
  const divisor = 10n ** BigInt(fraction.length);
  const scaled = BigInt(whole + fraction) * base ** power;
  return scaled / divisor + (scaled % divisor === 0n ? 0n : 1n);
}

/** Of `ephemeral-storage` in limits, requests, overhead or allocatable. */
export function storageOf(resources: Readonly<Record<string, string>> | undefined): bigint | undefined {
  const text = resources?.['ephemeral-storage'];
  return text === undefined ? undefined : quantityBytes(text);
}

export function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}

/** The sum of what is known; undefined when nothing is. */
export function sumOfKnown(amounts: readonly (bigint | undefined)[]): bigint | undefined {
  const known = amounts.filter((amount) => amount !== undefined);
  return known.length === 0 ? undefined : sum(known);
}

export function largest(amounts: readonly bigint[]): bigint {
  return amounts.reduce((a, b) => (a > b ? a : b), 0n);
}

/** Whole bytes for each of `count` receivers: the first ones get what does not divide, the first ones owe it when it is negative. */
export function dealt(amount: bigint, count: number): bigint[] {
  if (amount < 0n) return dealt(-amount, count).map((bytes) => -bytes);
  const receivers = BigInt(count);
  return Array.from({ length: count }, (_, place) => (amount + receivers - 1n - BigInt(place)) / receivers);
}
