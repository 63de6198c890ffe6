import { once } from 'node:events';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer, type Server, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';

import type { KeyPair } from '../support/certificates.js';

/** A loopback HTTPS server in a kubelet's place. Keeps what it was asked. */
export class KubeletServer implements AsyncDisposable {
  readonly #server: Server;
  readonly requests: IncomingMessage[] = [];
  readonly #connections: TLSSocket[] = [];
  answer: RequestListener = respondWith({ body: summaryText });

  private constructor(options: ServerOptions) {
    this.#server = createServer(options, (request, response) => {
      this.requests.push(request);
      this.answer(request, response);
    });
    this.#server.on('secureConnection', (socket) => this.#connections.push(socket));
  }

  static async listen(pair: KeyPair, options: ServerOptions = {}): Promise<KubeletServer> {
    const kubelet = new KubeletServer({ ...pair, ...options });
    kubelet.#server.listen(0, '127.0.0.1');
    await once(kubelet.#server, 'listening');
    return kubelet;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get connectionCount(): number {
    return this.#connections.length;
  }

  /** In the order of their handshakes, from 0. */
  connection(index: number): TLSSocket {
    const socket = this.#connections[index];
    if (socket === undefined) throw new Error(`only ${this.#connections.length} connections were made`);
    return socket;
  }

  /** Resolves when the next request arrives, after `answer` was called. */
  async nextRequest(): Promise<void> {
    await once(this.#server, 'request');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

export const summaryText = JSON.stringify({ node: { nodeName: 'node-1' }, pods: [] }, null, 1);

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

export function respondWith({ status = 200, headers = { 'content-type': 'application/json' }, body }: Answer) {
  return (_request: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(status, headers).end(body);
  };
}
