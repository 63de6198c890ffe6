import { type Clock, type Deadline, startDeadline } from '../base/clock.js';
import { RequestError } from '../base/errors.js';
import type { ApiTransport } from '../http/api-client.js';
import { ApiError } from '../http/api-error.js';
import { restartOnData } from './body.js';
import type { Collection } from './resource-path.js';
import { readWatchEvents, type WatchEvent } from './watch-stream.js';

/** Beyond the time that the server was asked to end the watch after. */
const graceMs = 30_000;
/** Three bookmark periods: the API server sends one a minute. */
const maxSilenceMs = 180_000;
/** A watch without an event that ends sooner is taken for a refused one. */
const shortMs = 1_000;

/** How a watch ended. Closed list: the values become label values. */
export const watchResults = [
  // By the server, as agreed.
  'end',
  // By us: the server let its time pass.
  'deadline',
  // By us: nothing came for 180 s, not even a bookmark.
  'idle',
  // By the server, in less than a second and without an event.
  'short',
  // The connection broke.
  'reset',
  // The server no longer knows the resource version.
  'expired',
  // An ERROR event of another kind.
  'error',
  // What came is not an event, or not one that could be applied.
  'parse',
  'line_too_long',
  // No connection, or no answer.
  'connection',
  // Status 429 or 5xx, or an ERROR event that says the same.
  'throttled',
  'unavailable',
  'unauthorized',
  'forbidden',
  // Another answer than a watch.
  'rejected',
] as const;

export type WatchResult = (typeof watchResults)[number];

export interface WatchEnd {
  readonly result: WatchResult;
  /** Time from the headers to the end, in milliseconds; 0 without headers. */
  readonly connectedMs: number;
  /** Undefined when the server ended the watch itself. */
  readonly error: RequestError | undefined;
}

export interface WatchSessionOptions {
  readonly api: ApiTransport;
  readonly collection: Collection;
  readonly clock: Clock;
  /** Where the watch goes on from: never '' or '0', which would begin with events for what is known. */
  readonly resourceVersion: string;
  /** After which the server is to end the watch. */
  readonly timeoutSeconds: number;
  readonly onConnected: () => void;
  /** Called for each event, in order. A RequestError `decode` that it throws ends the watch as `parse`. */
  readonly onEvent: (event: WatchEvent) => void;
}

/**
 * One watch, from its request to its end. The time limits cover the wait for headers too. Throws the signal's reason, and
 * what `onConnected` and `onEvent` throw unless it is a RequestError.
 */
export async function watchObjects(options: WatchSessionOptions, signal: AbortSignal): Promise<WatchEnd> {
  const { collection, clock, timeoutSeconds } = options;
  const durationMs = timeoutSeconds * 1000 + graceMs;
  const lateError = timedOut(collection, `the server did not end it within ${durationMs / 1000} s`);
  using deadline = startDeadline({ clock, durationMs, error: lateError, parent: signal });
  const silenceError = timedOut(collection, `no data for ${maxSilenceMs / 1000} s`);
  using silence = startDeadline({ clock, durationMs: maxSilenceMs, error: silenceError, parent: deadline.signal });
  const startedAtMs = clock.monotonicMs();
  const { connectedAtMs, eventCount, error } = await follow(options, silence);
  signal.throwIfAborted();
  const endedAtMs = clock.monotonicMs();
  const connectedMs = connectedAtMs === undefined ? 0 : endedAtMs - connectedAtMs;
  const end = (result: WatchResult): WatchEnd => ({ result, connectedMs, error });
  if (deadline.signal.aborted) return end('deadline');
  if (silence.signal.aborted) return end('idle');
  if (error !== undefined) return end(connectedAtMs === undefined ? refusalOf(error) : breakOf(error));
  return end(eventCount === 0 && endedAtMs - startedAtMs < shortMs ? 'short' : 'end');
}

/** What came of a watch. */
interface Stream {
  /** Monotonic time of the headers; undefined when there were none. */
  connectedAtMs: number | undefined;
  eventCount: number;
  error: RequestError | undefined;
}

async function follow(options: WatchSessionOptions, silence: Deadline): Promise<Stream> {
  const { api, collection, clock } = options;
  const stream: Stream = { connectedAtMs: undefined, eventCount: 0, error: undefined };
  try {
    const body = await api.open({ path: collection.path, query: queryOf(options) }, silence.signal);
    stream.connectedAtMs = clock.monotonicMs();
    options.onConnected();
    for await (const event of readWatchEvents(restartOnData(body, silence), collection.kind)) {
      options.onEvent(event);
      stream.eventCount += 1;
    }
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    stream.error = error;
  }
  return stream;
}

function timedOut({ path }: Collection, what: string): () => RequestError {
  return () => new RequestError('timeout', `watch of ${path}: ${what}`);
}

function queryOf(options: WatchSessionOptions): Readonly<Record<string, string>> {
  return {
    ...options.collection.selectors,
    watch: 'true',
    allowWatchBookmarks: 'true',
    resourceVersion: options.resourceVersion,
    timeoutSeconds: String(options.timeoutSeconds),
  };
}

/** Instead of a stream. */
function refusalOf(error: RequestError): WatchResult {
  if (error instanceof ApiError && error.isExpired) return 'expired';
  if (error.reason === 'unauthorized' || error.reason === 'forbidden') return error.reason;
  if (error.status === undefined) return error.reason === 'decode' ? 'rejected' : 'connection';
  if (error.status === 429) return 'throttled';
  return error.status >= 500 ? 'unavailable' : 'rejected';
}

/** In the middle of a stream. */
function breakOf(error: RequestError): WatchResult {
  if (error instanceof ApiError) {
    if (error.isExpired) return 'expired';
    if (error.status === 429) return 'throttled';
    return error.status === 504 ? 'unavailable' : 'error';
  }
  if (error.reason === 'decode') return 'parse';
  return error.reason === 'too_large' ? 'line_too_long' : 'reset';
}
