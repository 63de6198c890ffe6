const colon = 0x3a;
const maxHeadBytes = 64;

/** Whatever JSON of this size holds, JSON.parse takes a millisecond or two at most. What is larger must be scanned first. */
export const maxUncheckedBytes = 16 * 1024;

/**
 * Finds ends of items of a JSON array without a look at each of their bytes. What Go encodes begins each item with the same
 * member: before a `,{"podRef":` an item ends as a rule. Whether it does, JSON.parse decides: a text from the beginning of an
 * item to a comma is, between brackets, a JSON array only when that comma is between two items, or the text is blank.
 */
export class LikelyItems {
  /** A comma and what follows it up to the colon of the item's first member. */
  #head: Buffer | undefined;
  #isMisled = false;
  /** Whether there are no more in the current piece. */
  #isExhausted = false;

  beginPiece(): void {
    this.#isExhausted = false;
  }

  /**
   * Index of the last comma within 16 KiB that is likely to end an item, where one begins at `start`. After the first undefined
   * there are no more in this piece: a search from each item on would take longer than a scan.
   */
  endOf(piece: Buffer, start: number): number | undefined {
    if (this.#isMisled || this.#isExhausted) return undefined;
    const window = piece.subarray(start, start + maxUncheckedBytes);
    this.#head ??= headOf(window);
    const length = this.#head === undefined ? -1 : window.lastIndexOf(this.#head);
    this.#isExhausted = length <= 0;
    return this.#isExhausted ? undefined : start + length;
  }

  /** To be called when an end was wrong: from then on there are none. */
  misled(): void {
    this.#isMisled = true;
  }
}

function headOf(item: Buffer): Buffer | undefined {
  const end = item.subarray(0, maxHeadBytes).indexOf(colon) + 1;
  return end === 0 ? undefined : Buffer.concat([Buffer.from(','), item.subarray(0, end)]);
}
