import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { promisify } from 'node:util';

import type { KeyPair } from './certificates.js';

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export interface HttpsListenerOptions {
  readonly keyPair: KeyPair;
  /** PEM of the authority whose client certificates are accepted. */
  readonly clientCa: string;
  /** A rejection ends the connection. */
  readonly handle: Handler;
}

/** Timeout of idle connections. Longer than that of clients, as with Go's servers. */
const keepAliveMs = 120_000;

/** An HTTPS server on 127.0.0.1 that can pause, and resume on the same port. */
export class HttpsListener implements AsyncDisposable {
  readonly #server: Server;
  readonly #clientCa: string;
  #port = 0;
  #isDisposed = false;

  constructor({ keyPair, clientCa, handle }: HttpsListenerOptions) {
    this.#clientCa = clientCa;
    this.#server = createServer(
      { ...keyPair, ca: clientCa, requestCert: true, rejectUnauthorized: false, keepAliveTimeout: keepAliveMs },
      (request, response) => {
        response.removeHeader('connection'); // as Go's servers, for connections that stay open
        handle(request, response).catch(() => response.destroy());
      },
    );
    // Whose handshake was under way when the server paused.
    this.#server.on('secureConnection', (socket) => {
      if (!this.#server.listening) socket.destroy();
    });
  }

  /** The port, also while paused; 0 before `listen`. */
  get port(): number {
    return this.#port;
  }

  /** Port 0: any free port. */
  async listen(port: number): Promise<void> {
    this.#port = await listen(this.#server, port);
  }

  async connectionCount(): Promise<number> {
    return promisify(this.#server.getConnections.bind(this.#server))();
  }

  /** Replaces the certificate, and ends all connections, as they use the old one. */
  setKeyPair(keyPair: KeyPair): void {
    this.#server.setSecureContext({ ...keyPair, ca: this.#clientCa });
    this.#server.closeAllConnections();
  }

  /** Ends all connections and refuses new ones until `resume`. */
  async pause(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async resume(): Promise<void> {
    if (!this.#server.listening && !this.#isDisposed) await this.listen(this.#port);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    await this.pause();
  }
}

async function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('the server is not listening'));
      else resolve(address.port);
    });
  });
}
