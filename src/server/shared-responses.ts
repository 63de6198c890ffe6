import type { Request, Response } from 'express';

import type { Clock } from '../base/clock.js';
import { BodySender } from './body-sender.js';
import { disconnect, startResponseLimit } from './responses.js';

/** To make the body and for the client to read it. */
const responseTimeoutMs = 30_000;

/** Sends bodies that many clients share. */
export class SharedResponses {
  readonly #clock: Clock;
  readonly #sender: BodySender;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#sender = new BodySender({ clock });
  }

  /** Responds with the bytes of `make`, without a cache in between; a HEAD request gets the headers, and `make` is not called. */
  async respond(request: Request, response: Response, make: () => Promise<Buffer> | Buffer): Promise<void> {
    response.set('Cache-Control', 'no-store');
    if (request.method === 'HEAD') {
      response.end();
      return;
    }
    using limit = startResponseLimit({ response, clock: this.#clock, durationMs: responseTimeoutMs });
    try {
      const bytes = await make();
      limit.signal.throwIfAborted();
      response.set('Content-Length', String(bytes.length));
      await this.#sender.send(response, [bytes], limit);
    } catch (error) {
      if (!limit.signal.aborted) throw error;
      disconnect(response);
    }
  }
}
