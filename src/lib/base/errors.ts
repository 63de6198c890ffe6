import { oneLine } from './text.js';

const requestReasons = [
  'timeout',
  'connection',
  'tls',
  'unauthorized',
  'forbidden',
  'not_found',
  'http_status',
  'decode',
  'too_large',
  'open_files',
] as const;

/**
 * Why a request to a kubelet or to the API server failed; for the last four, as a rule no request does. A closed list: its
 * members become label values of `node_absent_info` and of the self metrics.
 */
export const failureReasons = [...requestReasons, 'no_storage_stats', 'empty', 'not_ready', 'never'] as const;

export type FailureReason = (typeof failureReasons)[number];

/** The reasons with which requests fail: their counters have a series for each from the start. */
export const requestFailureReasons: readonly FailureReason[] = requestReasons;

/** A failed request. The message names the object, the values and, where there is one, the fix. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly reason: FailureReason;
  readonly status: number | undefined;

  constructor(
    reason: FailureReason,
    message: string,
    options: {
      readonly cause?: unknown;
      /** HTTP status of the response, if there was one. */
      readonly status?: number;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.reason = reason;
    this.status = options.status;
  }
}

/** A fault of the settings, the credentials or the command line. The user sees its message, without a stack. */
export class UserError extends Error {
  override readonly name = 'UserError';
  /** Whether the same attempt may succeed later: something did not respond, and nothing is known to be wrong. */
  readonly isTemporary: boolean;

  constructor(message: string, options: { readonly cause?: unknown; readonly isTemporary?: boolean } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.isTemporary = options.isTemporary === true;
  }
}

/** A flag with a value that it does not take; the message names the flag. */
export class UsageError extends UserError {}

/** The message of any thrown value, on one line. */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  return oneLine(text, Infinity);
}

/** The code of an error of Node.js or a library; '' without one. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
