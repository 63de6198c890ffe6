import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { PeerCertificate, SecureContextOptions, TLSSocket } from 'node:tls';

import { isProbe } from '../../config/served-paths.js';
import type { WebTls } from '../../config/web/web-config.js';
import type { Clock } from '../../lib/base/clock.js';
import { messageOf, UserError } from '../../lib/base/errors.js';
import type { Logger } from '../../lib/base/logger.js';
import { type Connections, RequestTurns } from './connections.js';

/**
 * Clients that send nothing, or a byte now and then, are disconnected. Idle connections of Prometheus are kept for longer
 * than any usual scrape interval: a new connection for each scrape costs a handshake, and closing one while a scrape
 * request is on its way fails that scrape.
 */
const limits = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 310_000,
  /** Of TLS. */
  handshakeTimeout: 10_000,
} as const;
const maxHeaderCount = 50;

/** Connections that wait to be accepted; the system may allow fewer. When they are full, the connection attempts of probes are lost too. */
const backlog = 4_096;

const hints: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another process uses the address; stop it, or choose another --web.listen-address',
  EACCES: 'ports below 1024 require a privilege; choose a higher port with --web.listen-address',
  EADDRNOTAVAIL: 'this machine does not have the address; choose another --web.listen-address',
};

/** One listening address. */
export class Listener {
  readonly #options;
  readonly #server: Server | HttpsServer;
  #tls: WebTls | undefined;
  readonly #connections: Connections;
  readonly #turns = new RequestTurns();
  readonly #running = new Set<ServerResponse>();
  #isClosing = false;

  constructor(options: {
    /** Name or address; undefined: all interfaces. */
    readonly host: string | undefined;
    /** 0: any free port. */
    readonly port: number;
    /** Undefined: plain HTTP. */
    readonly tls: WebTls | undefined;
    readonly handler: RequestListener;
    /** Shared by all listeners. */
    readonly connections: Connections;
    readonly clock: Clock;
    readonly logger: Logger;
  }) {
    this.#options = options;
    this.#tls = options.tls;
    this.#connections = options.connections;
    const handle: RequestListener = (request, response) => {
      this.#turns.take(request, response, () => {
        this.#handle(request, response);
      });
    };
    this.#server = this.#tls === undefined ? createServer(limits, handle) : this.#createTlsServer(this.#tls, handle);
    this.#server.on('connection', (socket: Socket) => {
      this.#connections.opened(socket);
    });
    this.#server.maxHeadersCount = maxHeaderCount;
    this.#server.maxRequestsPerSocket = 0;
  }

  /**
   * Resolves when connections are accepted; throws UserError when the address is not available. One that cannot be accepted
   * later, for want of descriptors or memory, costs itself alone.
   */
  async start(): Promise<void> {
    const { host, port, logger } = this.#options;
    await new Promise<void>((resolve, reject) => {
      const onError = (error: NodeJS.ErrnoException): void => {
        reject(cannotListen(`${host ?? ''}:${port}`, error));
      };
      this.#server.once('error', onError);
      this.#server.listen({ port, backlog, ...(host === undefined ? {} : { host }) }, () => {
        this.#server.off('error', onError);
        this.#server.on('error', (error) => {
          logger.warn('a connection could not be accepted', { error: messageOf(error) });
        });
        resolve();
      });
    });
  }

  /** Undefined while it does not listen. */
  get port(): number | undefined {
    const address = this.#server.address();
    return address === null || typeof address === 'string' ? undefined : address.port;
  }

  /**
   * Accepts no more connections, lets running responses finish, and closes the remaining connections after `graceMs`.
   * Resolves when no connection is left, also when it never listened.
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
      () => undefined, // all connections were closed in time
    );
    await closed;
    done.abort();
    await forced;
  }

  /** For new connections. TLS itself cannot be switched on or off. */
  setTls(tls: WebTls): void {
    if (!('setSecureContext' in this.#server)) throw new Error('the listener speaks plain HTTP');
    this.#tls = tls;
    this.#server.setSecureContext(contextOptions(tls));
    Object.assign(this.#server, certificateRequest(tls)); // read at each handshake
  }

  #createTlsServer(tls: WebTls, handle: RequestListener): HttpsServer {
    const { logger } = this.#options;
    const server = createTlsServer({ ...limits, ...contextOptions(tls), ...certificateRequest(tls) }, handle);
    server.prependListener('secureConnection', (socket: TLSSocket) => {
      const refusal = refusalOf(this.#tls ?? tls, socket);
      if (refusal !== undefined) {
        logger.debug('client refused', { client: socket.remoteAddress, reason: refusal });
        socket.destroy();
        return;
      }
      // A TLS socket cannot reset its connection.
      socket.resetAndDestroy = () => {
        this.#connections.reset(socket);
        return socket;
      };
    });
    server.on('tlsClientError', (error, socket) => {
      logger.debug('TLS handshake failed', { client: socket.remoteAddress, error: messageOf(error) });
    });
    return server;
  }

  /** Probes need no connection that is kept, so they are answered while too many are in use. */
  #handle(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    response.once('finish', () => {
      this.#connections.release(socket);
    });
    this.#track(response);
    const isAdmitted = this.#connections.use(socket);
    const isForProbe = isProbe(request);
    if (isForProbe || !isAdmitted) response.setHeader('Connection', 'close');
    if (isForProbe || isAdmitted) this.#options.handler(request, response);
    else response.writeHead(503, { 'Content-Type': 'text/plain; charset=utf-8' }).end('too many connections\n');
  }

  #track(response: ServerResponse): void {
    this.#running.add(response);
    response.once('close', () => {
      this.#running.delete(response);
    });
    if (this.#isClosing) closeAfter(response);
  }
}

/** The certificate is judged after the handshake. */
function certificateRequest({ clientCa }: WebTls) {
  return { requestCert: clientCa !== undefined, rejectUnauthorized: false };
}

/** With the header, the client sends its next request elsewhere. After the headers were sent, only the end of the connection does that. */
function closeAfter(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
  const { socket } = response;
  response.once('finish', () => socket?.end());
}

function cannotListen(address: string, error: NodeJS.ErrnoException): UserError {
  const hint = hints[error.code ?? ''] ?? error.message;
  return new UserError(`cannot listen on ${address}: ${hint}`, { cause: error });
}

/** Each context has keys of its own for session tickets: a client that is no longer accepted cannot resume its session. */
function contextOptions({ cert, key, clientCa, minVersion }: WebTls): SecureContextOptions {
  return { cert, key, minVersion, honorCipherOrder: true, ...(clientCa === undefined ? {} : { ca: clientCa }) };
}

/** Why the client of a completed handshake is refused; undefined when it is accepted. */
function refusalOf({ clientCa }: WebTls, socket: TLSSocket): string | undefined {
  if (clientCa === undefined) return undefined;
  const certificate = socket.getPeerCertificate() as PeerCertificate | Record<string, never>; // {} without one
  if (!('raw' in certificate)) return 'no certificate';
  return socket.authorized ? undefined : `the certificate is not valid: ${String(socket.authorizationError)}`;
}
