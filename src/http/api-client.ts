import { type Agent, type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';

import { abortable } from '../base/abortable.js';
import { type Clock, startDeadline } from '../base/clock.js';
import { RequestError } from '../base/errors.js';
import type { Credentials } from '../credentials/credentials.js';
import { ApiError, apiErrorOf, cappedRetryAfterMs } from './api-error.js';
import type { ApiRequest, ApiResponse, ApiTransport } from './api-transport.js';
import { ConnectionPool } from './connection-pool.js';
import { requestFailure } from './request-failure.js';
import { responseBody } from './response-body.js';

export interface ApiClientOptions {
  readonly credentials: Credentials;
  readonly clock: Clock;
  /** Of the exporter, for the User-Agent header. */
  readonly version: string;
  /** From the call to the answer's headers, in milliseconds; 35 s without it. */
  readonly headersTimeoutMs?: number;
}

/** Above the 30 s after which proxies commonly give up, so that their answer is seen. */
const defaultHeadersTimeoutMs = 35_000;
const tcpKeepAliveMs = 30_000;
const maxErrorBodyBytes = 64 * 1024;

/** Requests to the API server over connections that stay open. */
export class ApiClient implements ApiTransport, Disposable {
  readonly #credentials: Credentials;
  readonly #clock: Clock;
  readonly #userAgent: string;
  readonly #headersTimeoutMs: number;
  readonly #pool: ConnectionPool;

  constructor({ credentials, clock, version, headersTimeoutMs = defaultHeadersTimeoutMs }: ApiClientOptions) {
    const { server, proxyUrl } = credentials;
    this.#credentials = credentials;
    this.#clock = clock;
    this.#userAgent = `ephemeral-storage-exporter/${version}`;
    this.#headersTimeoutMs = headersTimeoutMs;
    this.#pool = new ConnectionPool({ server, proxyUrl, proxyTimeoutMs: headersTimeoutMs });
  }

  async open(request: ApiRequest, signal: AbortSignal): Promise<ApiResponse> {
    const what = `GET ${request.path}`;
    using deadline = startDeadline({
      clock: this.#clock,
      durationMs: this.#headersTimeoutMs,
      parent: signal,
      error: () => {
        const limit = `${this.#headersTimeoutMs / 1000} s`;
        return new RequestError('timeout', `${what}: no answer of ${this.#credentials.server.host} within ${limit}`);
      },
    });
    try {
      const answer = await this.#authenticated(request, deadline.signal);
      const { response } = answer;
      if (response.statusCode !== 200) throw await this.#errorOf(answer, what, deadline.signal);
      checkContentType(response, what);
      return { status: 200, headers: response.headers, body: responseBody(response, what, signal) };
    } catch (error) {
      deadline.signal.throwIfAborted();
      throw requestFailure(error, what);
    }
  }

  /** Closes the connections; requests under way fail. */
  [Symbol.dispose](): void {
    this.#pool[Symbol.dispose]();
  }

  /** A token may have been replaced or revoked since it was read: one more attempt with what is there now. */
  async #authenticated(request: ApiRequest, signal: AbortSignal): Promise<Answer> {
    const first = await this.#send(request, signal);
    if (first.response.statusCode !== 401) return first;
    first.response.destroy();
    this.#credentials.invalidate();
    const repeated = await this.#send(request, signal);
    if (repeated.response.statusCode === 401) this.#credentials.invalidate();
    return repeated;
  }

  async #send({ path, query, accept }: ApiRequest, signal: AbortSignal): Promise<Answer> {
    const tls = await abortable(this.#credentials.tls(), signal);
    const authentication = await abortable(this.#credentials.headers(), signal);
    const url = new URL(this.#credentials.server);
    url.pathname = url.pathname.replace(/\/$/, '') + path;
    url.search = new URLSearchParams(query).toString();
    const agent = await this.#pool.agent(tls);
    const headers = {
      accept: accept ?? 'application/json',
      'accept-encoding': 'identity',
      'user-agent': this.#userAgent,
      ...authentication,
    };
    const response = await exchange({ url, agent, headers }, signal);
    return { response, authorization: authentication['authorization'] ?? '' };
  }

  async #errorOf({ response, authorization }: Answer, what: string, signal: AbortSignal): Promise<ApiError> {
    const status = response.statusCode ?? 0;
    if (status >= 300 && status < 400) {
      response.destroy();
      return new ApiError('http_status', `${what}: answered ${status}; redirects are not followed`, { status });
    }
    const retryAfterMs = this.#retryAfterMs(response.headers['retry-after']);
    const text = withoutToken(await readErrorText(response, what, signal), authorization);
    return apiErrorOf({ what, status, body: parsed(text), retryAfterMs });
  }

  /** Seconds or a date. https://www.rfc-editor.org/rfc/rfc9110#field.retry-after */
  #retryAfterMs(text = ''): number | undefined {
    return cappedRetryAfterMs(/^\d+$/.test(text) ? Number(text) : (Date.parse(text) - this.#clock.nowMs()) / 1000);
  }
}

interface Answer {
  readonly response: IncomingMessage;
  /** What the server was shown; '' without any. */
  readonly authorization: string;
}

interface Exchange {
  readonly url: URL;
  readonly agent: Agent;
  readonly headers: Readonly<Record<string, string>>;
}

/** One request, up to the headers of its answer. Rejects and closes the connection at once when the signal aborts. */
async function exchange(options: Exchange, signal: AbortSignal): Promise<IncomingMessage> {
  signal.throwIfAborted();
  const { url, agent, headers } = options;
  const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, { agent, headers });
  const onAbort = (): void => {
    request.destroy();
  };
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await abortable(answerOf(request), signal);
  } catch (error) {
    if (!signal.aborted && isStaleConnection(request, error)) return await exchange(options, signal);
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function answerOf(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.on('socket', (socket) => socket.setKeepAlive(true, tcpKeepAliveMs));
    request.on('response', resolve);
    request.on('error', reject);
    // An answer that switches protocols (101) ends the request without an error.
    request.on('close', () => {
      reject(new Error('it was closed without an answer'));
    });
    request.end();
  });
}

/** The server closed an idle connection just when we used it again: not a failure, since a GET may be repeated. */
function isStaleConnection(request: ClientRequest, error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return request.reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE');
}

/** Whatever else answers in the API server's place, such as a login page, is not taken for its data. */
function checkContentType(response: IncomingMessage, what: string): void {
  const type = response.headers['content-type'] ?? 'nothing';
  if (/^application\/json\s*(?:;|$)/i.test(type)) return;
  response.destroy();
  throw new ApiError('decode', `${what}: answered with ${type.slice(0, 100)}, expected application/json`, {
    status: 200,
  });
}

/** The parsed body; undefined when it is no JSON, too long or cut off. */
/** '' when it is too long or breaks off. */
async function readErrorText(response: IncomingMessage, what: string, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of responseBody(response, what, signal)) {
      length += chunk.length;
      if (length > maxErrorBodyBytes) return '';
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString();
  } catch {
    return '';
  }
}

/** A server that repeats what it was shown does not bring it into our log. */
function withoutToken(text: string, authorization: string): string {
  const token = authorization.split(' ').at(-1) ?? '';
  return token === '' ? text : text.replaceAll(token, '…');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
