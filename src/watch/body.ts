import { setImmediate } from 'node:timers/promises';

import type { Deadline } from '../base/clock.js';
import { RequestError } from '../base/errors.js';

/** Work done on a body between two turns of the event loop: a few milliseconds of parsing. */
const maxTurnBytes = 256 * 1024;
const maxPieceBytes = 64 * 1024;

/**
 * The bytes of a body in pieces of at most 64 KiB. Lets the event loop turn after every 256 KiB: a fast connection hands
 * over megabytes, and a decompressor whole blocks, without one.
 */
export async function* inTurns(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
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

/** The same body; each chunk restarts the deadline, which thus limits silence. */
export async function* restartOnData(
  body: AsyncIterable<Buffer>,
  deadline: Deadline,
): AsyncGenerator<Buffer, void, undefined> {
  for await (const chunk of body) {
    deadline.restart();
    yield chunk;
  }
}

/**
 * A part of a body that may lie across several chunks. What lies in one chunk is decoded from there; only what came
 * with earlier ones is kept. Decoded when it is complete, so that a character cut in two stays whole.
 */
export class PartialSlice {
  readonly #maxBytes: number;
  readonly #description: string;
  #carried: Buffer[] = [];
  #carriedBytes = 0;

  /** `description` names the slice in the error that says that it is longer than `maxBytes`. */
  constructor(options: { readonly maxBytes: number; readonly description: string }) {
    this.#maxBytes = options.maxBytes;
    this.#description = options.description;
  }

  /** Keeps the end of a chunk. Throws `RequestError('too_large')`. */
  carry(rest: Buffer): void {
    if (rest.length === 0) return;
    this.#checkSize(rest);
    this.#carried.push(rest);
    this.#carriedBytes += rest.length;
  }

  /** The text of what was carried, followed by `rest`. Throws `RequestError('too_large')`. */
  peek(rest: Buffer): string {
    this.#checkSize(rest);
    return this.#carriedBytes === 0 ? rest.toString() : Buffer.concat([...this.#carried, rest]).toString();
  }

  /** As `peek`; the next slice begins. */
  take(rest: Buffer): string {
    const text = this.peek(rest);
    this.#carried = [];
    this.#carriedBytes = 0;
    return text;
  }

  #checkSize(rest: Buffer): void {
    if (this.#carriedBytes + rest.length > this.#maxBytes)
      throw new RequestError('too_large', `${this.#description} is larger than ${this.#maxBytes} bytes`);
  }
}
