import { type FailureReason, RequestError } from '../base/errors.js';
import { objectOf, objectsOf, textOf } from '../kube/json.js';

export interface ApiErrorOptions {
  readonly cause?: unknown;
  /** HTTP status, or the `code` of a Status object. */
  readonly status?: number;
  readonly statusReason?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly causes?: readonly string[];
}

/** A request to the API server that was answered, but not with the data asked for. */
export class ApiError extends RequestError {
  /** `reason` of the server's Status: `Expired`, `Timeout`, `TooManyRequests`, … */
  readonly statusReason: string | undefined;
  /** How long the server asks to wait, in milliseconds, at most {@link maxRetryAfterMs}. */
  readonly retryAfterMs: number | undefined;
  /** The `details.causes[].reason` of the server's Status. */
  readonly causes: readonly string[];

  constructor(reason: FailureReason, message: string, options: ApiErrorOptions = {}) {
    super(reason, message, {
      cause: options.cause,
      ...(options.status === undefined ? {} : { status: options.status }),
    });
    this.statusReason = options.statusReason;
    this.retryAfterMs = options.retryAfterMs;
    this.causes = options.causes ?? [];
  }

  /** The resource version or the continue token is too old: only a new list helps. */
  get isExpired(): boolean {
    return this.status === 410 || this.statusReason === 'Expired' || this.statusReason === 'Gone';
  }

  /** The server has not seen the resource version yet: another replica, or one that lags behind. Old ones only say so. */
  get isResourceVersionTooLarge(): boolean {
    return this.causes.includes('ResourceVersionTooLarge') || /too large resource version/i.test(this.message);
  }
}

const maxRetryAfterMs = 60_000;

/** Longest part of a server's message that becomes part of ours, in characters. */
const maxServerMessageLength = 500;

/** What is known of an answer with an error. */
export interface ErrorAnswer {
  /** Names the request, such as `GET /api/v1/pods`. */
  readonly what: string;
  readonly status: number;
  /** The parsed body; anything at all. */
  readonly body: unknown;
  readonly retryAfterMs?: number | undefined;
}

/**
 * An error answer, or the Status object of a watch's ERROR event.
 * https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/status/
 */
export function apiErrorOf({ what, status, body, retryAfterMs }: ErrorAnswer): ApiError {
  const { message, reason, details } = objectOf(body);
  const { retryAfterSeconds, causes } = objectOf(details);
  const said = oneLine(textOf(message) ?? '');
  return new ApiError(
    reasonOf(status),
    `${what}: the API server answered ${status}${said === '' ? '' : `: ${said}`}${mendOf(status, said)}`,
    {
      status,
      statusReason: textOf(reason),
      retryAfterMs: retryAfterMs ?? cappedRetryAfterMs(retryAfterSeconds),
      causes: objectsOf(causes).flatMap((cause) => textOf(cause['reason']) ?? []),
    },
  );
}

/** In milliseconds; undefined unless `seconds` is a number above 0. */
export function cappedRetryAfterMs(seconds: unknown): number | undefined {
  return typeof seconds === 'number' && seconds > 0 ? Math.min(seconds * 1000, maxRetryAfterMs) : undefined;
}

function reasonOf(status: number): FailureReason {
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

function mendOf(status: number, serverMessage: string): string {
  if (status === 401) return '; the credentials are missing, wrong or expired';
  if (status !== 403) return '';
  const rule =
    /cannot (?<verb>\S+) resource "(?<resource>[^"]+)" in API group "(?<group>[^"]*)"(?: in the namespace "(?<namespace>[^"]+)")?/.exec(
      serverMessage,
    );
  if (rule?.groups === undefined) return '; no RBAC rule allows it';
  const { verb, resource, group, namespace } = rule.groups;
  const role = namespace === undefined ? 'its ClusterRole' : `its Role in namespace "${namespace}" or its ClusterRole`;
  return `; grant it with the RBAC rule {apiGroups: ["${group ?? ''}"], resources: ["${resource ?? ''}"], verbs: ["${verb ?? ''}"]} in ${role}`;
}

function oneLine(text: string): string {
  const line = text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
  return line.length <= maxServerMessageLength ? line : `${line.slice(0, maxServerMessageLength)}…`;
}
