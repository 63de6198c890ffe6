import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { constants, createGzip } from 'node:zlib';

import type { Clock } from '../base/clock.js';
import { RequestError } from '../base/errors.js';
import type { ResponseLimit } from './response-limit.js';

export interface Body {
  /** Shared with other responses; neither copied nor written to. */
  readonly chunks: readonly Buffer[];
  readonly isGzipped: boolean;
}

export interface BodySenderOptions {
  readonly clock: Clock;
  /** Bodies that are sent at the same time; above 0. */
  readonly maxCount?: number;
}

const defaultMaxCount = 50;

/** Written to the socket, or to the compressor, at once. */
const blockBytes = 256 * 1_024;

/** The least rate: a block of {@link blockBytes}, or 64 KiB of a compressed body, in this time. */
const maxBlockMs = 5_000;

/**
 * Sends bodies, each as fast as its client reads. A client that does not read costs one block of memory. It loses its
 * connection after {@link maxBlockMs}, or as soon as there are more than `maxCount` and it has waited the longest.
 */
export class BodySender {
  readonly #clock: Clock;
  readonly #maxCount: number;
  /** The oldest first. */
  readonly #sendings = new Set<Sending>();

  constructor({ clock, maxCount = defaultMaxCount }: BodySenderOptions) {
    this.#clock = clock;
    this.#maxCount = maxCount;
  }

  /** Resolves when the last byte was handed to the system; rejects when the limit aborts, also by this sender. */
  async send(response: Writable, { chunks, isGzipped }: Body, limit: ResponseLimit): Promise<void> {
    if (this.#sendings.size >= this.#maxCount) this.#dropSlowest();
    const sending = new Sending(response, limit, this.#clock);
    this.#sendings.add(sending);
    try {
      if (isGzipped) await sending.writeGzipped(chunks);
      else await sending.write(blocksOf(chunks));
    } catch (error) {
      limit.signal.throwIfAborted(); // what a stream throws after an abort depends on the version of Node.js
      throw error;
    } finally {
      this.#sendings.delete(sending);
    }
  }

  #dropSlowest(): void {
    const [slowest] = [...this.#sendings].sort((one, other) => one.waitingSinceMs - other.waitingSinceMs);
    if (slowest === undefined) return;
    this.#sendings.delete(slowest);
    slowest.drop(`the slowest of ${this.#maxCount} clients makes room for another one`);
  }
}

/** One body on its way. */
class Sending {
  readonly #response: Writable;
  readonly #limit: ResponseLimit;
  readonly #clock: Clock;
  /** Monotonic time at which the client should have taken what was written; Infinity while it is quick enough. */
  waitingSinceMs = Infinity;

  constructor(response: Writable, limit: ResponseLimit, clock: Clock) {
    this.#response = response;
    this.#limit = limit;
    this.#clock = clock;
  }

  drop(message: string): void {
    this.#limit.abort(new RequestError('timeout', message));
  }

  /** Yields to the event loop after each block. */
  async write(blocks: Iterable<readonly Buffer[]> | AsyncIterable<readonly Buffer[]>): Promise<void> {
    const { signal } = this.#limit;
    const response = this.#response;
    for await (const block of blocks) {
      await (response.writableNeedDrain ? this.#readerCausing('drain') : nextTurn());
      signal.throwIfAborted();
      response.cork();
      for (const chunk of block) response.write(chunk);
      response.uncork();
    }
    signal.throwIfAborted();
    response.end();
    await this.#readerCausing('finish');
  }

  /** Compresses off the event loop. Level 1: a higher level takes twice the time to save a few percent. */
  async writeGzipped(chunks: readonly Buffer[]): Promise<void> {
    const gzip = createGzip({ level: constants.Z_BEST_SPEED, chunkSize: 64 * 1_024 });
    const { signal } = this.#limit;
    await pipeline(joinedBlocks(chunks), gzip, (compressed: AsyncIterable<Buffer>) => this.write(singly(compressed)), {
      signal,
    });
  }

  async #readerCausing(event: 'drain' | 'finish'): Promise<void> {
    const done = new AbortController();
    this.#clock.sleep(maxBlockMs, done.signal).then(
      () => {
        this.drop(`the client read nothing for ${maxBlockMs} ms`);
      },
      () => undefined, // it has read
    );
    this.waitingSinceMs = this.#clock.monotonicMs();
    try {
      await once(this.#response, event, { signal: this.#limit.signal });
    } finally {
      this.waitingSinceMs = Infinity;
      done.abort();
    }
  }
}

async function* singly(chunks: AsyncIterable<Buffer>): AsyncIterable<readonly Buffer[]> {
  for await (const chunk of chunks) yield [chunk];
}

/** Small chunks are joined: each write to the compressor is a round trip to another thread. */
function* joinedBlocks(chunks: readonly Buffer[]): Iterable<Buffer> {
  for (const block of blocksOf(chunks)) yield Buffer.concat(block);
}

function* blocksOf(chunks: readonly Buffer[]): Iterable<readonly Buffer[]> {
  let block: Buffer[] = [];
  let bytes = 0;
  for (const chunk of chunks) {
    block.push(chunk);
    bytes += chunk.length;
    if (bytes < blockBytes) continue;
    yield block;
    block = [];
    bytes = 0;
  }
  if (block.length > 0) yield block;
}
