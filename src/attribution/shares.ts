/**
 * Adds `bytes` to the receivers, split evenly. Whole bytes: what does not divide goes to the first receivers, one byte
 * each. A negative amount is the mirror image: the first receivers lose one byte more. Exact for amounts up to 2^53 in
 * size. Without receivers nothing is added.
 */
export function addShares(receivers: readonly { usedBytes: number }[], bytes: number): void {
  const remainder = bytes % receivers.length;
  const share = (bytes - remainder) / receivers.length;
  for (const [position, receiver] of receivers.entries()) {
    const extra = position < Math.abs(remainder) ? Math.sign(remainder) : 0;
    receiver.usedBytes += share + extra;
  }
}
