import type { IncomingHttpHeaders } from 'node:http';

import type { Clock } from '../../lib/base/clock.js';
import { type FailureReason, RequestError } from '../../lib/base/errors.js';
import { oneLine } from '../../lib/base/text.js';
import { objectOf, objectsOf, parseJson, textOf } from '../../lib/json/json.js';

/** The API server answered a request with an error. */
export class ApiError extends RequestError {
  readonly #details;

  constructor(
    message: string,
    details: {
      /** HTTP status, or the `code` of a Status object. */
      readonly status: number;
      /** `reason` of the Status object: `Expired`, `Timeout`, `TooManyRequests`, … */
      readonly statusReason: string | undefined;
      /** How long the server asks clients to wait, in milliseconds, at most {@link maxRetryAfterMs}. */
      readonly retryAfterMs: number | undefined;
      /** Of each of the `details.causes` of the Status object, its reason and its message. */
      readonly causes: readonly string[];
    },
  ) {
    super(reasonForStatus(details.status), message, { status: details.status });
    this.#details = details;
  }

  get retryAfterMs(): number | undefined {
    return this.#details.retryAfterMs;
  }

  /** The resource version or the continue token is too old: only a new list helps. */
  get isExpired(): boolean {
    const { status, statusReason } = this.#details;
    return status === 410 || statusReason === 'Expired' || statusReason === 'Gone';
  }

  /**
   * The server lags behind another replica, or was restored from a backup, and has not reached the resource version. From
   * 1.19 on a cause has the reason; from 1.17 on its message says so; before, only the message of the Status object.
   */
  get isResourceVersionTooLarge(): boolean {
    const { causes } = this.#details;
    return (
      causes.includes('ResourceVersionTooLarge') ||
      [this.message, ...causes].some((text) => /too large resource version/i.test(text))
    );
  }

  /** The URL or the headers are longer than the server takes: the same request fails again. */
  get isTooLongRequest(): boolean {
    return this.#details.status in tooLongHints;
  }

  /**
   * The parameters of the request are not valid, such as a resource version of another storage: the same request fails
   * again. The watch cache answers 500 to a version that it cannot parse.
   */
  get isInvalidRequest(): boolean {
    const { status } = this.#details;
    return status === 400 || status === 422 || (status === 500 && /resourceVersion: Invalid value/i.test(this.message));
  }
}

const tooLongHints: Readonly<Record<number, string>> = {
  414: '; the URL is too long for it or a proxy in front of it: shorten the selectors of the settings',
  431: '; the headers are too long for it or a proxy in front of it: use a shorter token, or impersonate fewer groups',
};

const maxRetryAfterMs = 60_000;
const maxQuoteLength = 500;

/** The error for a response whose body should be a Status object. The clock is for a date in Retry-After without a Date. */
export function apiErrorFromResponse({ what, status, headers, text }: ErrorResponse, clock: Clock): ApiError {
  const retryAfterMs = retryAfterMsOf(headers, clock);
  return apiErrorFromStatus({ what, status, body: parseJson(text) ?? plainBody(headers, text), retryAfterMs });
}

/**
 * The error for a Status object: of a response, or of a watch's ERROR event.
 * https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/status/
 */
export function apiErrorFromStatus({
  what,
  status,
  body,
  retryAfterMs,
}: {
  /** Names the request, such as `GET /api/v1/pods`. */
  readonly what: string;
  readonly status: number;
  /** The parsed Status object; may be anything. */
  readonly body: unknown;
  /** Takes precedence over that of the Status object. */
  readonly retryAfterMs?: number | undefined;
}): ApiError {
  const { message, reason, details } = objectOf(body);
  const { retryAfterSeconds, causes } = objectOf(details);
  const quote = oneLine(textOf(message) ?? '', maxQuoteLength);
  return new ApiError(`${statusMessage({ what, status }, 'the API server', quote)}${hintFor(status, quote)}`, {
    status,
    statusReason: textOf(reason),
    retryAfterMs: retryAfterMs ?? cappedRetryAfterMs(retryAfterSeconds),
    causes: objectsOf(causes).flatMap((cause) =>
      [textOf(cause['reason']) ?? [], textOf(cause['message']) ?? []].flat(),
    ),
  });
}

/** Seconds, or a date by the server's own clock. https://www.rfc-editor.org/rfc/rfc9110#field.retry-after */
function retryAfterMsOf({ date = '', 'retry-after': text = '' }: ErrorResponse['headers'], clock: Clock) {
  if (/^\d+$/.test(text)) return cappedRetryAfterMs(Number(text));
  const serverNowMs = Date.parse(date);
  return cappedRetryAfterMs((Date.parse(text) - (Number.isNaN(serverNowMs) ? clock.nowMs() : serverNowMs)) / 1000);
}

/** In milliseconds; undefined unless `seconds` is a number above 0. */
function cappedRetryAfterMs(seconds: unknown): number | undefined {
  return typeof seconds === 'number' && seconds > 0 ? Math.min(seconds * 1000, maxRetryAfterMs) : undefined;
}

function hintFor(status: number, serverMessage: string): string {
  if (status === 401) return '; the credentials are missing, invalid or expired';
  if (status !== 403) return tooLongHints[status] ?? '';
  const rule =
    /cannot (?<verb>\S+) resource "(?<resource>[^"]+)" in API group "(?<group>[^"]*)"(?: in the namespace "(?<namespace>[^"]+)")?/.exec(
      serverMessage,
    );
  if (rule?.groups === undefined) return '; no RBAC rule allows it';
  const { verb = '', resource = '', group = '', namespace } = rule.groups;
  const role = namespace === undefined ? 'its ClusterRole' : `its Role in namespace "${namespace}" or its ClusterRole`;
  return `; ${rbacHint({ apiGroup: group, resource, verb }, role)}`;
}

/** The proxy of the API server passes on a kubelet's plain text. */
function plainBody(headers: ErrorResponse['headers'], message: string): unknown {
  return headers['content-type']?.startsWith('text/plain') === true ? { message } : undefined;
}

/** A response with a status other than 200. */
export interface ErrorResponse {
  /** Names the request; begins the error message. */
  readonly what: string;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The beginning of the body, at most 64 KiB, without the credentials that the server may repeat in it. */
  readonly text: string;
}

export function reasonForStatus(status: number): FailureReason {
  switch (status) {
    case 401:
      return 'unauthorized';
    case 403:
      return 'forbidden';
    case 404:
      return 'not_found';
    default:
      return 'http_status';
  }
}

/** `WHAT: the kubelet answered 403: QUOTE`. */
export function statusMessage(
  { what, status }: Pick<ErrorResponse, 'what' | 'status'>,
  server: string,
  quote: string,
): string {
  return `${what}: ${server} answered ${status}${quote === '' ? '' : `: ${quote}`}`;
}

/** `role` names where the rule belongs, such as `its ClusterRole`. */
export function rbacHint(
  { apiGroup, resource, verb }: { readonly apiGroup: string; readonly resource: string; readonly verb: string },
  role: string,
): string {
  return `grant it with the RBAC rule {apiGroups: ["${apiGroup}"], resources: ["${resource}"], verbs: ["${verb}"]} in ${role}`;
}
