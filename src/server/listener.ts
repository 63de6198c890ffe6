import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import type { Clock } from '../base/clock.js';
import { UserError } from '../base/errors.js';

export interface ListenerOptions {
  /** Name or address; undefined for all interfaces. */
  readonly host: string | undefined;
  /** 0: any free port. */
  readonly port: number;
  readonly handler: RequestListener;
  readonly clock: Clock;
}

/**
 * Clients that send nothing, or a byte now and then, lose their connection. Prometheus' idle connections are kept for
 * longer than any usual scrape interval: a new one for each scrape would cost a handshake, and closing one while a
 * scrape is on its way fails that scrape.
 */
const limits = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 310_000,
} as const;
const maxConnectionCount = 200;
const maxHeaderCount = 50;

const mends: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another process listens there; stop it, or choose another --web.listen-address',
  EACCES: 'ports below 1024 need a privilege; choose a higher port with --web.listen-address',
  EADDRNOTAVAIL: 'this machine does not have the address; choose another --web.listen-address',
};

/** One listening address. */
export class Listener {
  readonly #options: ListenerOptions;
  readonly #server: Server;
  readonly #running = new Set<ServerResponse>();
  readonly #busy = new WeakSet<Socket>();
  #isClosing = false;

  constructor(options: ListenerOptions) {
    this.#options = options;
    this.#server = createServer(limits, (request, response) => {
      const { socket } = request;
      // Pipelined requests are refused: when their connection ends, Node.js tells none but the first of them, and what
      // the others hold would be held on. Scrapers and browsers send none.
      if (this.#busy.has(socket)) {
        socket.destroy();
        return;
      }
      this.#busy.add(socket);
      response.once('finish', () => this.#busy.delete(socket));
      this.#track(response);
      options.handler(request, response);
    });
    this.#server.maxConnections = maxConnectionCount;
    this.#server.maxHeadersCount = maxHeaderCount;
    this.#server.maxRequestsPerSocket = 0;
    // Clients that keep many connections and use none must not shut the others out: clients open idle ones again.
    this.#server.on('drop', () => {
      this.#server.closeIdleConnections();
    });
  }

  /** Resolves when connections are accepted; throws UserError when the address cannot be had. */
  async start(): Promise<void> {
    const { host, port } = this.#options;
    await new Promise<void>((resolve, reject) => {
      const onError = (error: NodeJS.ErrnoException): void => {
        reject(cannotListen(`${host ?? ''}:${port}`, error));
      };
      this.#server.once('error', onError);
      this.#server.listen({ port, ...(host === undefined ? {} : { host }) }, () => {
        this.#server.off('error', onError);
        resolve();
      });
    });
  }

  /** The port that it listens on; undefined unless it does. */
  get port(): number | undefined {
    const address = this.#server.address();
    return address === null || typeof address === 'string' ? undefined : address.port;
  }

  /**
   * Accepts no more connections, lets the running answers finish, and closes what is left after `graceMs`. Resolves
   * when no connection is left; also when it never listened.
   */
  async close(graceMs: number): Promise<void> {
    this.#isClosing = true;
    for (const response of this.#running) closeAfter(response);
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => {
        resolve();
      });
    });
    const done = new AbortController();
    const forced = this.#options.clock.sleep(graceMs, done.signal).then(
      () => {
        this.#server.closeAllConnections();
      },
      () => undefined, // all were closed in time
    );
    await closed;
    done.abort();
    await forced;
  }

  #track(response: ServerResponse): void {
    this.#running.add(response);
    response.once('close', () => {
      this.#running.delete(response);
    });
    if (this.#isClosing) closeAfter(response);
  }
}

/** A client that is told may send its next request elsewhere; when the headers are gone, only the end can tell it. */
function closeAfter(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
  const { socket } = response;
  response.once('finish', () => socket?.end());
}

function cannotListen(address: string, error: NodeJS.ErrnoException): UserError {
  const mend = mends[error.code ?? ''] ?? error.message;
  return new UserError(`cannot listen on ${address}: ${mend}`, { cause: error });
}
