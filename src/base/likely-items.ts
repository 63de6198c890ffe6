const colon = 0x3a;
const maxHeadBytes = 64;

/** Whatever JSON of this size holds, JSON.parse takes a millisecond or two at most. What is larger must be scanned first. */
export const maxUncheckedBytes = 16 * 1024;

/**
 * Finds the ends of items of a JSON array without a look at each of their bytes. What Go encodes begins each item with the
 * same member: up to the next `,{"podRef":` it is as a rule one item. Whether it is, JSON.parse
 * decides: no JSON value continues behind a comma after its end, and none is valid before it.
 */
export class LikelyItems {
  /** A comma and what follows it up to the colon of the item's first member. */
  #head: Buffer | undefined;
  #isMisled = false;
  /** In the current piece, at or after the last item that was asked for; Infinity when there is none. */
  #headAt = -1;

  /** To be called with the bytes of an item that was scanned. */
  learn(item: Buffer): void {
    if (this.#isMisled || this.#head !== undefined) return;
    const end = item.subarray(0, maxHeadBytes).indexOf(colon) + 1;
    if (end > 0) this.#head = Buffer.concat([Buffer.from(','), item.subarray(0, end)]);
  }

  beginPiece(): void {
    this.#headAt = -1;
  }

  /** Index of the comma that is likely to end the item that begins at `start`; no byte of the piece is looked at twice. */
  endOf(piece: Buffer, start: number): number | undefined {
    if (this.#head === undefined) return undefined;
    if (this.#headAt < start) {
      const at = piece.indexOf(this.#head, start);
      this.#headAt = at === -1 ? Infinity : at;
    }
    return this.#headAt - start > maxUncheckedBytes ? undefined : this.#headAt;
  }

  /** To be called when an end was wrong: from then on there are none. */
  misled(): void {
    this.#isMisled = true;
    this.#head = undefined;
  }
}
