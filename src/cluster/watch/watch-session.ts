import { type Deadline, startDeadline } from '../../lib/base/abortable.js';
import type { Clock } from '../../lib/base/clock.js';
import { RequestError } from '../../lib/base/errors.js';
import { withIdleTimeout } from '../../lib/json/body-chunks.js';
import type { ApiTransport } from '../http/api-client.js';
import { ApiError } from '../http/api-error.js';
import type { WatchResult } from './next-step.js';
import type { ObjectCollection } from './resource-path.js';
import { readWatchEvents, type WatchEvent } from './watch-stream.js';

/** After the time limit that the request sets for the watch. */
const graceMs = 30_000;
/** Three bookmark periods: the API server sends one a minute. */
const maxSilenceMs = 180_000;
/** A watch that ends sooner counts as refused, also after an event: without a back-off, such watches would never pause. */
const shortMs = 1_000;

export interface WatchEnd {
  readonly result: WatchResult;
  /** Time from the headers to the end, in milliseconds; 0 without headers. */
  readonly connectedMs: number;
  /** Undefined when the server ended the watch itself. */
  readonly error: RequestError | undefined;
}

/** Describes the end of a watch that the server ended itself. */
export function endText({ result, connectedMs }: WatchEnd): string {
  if (result === 'short') return 'the server ended the watch at once';
  return `the server ended the watch after ${Math.round(connectedMs / 1_000)} s`;
}

/**
 * Watches once, from the request to its end. The time limits cover the wait for headers too. Throws the signal's reason.
 * Errors of `onConnected` and `onEvent` other than RequestError pass through.
 */
export async function watchObjects(
  options: {
    readonly api: ApiTransport;
    readonly collection: ObjectCollection;
    readonly clock: Clock;
    /** Where the watch continues: never '' or '0', which would begin with events for known objects. */
    readonly resourceVersion: string;
    /** The time limit that the server gets for the watch. */
    readonly timeoutSeconds: number;
    readonly onConnected: () => void;
    /** Called for each event whose object is of another kind: it is skipped. */
    readonly onOtherKind: (kind: string) => void;
    /** Called for each event, in order. A RequestError `decode` that it throws ends the watch as `parse`. */
    readonly onEvent: (event: WatchEvent) => void;
  },
  signal: AbortSignal,
): Promise<WatchEnd> {
  const { collection, clock, timeoutSeconds } = options;
  const durationMs = timeoutSeconds * 1000 + graceMs;
  const lateError = timedOut(collection, `the server did not end it within ${durationMs / 1000} s`);
  using deadline = startDeadline({ clock, durationMs, error: lateError, parent: signal });
  const silenceError = timedOut(collection, `no data for ${maxSilenceMs / 1000} s`);
  using silence = startDeadline({ clock, durationMs: maxSilenceMs, error: silenceError, parent: deadline.signal });
  const startedAtMs = clock.monotonicMs();
  const { connectedAtMs, error } = await follow(options, silence);
  signal.throwIfAborted();
  const endedAtMs = clock.monotonicMs();
  const connectedMs = connectedAtMs === undefined ? 0 : endedAtMs - connectedAtMs;
  const end = (result: WatchResult): WatchEnd => ({ result, connectedMs, error });
  if (deadline.signal.aborted) return end('deadline');
  if (silence.signal.aborted) return end('idle');
  if (error !== undefined)
    return end(connectedAtMs === undefined ? openFailureResult(error) : streamFailureResult(error));
  return end(endedAtMs - startedAtMs < shortMs ? 'short' : 'end');
}

/** Follows a watch to its end. `connectedAtMs`: monotonic time of the headers; undefined when there were none. */
async function follow(
  options: Parameters<typeof watchObjects>[0],
  silence: Deadline,
): Promise<{ readonly connectedAtMs: number | undefined; readonly error: RequestError | undefined }> {
  const { api, clock, resourceVersion, timeoutSeconds, onConnected, onOtherKind, onEvent } = options;
  const { path, kind, selectors } = options.collection;
  const query = {
    ...selectors,
    ...{ watch: 'true', allowWatchBookmarks: 'true', resourceVersion, timeoutSeconds: String(timeoutSeconds) },
  };
  let connectedAtMs: number | undefined;
  try {
    const body = await api.open({ path, query }, silence.signal);
    connectedAtMs = clock.monotonicMs();
    onConnected();
    const events = readWatchEvents(withIdleTimeout(body, silence), { kind, onOtherKind });
    for await (const event of events) onEvent(event);
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    return { connectedAtMs, error };
  }
  return { connectedAtMs, error: undefined };
}

function timedOut({ path }: ObjectCollection, what: string): () => RequestError {
  return () => new RequestError('timeout', `watch of ${path}: ${what}`);
}

/** Finds the result of a request that failed before its stream began. */
function openFailureResult(error: RequestError): WatchResult {
  if (error instanceof ApiError && error.isExpired) return 'expired';
  if (refusesVersion(error)) return 'rejected';
  if (error.reason === 'unauthorized' || error.reason === 'forbidden') return error.reason;
  if (error.status === undefined) return error.reason === 'decode' ? 'rejected' : 'connection';
  return statusResult(error.status);
}

function statusResult(status: number): WatchResult {
  if (status === 429) return 'throttled';
  // 501: a server or proxy that has no watches.
  return status >= 500 && status !== 501 ? 'unavailable' : 'rejected';
}

/** Returns whether another watch from the same resource version would be refused too. */
function refusesVersion(error: RequestError): boolean {
  return error instanceof ApiError && (error.isResourceVersionTooLarge || error.isInvalidRequest);
}

/** Finds the result of a stream that broke. */
function streamFailureResult(error: RequestError): WatchResult {
  if (error instanceof ApiError) {
    if (error.isExpired) return 'expired';
    if (error.status === 429) return 'throttled';
    return error.status === 504 && !refusesVersion(error) ? 'unavailable' : 'error';
  }
  if (error.reason === 'decode') return 'parse';
  return error.reason === 'too_large' ? 'line_too_long' : 'reset';
}
