import { setImmediate } from 'node:timers/promises';

import type { Deadline } from '../base/abortable.js';
import { RequestError } from '../base/errors.js';

/** Parsed between two turns of the event loop: a millisecond or two of work. A turn may see the end of one and another one. */
const maxPieceBytes = 64 * 1024;

/**
 * The bytes of a body in pieces of at most 64 KiB. Yields to the event loop after as many bytes, since a fast connection
 * delivers megabytes, and a decompressor whole blocks, within one turn.
 */
export async function* yieldToEventLoop(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let bytesInTurn = 0;
  for await (const chunk of body) {
    for (let start = 0; start < chunk.length; start += maxPieceBytes) {
      if (bytesInTurn >= maxPieceBytes) {
        await setImmediate();
        bytesInTurn = 0;
      }
      const piece = chunk.subarray(start, start + maxPieceBytes);
      bytesInTurn += piece.length;
      yield piece;
    }
  }
}

/**
 * The bytes of a body in pieces of 64 KiB, whatever its chunks; the last one may be smaller. A piece is valid until the
 * next one is asked for. For bodies that are read to their end: what has arrived may wait for more.
 */
export async function* inPieces(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  const piece = Buffer.allocUnsafe(maxPieceBytes);
  let filled = 0;
  for await (const chunk of body) {
    for (let start = 0; start < chunk.length;) {
      const copied = chunk.copy(piece, filled, start);
      start += copied;
      filled += copied;
      if (filled < piece.length) continue;
      yield piece;
      filled = 0;
    }
  }
  if (filled > 0) yield piece.subarray(0, filled);
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

const minCarryBytes = 4 * 1024;

/**
 * Joins a slice of a body that spans several chunks. A slice within one chunk is decoded without a copy. Decoding waits
 * until the slice is complete, so that a character split between two chunks stays whole.
 */
export class ChunkAccumulator {
  readonly #options;
  /** Copies, since thousands of chunks of a few bytes would take far more memory than their bytes. */
  #carried = Buffer.of();
  #carriedBytes = 0;

  /** `describe` names the slice in the error for one that is longer than `maxBytes`. */
  constructor(options: { readonly maxBytes: number; readonly describe: () => string }) {
    this.#options = options;
  }

  get byteCount(): number {
    return this.#carriedBytes;
  }

  /** Keeps the rest of a chunk. Throws `RequestError('too_large')`. */
  carry(rest: Buffer): void {
    if (rest.length === 0) return;
    this.#append(rest);
  }

  /** The text of the kept bytes, followed by `rest`. Throws `RequestError('too_large')`. */
  peek(rest: Buffer): string {
    return this.#joined(rest).toString();
  }

  /** As `peek`; the next slice begins. */
  take(rest: Buffer): string {
    return this.takeBytes(rest).toString();
  }

  /** As `take`, without a copy of bytes within one chunk: valid as long as that. */
  takeBytes(rest: Buffer): Buffer {
    const bytes = this.#joined(rest);
    this.drop();
    return bytes;
  }

  /** Whether the kept bytes, followed by `rest`, would be more than allowed. */
  exceeds(rest: Buffer): boolean {
    return this.#carriedBytes + rest.length > this.#options.maxBytes;
  }

  /** The first of the kept bytes. */
  beginning(maxBytes: number): Buffer {
    return this.#carried.subarray(0, Math.min(maxBytes, this.#carriedBytes));
  }

  /** Drops the kept bytes. */
  drop(): void {
    this.#carried = Buffer.of();
    this.#carriedBytes = 0;
  }

  #joined(rest: Buffer): Buffer {
    this.#checkSize(rest);
    if (this.#carriedBytes === 0) return rest;
    const carriedBytes = this.#carriedBytes;
    this.#append(rest);
    this.#carriedBytes = carriedBytes;
    return this.#carried.subarray(0, carriedBytes + rest.length);
  }

  #append(rest: Buffer): void {
    this.#checkSize(rest);
    const byteCount = this.#carriedBytes + rest.length;
    if (byteCount > this.#carried.length) {
      const larger = Buffer.allocUnsafe(Math.max(minCarryBytes, 2 * byteCount));
      this.#carried.copy(larger, 0, 0, this.#carriedBytes);
      this.#carried = larger;
    }
    rest.copy(this.#carried, this.#carriedBytes);
    this.#carriedBytes = byteCount;
  }

  #checkSize(rest: Buffer): void {
    const { describe, maxBytes } = this.#options;
    if (this.exceeds(rest)) throw new RequestError('too_large', `${describe()} is larger than ${maxBytes} bytes`);
  }
}
