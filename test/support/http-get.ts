import { type Agent, type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** As they were sent. */
  readonly headerNames: readonly string[];
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

/** The header of a user with a password. */
export function basicAuth(user: string, password: string): Readonly<Record<string, string>> {
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` };
}

/** Sends the rest of a request. Resolves with the response, in whose body later errors show. */
export function responseTo(outgoing: ClientRequest, body?: string | Buffer): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing.on('response', resolve).on('error', reject).end(body);
  });
}

/** Reads a response to its end. */
export async function answerOf(response: IncomingMessage): Promise<HttpAnswer> {
  const body = await buffer(response);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    headerNames: response.rawHeaders.filter((_, index) => index % 2 === 0),
    body,
    get text() {
      return body.toString();
    },
  };
}

/** Sends one request to this machine, without additional headers. */
export async function send({ port, headers = {}, agent, ...target }: HttpRequest): Promise<HttpAnswer> {
  return answerOf(await responseTo(request({ host: '127.0.0.1', port, headers, agent: agent ?? false, ...target })));
}
