import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Request, Response } from 'express';

import { abortable, startDeadline } from '../../lib/base/abortable.js';
import type { Clock } from '../../lib/base/clock.js';
import { RequestError } from '../../lib/base/errors.js';
import { disconnect, type ResponseLimit, sendText, startResponseLimit } from './responses.js';

/** Written to the socket at once. */
const blockBytes = 512 * 1_024;

/** Shorter chunks are copied into larger ones: writing a chunk costs more than copying so many bytes. */
const leastChunkBytes = 2 * 1_024;

/** Short chunks of a block, the last of which may begin just below its end. */
const joinedBytes = blockBytes + leastChunkBytes;

/** The least rate: a block of {@link blockBytes} in this time. */
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

  /** `maxCount`: bodies that are sent at the same time; above 0. */
  constructor({ clock, maxCount = 50 }: { readonly clock: Clock; readonly maxCount?: number }) {
    this.#clock = clock;
    this.#maxCount = maxCount;
  }

  /**
   * Resolves when the last byte was handed to the system; rejects when the limit aborts, also by this sender. `chunks`:
   * shared with other responses, never written to.
   */
  async send(response: Writable, chunks: readonly Buffer[], limit: ResponseLimit): Promise<void> {
    if (this.#sendings.size >= this.#maxCount) this.#dropSlowest();
    const sending = new Sending(response, limit, this.#clock);
    this.#sendings.add(sending);
    try {
      await sending.write(chunks);
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
  /** Memory of blocks that are written. */
  readonly #unused: Buffer[] = [];
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
  async write(chunks: readonly Buffer[]): Promise<void> {
    const { signal } = this.#limit;
    const response = this.#response;
    using patience = startDeadline({
      clock: this.#clock,
      durationMs: maxBlockMs,
      error: () => new RequestError('timeout', `the client read nothing for ${maxBlockMs} ms`),
    });
    patience.signal.addEventListener('abort', () => {
      this.#limit.abort(patience.signal.reason as RequestError);
    });
    for (let next = 0; next < chunks.length;) {
      await (response.writableNeedDrain ? this.#readerCausing('drain') : nextTurn());
      signal.throwIfAborted();
      const joined = this.#unused.pop() ?? Buffer.allocUnsafeSlow(joinedBytes);
      const block = blockOf(chunks, next, joined);
      next = block.end;
      this.#writeBlock(block.chunks, joined);
      patience.restart();
    }
    signal.throwIfAborted();
    response.end();
    await this.#readerCausing('finish');
  }

  #writeBlock(chunks: Buffer[], joined: Buffer): void {
    const response = this.#response;
    const last = chunks.pop();
    if (last === undefined) return;
    response.cork();
    for (const chunk of chunks) response.write(chunk);
    response.write(last, () => this.#unused.push(joined));
    response.uncork();
  }

  async #readerCausing(event: 'drain' | 'finish'): Promise<void> {
    this.waitingSinceMs = this.#clock.monotonicMs();
    try {
      await once(this.#response, event, { signal: this.#limit.signal });
    } finally {
      this.waitingSinceMs = Infinity;
    }
  }
}

/**
 * Returns what is written at once of a body from a chunk on, and the first chunk behind it: long chunks as they are, short ones
 * joined. `joined`: room for {@link joinedBytes}, nobody else's until the block is written.
 */
function blockOf(body: readonly Buffer[], start: number, joined: Buffer): { readonly chunks: Buffer[]; end: number } {
  const chunks: Buffer[] = [];
  let [byteCount, joinedStart, joinedEnd, end] = [0, 0, 0, start];
  const addJoined = (): void => {
    if (joinedEnd > joinedStart) chunks.push(joined.subarray(joinedStart, joinedEnd));
    joinedStart = joinedEnd;
  };
  for (let chunk = body[end]; chunk !== undefined && byteCount < blockBytes; chunk = body[++end]) {
    byteCount += chunk.length;
    if (chunk.length < leastChunkBytes) {
      joined.set(chunk, joinedEnd);
      joinedEnd += chunk.length;
    } else {
      addJoined();
      chunks.push(chunk);
    }
  }
  addJoined();
  return { chunks, end };
}

/** To make the body. */
const makeTimeoutMs = 20_000;

/** The same, and for the client to read it. */
const responseTimeoutMs = 30_000;

/** Sends bodies that many clients share. */
export class SharedResponses {
  readonly #clock: Clock;
  readonly #sender: BodySender;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#sender = new BodySender({ clock });
  }

  /** Responds with the bytes of `make`, without a cache in between, and with 503 when they take too long; to HEAD with the headers alone. */
  async respond(request: Request, response: Response, make: () => Promise<Buffer>): Promise<void> {
    response.set('Cache-Control', 'no-store');
    using limit = startResponseLimit(response, this.#clock, responseTimeoutMs);
    try {
      const bytes = await this.#inTime(make, limit.signal);
      if (bytes === undefined) {
        response.set('Retry-After', '1');
        sendText(response, 503, `no answer within ${makeTimeoutMs / 1_000} s: the exporter is busy; try again`);
        return;
      }
      response.set('Content-Length', String(bytes.length));
      if (request.method === 'HEAD') response.end();
      else await this.#sender.send(response, [bytes], limit);
    } catch (error) {
      if (!limit.signal.aborted) throw error;
      disconnect(response);
    }
  }

  /** Undefined when the time is up; what is being made goes on. Throws when `parent` aborts. */
  async #inTime(make: () => Promise<Buffer>, parent: AbortSignal): Promise<Buffer | undefined> {
    const late = new Error('late');
    using deadline = startDeadline({ clock: this.#clock, durationMs: makeTimeoutMs, error: () => late, parent });
    try {
      return await abortable(make(), deadline.signal);
    } catch (error) {
      if (error === late) return undefined;
      throw error;
    }
  }
}
