import type { Clock } from '../../lib/base/clock.js';
import { RequestError } from '../../lib/base/errors.js';
import { truncate } from '../../lib/base/text.js';
import { type JsonObject, objectOf, parseJson } from '../../lib/json/json.js';
import type { Credentials } from '../credentials/credentials.js';
import { apiErrorFromResponse, type ErrorResponse } from './api-error.js';
import { HttpClient, type HttpRequest } from './http-client.js';
import type { TlsHints } from './request-failure.js';
import { readAtMost } from './response-body.js';

/** A body is of a review: it must create nothing. Compression pays for large lists, and not for a watch. */
export interface ApiRequest extends Pick<HttpRequest, 'body' | 'acceptsGzip'> {
  /** Below the server's URL, such as `/api/v1/pods`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
}

export interface ApiTransport {
  /**
   * Resolves with the decompressed body when the headers of a JSON response with status 200 or 201 are there.
   * Throws RequestError (ApiError for another status), or the signal's reason when it aborts. The signal ends the body
   * too; leaving the loop over the body early closes the connection.
   */
  open(request: ApiRequest, signal: AbortSignal): Promise<AsyncIterable<Buffer>>;
}

/** More than the 30 s after which proxies commonly time out, so that their response arrives. */
const defaultHeadersTimeoutMs = 35_000;

/** Of the path in error messages: a name that no server takes may be of any length. */
const maxPathLength = 500;

/** Requests to the API server. */
export class ApiClient implements ApiTransport, Disposable {
  readonly server: URL;
  readonly #errorFromResponse: (response: ErrorResponse) => RequestError;
  readonly #disablesCompression: boolean;
  readonly #http: HttpClient;

  constructor({
    headersTimeoutMs = defaultHeadersTimeoutMs,
    ...options
  }: {
    readonly credentials: Credentials;
    readonly clock: Clock;
    /** Of the exporter, for the User-Agent header. */
    readonly version: string;
    /** From the call to the headers of the response, in milliseconds; 35 s without it. */
    readonly headersTimeoutMs?: number;
    readonly tlsHints?: TlsHints;
    /** For another server in place of the API server. */
    readonly errorFromResponse?: (response: ErrorResponse) => RequestError;
  }) {
    const { server, proxyUrl, disablesCompression = false } = options.credentials;
    this.server = server;
    this.#disablesCompression = disablesCompression;
    this.#errorFromResponse =
      options.errorFromResponse ?? ((response) => apiErrorFromResponse(response, options.clock));
    const proxy = proxyUrl && { url: proxyUrl, serverHost: server.hostname };
    this.#http = new HttpClient({ ...options, protocol: server.protocol, proxy, headersTimeoutMs });
  }

  async open(
    { path, query, body, acceptsGzip = false }: ApiRequest,
    signal: AbortSignal,
  ): Promise<AsyncIterable<Buffer>> {
    const url = new URL(this.server);
    url.pathname = url.pathname.replace(/\/$/, '') + path;
    url.search = new URLSearchParams(query).toString();
    const request = {
      url,
      what: truncate(`${body === undefined ? 'GET' : 'POST'} ${path}`, maxPathLength),
      body,
      acceptsGzip: acceptsGzip && !this.#disablesCompression,
      errorFromResponse: this.#errorFromResponse,
    };
    return this.#http.open(request, signal);
  }

  /** Closes idle connections now and the others when their requests end. */
  [Symbol.dispose](): void {
    this.#http[Symbol.dispose]();
  }
}

const maxBodyBytes = 16 * 2 ** 20;

/** Returns an object of the API server, or a short list; one without any field for another body. Throws RequestError. */
export async function readObject(api: ApiTransport, request: ApiRequest, signal: AbortSignal): Promise<JsonObject> {
  const what = `GET ${request.path}`;
  const { bytes, isComplete } = await readAtMost(await api.open(request, signal), maxBodyBytes);
  if (!isComplete) throw new RequestError('too_large', `${what}: more than ${maxBodyBytes} bytes`);
  return objectOf(parseJson(bytes.toString(), () => new RequestError('decode', `${what}: not JSON`)));
}
