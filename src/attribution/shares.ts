/**
 * Adds `bytes` to `values`, split evenly over the positions in `receivers`. Whole bytes: what does not divide goes to
 * the first receivers, one byte each. A negative amount is the mirror image: the first receivers lose one byte more.
 * Exact for amounts up to 2^53 in size. Without receivers nothing is added.
 */
export function addShares(values: number[], bytes: number, receivers: readonly number[]): void {
  const remainder = bytes % receivers.length;
  const share = (bytes - remainder) / receivers.length;
  receivers.forEach((position, order) => {
    const extra = order < Math.abs(remainder) ? Math.sign(remainder) : 0;
    values[position] = (values[position] ?? 0) + share + extra;
  });
}
