import type { IncomingMessage } from 'node:http';
import type { LookupFunction } from 'node:net';
import { isDeepStrictEqual } from 'node:util';

import { abortable, type Deadline, startDeadline } from '../../lib/base/abortable.js';
import type { Clock } from '../../lib/base/clock.js';
import { RequestError } from '../../lib/base/errors.js';
import type { Authentication, CredentialMaterial } from '../credentials/credentials.js';
import type { ErrorResponse } from './api-error.js';
import { redacted, withoutSecrets } from './redaction.js';
import { isTlsFailure, requestFailure, type TlsHints } from './request-failure.js';
import { readAtMost, responseBody } from './response-body.js';
import { RotatingAgent } from './rotating-agent.js';
import { sendRequest } from './send-request.js';

export interface HttpRequest {
  readonly url: URL;
  /** Begins error messages, such as `GET /api/v1/pods`. */
  readonly what: string;
  /** Completes the server name of the credentials, which may be a template. */
  readonly expandServerName?: (template: string) => string;
  /** Resolves the name of the host, but not for a proxy. Default: as the system does. */
  readonly lookup?: LookupFunction | undefined;
  /** Makes it a POST, which must have no effect, as it may be sent twice. */
  readonly body?:
    | {
        readonly text: string;
        /** Parts of it that no message may repeat. */
        readonly secrets: readonly string[];
      }
    | undefined;
  /** Whether the response may be compressed. Default: false. */
  readonly acceptsGzip?: boolean | undefined;
  /** The error for a status other than 200 and 201, redirects excluded. */
  readonly errorFromResponse: (response: ErrorResponse) => RequestError;
}

const maxErrorBytes = 64 * 1024;

/**
 * Least time between two renewals: shorter than tokens live, also those whose source does not say for how long. An exec plugin
 * must not run for each response of servers that accept none; files are read again after this time anyway.
 */
const renewalPauseMs = 60_000;

/** Sends requests for JSON over kept connections, with credentials that may change between requests. */
export class HttpClient implements Disposable {
  readonly #options;
  readonly #agent: RotatingAgent;
  /** Monotonic time in milliseconds. */
  #renewedAtMs = -Infinity;

  constructor(options: {
    readonly credentials: Authentication;
    /** Of all requests: `https:` or `http:`. */
    readonly protocol: string;
    /** All requests through a proxy go to this one host. */
    readonly proxy?: { readonly url: URL; readonly serverHost: string } | undefined;
    /** Of the exporter, for the User-Agent header. */
    readonly version: string;
    readonly clock: Clock;
    /** From the call to the headers of the response, in milliseconds. Without it, only the signal limits the wait. */
    readonly headersTimeoutMs?: number;
    readonly tlsHints?: TlsHints;
    /** To all hosts together; the others are closed after their request. Default: all. */
    readonly maxKeptConnections?: number;
  }) {
    const { protocol, proxy, headersTimeoutMs = 0, maxKeptConnections } = options;
    this.#options = options;
    this.#agent = new RotatingAgent({
      isTls: protocol === 'https:',
      proxy: proxy && { ...proxy, timeoutMs: headersTimeoutMs },
      maxKeptConnections,
    });
  }

  /**
   * Resolves with the decompressed body when the headers of a JSON response with status 200 or 201 are there. Throws
   * RequestError, or the signal's reason when it aborts. The signal ends the body too; leaving the loop over the body
   * early closes the connection.
   */
  async open(request: HttpRequest, signal: AbortSignal): Promise<AsyncIterable<Buffer>> {
    const { what } = request;
    using deadline = this.#headersDeadline(request, signal);
    const limit = deadline?.signal ?? signal;
    try {
      const { response, material } = await this.#authenticated(request, limit);
      const secrets = secretsOf(request, material);
      if (response.statusCode !== 200 && response.statusCode !== 201)
        throw await errorOf(response, request, secrets, limit);
      checkContentType(response, what, secrets);
      return withoutSecrets(responseBody(response, what, signal), secrets);
    } catch (error) {
      limit.throwIfAborted();
      throw requestFailure(error, what, this.#options.tlsHints);
    }
  }

  /** Closes idle connections now and the others when their requests end. */
  [Symbol.dispose](): void {
    this.#agent[Symbol.dispose]();
  }

  #headersDeadline({ what, url }: HttpRequest, parent: AbortSignal): Deadline | undefined {
    const { clock, headersTimeoutMs: durationMs } = this.#options;
    if (durationMs === undefined) return undefined;
    const error = (): RequestError =>
      new RequestError('timeout', `${what}: no response from ${url.host} within ${durationMs / 1000} s`);
    return startDeadline({ clock, durationMs, parent, error });
  }

  /** A token may have been replaced since it was read: after a 401, one more attempt if there are other credentials. */
  async #authenticated(request: HttpRequest, signal: AbortSignal): Promise<AuthenticatedResponse> {
    const first = await this.#verified(request, signal);
    const isRefused = first.response.statusCode === 401;
    const renewed = isRefused ? await this.#renewed(first.material, signal) : undefined;
    if (renewed === undefined) return first;
    first.response.destroy();
    return this.#send(request, renewed, signal);
  }

  /** The authority may have been replaced since it was read: after a failed verification, one more attempt with another. */
  async #verified(request: HttpRequest, signal: AbortSignal): Promise<AuthenticatedResponse> {
    const { credentials } = this.#options;
    const material = await abortable(credentials.material(), signal);
    try {
      return await this.#send(request, material, signal);
    } catch (error) {
      if (signal.aborted || !isTlsFailure(error)) throw error;
      const reread = await abortable(credentials.reread(), signal);
      if (isDeepStrictEqual(reread.tls, material.tls)) throw error;
      return await this.#send(request, reread, signal);
    }
  }

  /** Other credentials than those that were refused; undefined if there are none. */
  async #renewed(refused: CredentialMaterial, signal: AbortSignal): Promise<CredentialMaterial | undefined> {
    const { credentials, clock } = this.#options;
    const current = await abortable(credentials.material(), signal);
    if (!isDeepStrictEqual(current, refused)) return current;
    if (clock.monotonicMs() - this.#renewedAtMs < renewalPauseMs) return undefined;
    this.#renewedAtMs = clock.monotonicMs();
    credentials.invalidate();
    const renewed = await abortable(credentials.material(), signal);
    return isDeepStrictEqual(renewed, refused) ? undefined : renewed;
  }

  async #send(
    { url, expandServerName, lookup, body, acceptsGzip }: HttpRequest,
    material: CredentialMaterial,
    signal: AbortSignal,
  ): Promise<AuthenticatedResponse> {
    const { version } = this.#options;
    const { headers, tls } = material;
    const serverName = tls.serverName && (expandServerName?.(tls.serverName) ?? tls.serverName);
    const options = {
      agent: await this.#agent.agentFor(tls),
      lookup,
      headers: {
        accept: 'application/json',
        'accept-encoding': acceptsGzip === true ? 'gzip' : 'identity',
        'user-agent': `ephemeral-storage-exporter/${version}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(serverName === undefined ? {} : { servername: serverName }),
    };
    return { response: await sendRequest({ url, options, body: body?.text }, signal), material };
  }
}

interface AuthenticatedResponse {
  readonly response: IncomingMessage;
  /** What the server received. */
  readonly material: CredentialMaterial;
}

/** What no message may repeat. */
function secretsOf({ body }: HttpRequest, { headers: { authorization = '' } }: CredentialMaterial): readonly string[] {
  return [String(authorization).split(' ').at(-1) ?? '', ...(body?.secrets ?? [])];
}

/** A login page or another program in the server's place is not taken for its data. */
function checkContentType(response: IncomingMessage, what: string, secrets: readonly string[]): void {
  const type = response.headers['content-type'] ?? 'none';
  if (/^application\/json\s*(?:;|$)/i.test(type)) return;
  response.destroy();
  const message = `${what}: content type ${JSON.stringify(redacted(type, secrets).slice(0, 100))} instead of application/json`;
  throw new RequestError('decode', message, { status: 200 });
}

async function errorOf(
  response: IncomingMessage,
  { what, errorFromResponse }: HttpRequest,
  secrets: readonly string[],
  signal: AbortSignal,
): Promise<RequestError> {
  const { statusCode: status = 0, headers } = response;
  if (status >= 300 && status < 400) {
    response.destroy();
    return new RequestError('http_status', `${what}: the server answered ${status}; redirects are not followed`, {
      status,
    });
  }
  // The status matters more than its body: '' when the body cannot be read.
  const text = await readAtMost(responseBody(response, what, signal), maxErrorBytes).then(
    ({ bytes, isComplete }) => redactedBeginning(bytes.toString(), isComplete, secrets),
    () => '',
  );
  return errorFromResponse({ what, status, headers, text });
}

/** A text that is cut may end in a part of a secret. */
function redactedBeginning(text: string, isComplete: boolean, secrets: readonly string[]): string {
  const known = redacted(text, secrets);
  return isComplete ? known : known.slice(0, known.length - Math.max(0, ...secrets.map(({ length }) => length)));
}
