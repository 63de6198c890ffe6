import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** Replies with JSON and status 200 unless told otherwise. */
export function replyWith({
  status = 200,
  headers = { 'content-type': 'application/json' },
  body = '{}',
}: Reply): RequestListener {
  return (_request, response) => {
    response.writeHead(status, headers).end(body);
  };
}

/** Sends the headers of a JSON response and the beginning of its body. */
export const replyPartly: RequestListener = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).write('{"items":[');
};

/** An HTTP or HTTPS server on a loopback port. Records its requests and connections. */
export class LoopbackServer implements AsyncDisposable {
  readonly #server: Server;
  readonly #protocol: string;
  readonly #sockets = new Set<Socket>();
  readonly requests: IncomingMessage[] = [];
  /** In the order of their handshakes. */
  readonly connections: Socket[] = [];
  answer: RequestListener = replyWith({});

  private constructor(server: Server, protocol: string) {
    this.#server = server;
    this.#protocol = protocol;
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      this.requests.push(request);
      this.answer(request, response);
    });
    server.on('connection', (socket: Socket) => this.#sockets.add(socket));
    server.on(protocol === 'https' ? 'secureConnection' : 'connection', (socket: Socket) =>
      this.connections.push(socket),
    );
  }

  static async listen(server = createServer(), protocol = 'http'): Promise<LoopbackServer> {
    const loopback = new LoopbackServer(server, protocol);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return loopback;
  }

  static listenTls(options: ServerOptions): Promise<LoopbackServer> {
    return LoopbackServer.listen(createTlsServer(options), 'https');
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): URL {
    return new URL(`${this.#protocol}://127.0.0.1:${this.port}`);
  }

  /** The common name of the client certificate of a connection. */
  clientName(index: number): unknown {
    return (this.connections[index] as TLSSocket).getPeerCertificate().subject.CN;
  }

  /** Resolves when a connection is closed. */
  async closed(index: number): Promise<void> {
    const socket = this.connections[index];
    if (socket === undefined) throw new Error(`only ${this.connections.length} connections were made`);
    if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
  }

  /** Resolves when the next request arrives, after `answer` was called. */
  async nextRequest(): Promise<void> {
    await once(this.#server, 'request');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    for (const socket of this.#sockets) socket.destroy(); // upgraded and CONNECT sockets too
    await closed;
  }
}

/** Tunnels CONNECT requests to loopback, whatever their host, and records their targets and credentials. */
export async function httpProxy(tunnels: string[]): Promise<LoopbackServer> {
  const server = createServer();
  server.on('connect', (request, socket) => {
    tunnels.push(`${request.url ?? ''} ${request.headers['proxy-authorization'] ?? ''}`.trim());
    const target = connect(Number(request.url?.split(':').at(-1)), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      target.pipe(socket).pipe(target);
    });
    target.on('error', () => socket.destroy());
    socket.on('error', () => target.destroy());
    socket.on('close', () => target.destroy());
  });
  return LoopbackServer.listen(server);
}

export async function textOf(body: Promise<AsyncIterable<Buffer>>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of await body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** What the work rejects with. */
export async function failureOf(work: Promise<unknown>): Promise<Error> {
  return work.then(
    () => {
      throw new Error('it did not fail');
    },
    (error: unknown) => error as Error,
  );
}
