import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import type { Clock } from '../../lib/base/clock.js';

/** Far longer than the system takes to report a write. */
const maxWaitMs = 1_000;

interface Turn {
  readonly response: ServerResponse;
  /** Waits for the end of this turn. */
  next: { readonly response: ServerResponse; readonly serve: () => void } | undefined;
}

/**
 * One request at a time on each connection. Pipelined requests are refused: when the connection ends, Node.js notifies only
 * the first of them, and the others would keep their resources. Scrapers and browsers do not pipeline.
 *
 * A quick client that has read a whole response may send its next request before the system has reported the write, most
 * of all with TLS. So one request may wait, for a short time, while the response before it is complete but for that.
 */
export class RequestTurns {
  readonly #clock: Clock;
  readonly #turns = new Map<Socket, Turn>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `serve` at once, when the response before has been sent, or never: then the connection ends. */
  take({ socket }: IncomingMessage, response: ServerResponse, serve: () => void): void {
    const turn = this.#turns.get(socket);
    if (turn === undefined) {
      this.#begin(socket, response, serve);
    } else if (turn.response.writableEnded && turn.next === undefined) {
      turn.next = { response, serve };
      this.#endLongWait(socket, turn);
    } else {
      socket.destroy();
    }
  }

  #begin(socket: Socket, response: ServerResponse, serve: () => void): void {
    const turn: Turn = { response, next: undefined };
    this.#turns.set(socket, turn);
    // After all that `finish` causes, such as the end of the connection.
    response.once('close', () => {
      this.#turns.delete(socket);
      if (turn.next !== undefined && socket.writable) this.#begin(socket, turn.next.response, turn.next.serve);
    });
    serve();
  }

  /** A client that does not read would keep both requests as long as it may take for the response. */
  #endLongWait(socket: Socket, { response }: Turn): void {
    const done = new AbortController();
    response.once('close', () => {
      done.abort();
    });
    this.#clock.sleep(maxWaitMs, done.signal).then(
      () => socket.destroy(),
      () => undefined, // its turn has come, or the connection has ended
    );
  }
}
