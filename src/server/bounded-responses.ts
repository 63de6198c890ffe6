import type { Request, Response } from 'express';

import type { Clock } from '../base/clock.js';
import { startResponseLimit } from './response-limit.js';
import { sendText } from './responses.js';
import { sendPlain } from './send-body.js';

/** Running responses, up to their last bytes: a client that does not read occupies memory. */
const maxInFlight = 50;

/** To make the body and for the client to read it. */
const responseTimeoutMs = 30_000;

/** Sends bodies that many clients share. Bounds their number and their time. */
export class BoundedResponses {
  readonly #clock: Clock;
  #inFlightCount = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Responds with the bytes of `make`, without a cache in between; a HEAD request gets the headers, and `make` is not called. */
  async respond(request: Request, response: Response, make: () => Promise<Buffer> | Buffer): Promise<void> {
    response.set('Cache-Control', 'no-store');
    if (request.method === 'HEAD') {
      response.end();
      return;
    }
    if (this.#inFlightCount >= maxInFlight) {
      response.set('Retry-After', '1');
      sendText(response, 503, 'too many concurrent requests');
      return;
    }
    this.#inFlightCount += 1;
    try {
      await this.#send(response, make);
    } finally {
      this.#inFlightCount -= 1;
    }
  }

  async #send(response: Response, make: () => Promise<Buffer> | Buffer): Promise<void> {
    using limit = startResponseLimit({ response, clock: this.#clock, durationMs: responseTimeoutMs });
    try {
      const bytes = await make();
      limit.signal.throwIfAborted();
      response.set('Content-Length', String(bytes.length));
      await sendPlain(response, [bytes], limit.signal);
    } catch (error) {
      if (!limit.signal.aborted) throw error;
      response.destroy();
    }
  }
}
