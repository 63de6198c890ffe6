/** A part in an amount that is shared. */
export interface Share<T> {
  readonly receiver: T;
  /** How many the receiver stands for, each with the same part: 1 as a rule. */
  readonly count: number;
}

/**
 * Adds `bytes` to the receivers, split evenly. Whole bytes: what does not divide goes to the first receivers, one byte
 * for each that they stand for. A negative amount is the mirror image: the first receivers lose one byte more. Exact for
 * amounts up to 2^53 in size. Without receivers nothing is added.
 */
export function addShares(shares: readonly Share<{ usedBytes: number }>[], bytes: number): void {
  let count = 0;
  for (const share of shares) count += share.count;
  const remainder = bytes % count;
  const each = (bytes - remainder) / count;
  let extraCount = Math.abs(remainder);
  for (const { receiver, count: ownCount } of shares) {
    const ownExtra = Math.min(ownCount, extraCount);
    extraCount -= ownExtra;
    receiver.usedBytes += each * ownCount + Math.sign(remainder) * ownExtra;
  }
}
