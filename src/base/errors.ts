/**
 * Why a request to a kubelet or to the API server gave no data. Closed list: the values become label values, in
 * `node_absent_info` and in the self metrics.
 */
export const failureReasons = [
  'timeout',
  'connection',
  'tls',
  'unauthorized',
  'forbidden',
  'not_found',
  'http_status',
  'decode',
  'too_large',
  'empty',
  'not_ready',
  'never',
] as const;

export type FailureReason = (typeof failureReasons)[number];

export interface RequestErrorOptions {
  readonly cause?: unknown;
  /** HTTP status of the answer, when there was one. */
  readonly status?: number;
}

/** A request that gave no data. The message names the object, the numbers and, where there is one, the mend. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly reason: FailureReason;
  readonly status: number | undefined;

  constructor(reason: FailureReason, message: string, options: RequestErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.reason = reason;
    this.status = options.status;
  }
}

/** A fault of the settings, the credentials or the command line: shown to the user as it is, without a stack. */
export class UserError extends Error {
  override readonly name = 'UserError';
}

/** The message of anything thrown, on one line. */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  return text.replaceAll(/\s*\n\s*/g, ' ');
}
