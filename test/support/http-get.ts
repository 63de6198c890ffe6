import { type Agent, type IncomingHttpHeaders, request } from 'node:http';

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** As received, without decompression. */
  readonly body: Buffer;
  get text(): string;
}

export interface HttpRequest {
  readonly port: number;
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Without one, the connection is closed after the response. */
  readonly agent?: Agent;
  /** Ends the request. */
  readonly signal?: AbortSignal;
}

/** One request to this machine, without additional headers, and its unmodified response. */
export async function send({
  port,
  path,
  method = 'GET',
  headers = {},
  agent,
  signal,
}: HttpRequest): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const target = { host: '127.0.0.1', port, path };
    const outgoing = request({ ...target, method, headers, signal, agent: agent ?? false }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const body = Buffer.concat(chunks);
        resolve({
          status: incoming.statusCode ?? 0,
          headers: incoming.headers,
          body,
          get text() {
            return body.toString();
          },
        });
      });
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}
