import { setImmediate } from 'node:timers/promises';

import type { Deadline } from '../base/clock.js';
import { RequestError } from '../base/errors.js';

/** Parsed between two turns of the event loop: a few milliseconds of work. */
const maxTurnBytes = 256 * 1024;
const maxPieceBytes = 64 * 1024;

/**
 * The bytes of a body in pieces of at most 64 KiB. Yields to the event loop after every 256 KiB, since a fast connection
 * delivers megabytes, and a decompressor whole blocks, within one turn.
 */
export async function* yieldToEventLoop(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let bytesInTurn = 0;
  for await (const chunk of body) {
    for (let start = 0; start < chunk.length; start += maxPieceBytes) {
      if (bytesInTurn >= maxTurnBytes) {
        await setImmediate();
        bytesInTurn = 0;
      }
      const piece = chunk.subarray(start, start + maxPieceBytes);
      bytesInTurn += piece.length;
      yield piece;
    }
  }
}

/** The same body; each chunk restarts the deadline, which limits the time without data. */
export async function* withIdleTimeout(
  body: AsyncIterable<Buffer>,
  deadline: Deadline,
): AsyncGenerator<Buffer, void, undefined> {
  for await (const chunk of body) {
    deadline.restart();
    yield chunk;
  }
}

/**
 * Joins a slice of a body that spans several chunks. A slice within one chunk is decoded without a copy. Decoding waits
 * until the slice is complete, so that a character split between two chunks stays whole.
 */
export class ChunkAccumulator {
  readonly #maxBytes: number;
  readonly #description: string;
  #carried: Buffer[] = [];
  #carriedBytes = 0;

  /** `description` names the slice in the error for one that is longer than `maxBytes`. */
  constructor(options: { readonly maxBytes: number; readonly description: string }) {
    this.#maxBytes = options.maxBytes;
    this.#description = options.description;
  }

  /** Keeps the rest of a chunk. Throws `RequestError('too_large')`. */
  carry(rest: Buffer): void {
    if (rest.length === 0) return;
    this.#checkSize(rest);
    this.#carried.push(rest);
    this.#carriedBytes += rest.length;
  }

  /** Whether the kept bytes, followed by `rest`, would be more than allowed. */
  exceeds(rest: Buffer): boolean {
    return this.#carriedBytes + rest.length > this.#maxBytes;
  }

  /** Drops the kept bytes. Returns their number and the first of them. */
  drop(): { readonly byteCount: number; readonly first: Buffer } {
    const dropped = { byteCount: this.#carriedBytes, first: this.#carried[0] ?? Buffer.of() };
    this.#carried = [];
    this.#carriedBytes = 0;
    return dropped;
  }

  /** The text of the kept bytes, followed by `rest`. Throws `RequestError('too_large')`. */
  peek(rest: Buffer): string {
    this.#checkSize(rest);
    return this.#carriedBytes === 0 ? rest.toString() : Buffer.concat([...this.#carried, rest]).toString();
  }

  /** As `peek`; the next slice begins. */
  take(rest: Buffer): string {
    const text = this.peek(rest);
    this.drop();
    return text;
  }

  #checkSize(rest: Buffer): void {
    if (this.exceeds(rest))
      throw new RequestError('too_large', `${this.#description} is larger than ${this.#maxBytes} bytes`);
  }
}
