import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** `next` waits for its end. */
interface Turn {
  next: { readonly response: ServerResponse; readonly serve: () => void } | undefined;
}

/**
 * One request at a time on each connection: when it ends, Node.js notifies only the first of several, and the others would
 * keep their resources. One more may wait, as a quick client that has read a whole response may send its next request before
 * the system has reported the write, most of all with TLS. Further ones are refused; scrapers and browsers do not pipeline.
 */
export class RequestTurns {
  readonly #turns = new Map<Socket, Turn>();

  /** Calls `serve` at once, when the response before has been sent, or never: then the connection ends. */
  take({ socket }: IncomingMessage, response: ServerResponse, serve: () => void): void {
    const turn = this.#turns.get(socket);
    if (turn === undefined) this.#begin(socket, response, serve);
    else if (turn.next === undefined) turn.next = { response, serve };
    else socket.destroy();
  }

  #begin(socket: Socket, response: ServerResponse, serve: () => void): void {
    const turn: Turn = { next: undefined };
    this.#turns.set(socket, turn);
    // After all that `finish` causes, such as the end of the connection.
    response.once('close', () => {
      this.#turns.delete(socket);
      if (turn.next !== undefined && socket.writable) this.#begin(socket, turn.next.response, turn.next.serve);
    });
    serve();
  }
}
