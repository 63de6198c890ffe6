import { type Clock, startDeadline } from '../base/clock.js';
import { RequestError } from '../base/errors.js';
import { ApiError } from './api-error.js';
import { type ApiTransport } from './api-transport.js';
import { restartOnData } from './body.js';
import { type Collection } from './collection.js';
import { requestFailure } from './request-failure.js';
import { readWatchEvents, type WatchEvent } from './watch-stream.js';

/** Beyond the time that the server was asked to end the watch after. */
const GRACE_MS = 30_000;
/** Three bookmark periods: the API server sends one a minute. */
const SILENCE_MS = 180_000;
/** A watch without an event that ends sooner is taken for a refused one. */
const SHORT_MS = 1_000;

/** How a watch ended. Closed list: the values become label values. */
export const watchResults = [
  // By the server, as agreed.
  'end',
  // By us: the server let its time pass.
  'deadline',
  // By us: neither event nor bookmark for 180 s.
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

/** One watch, from its request to its end. Throws only the signal's reason. The time limits cover the wait for headers too. */
export async function watchObjects(options: WatchSessionOptions, signal: AbortSignal): Promise<WatchEnd> {
  const { api, collection, clock } = options;
  const what = `watch of ${collection.path}`;
  const timedOut = (text: string) => (): Error => new RequestError('timeout', `${what}: ${text}`);
  const durationMs = options.timeoutSeconds * 1000 + GRACE_MS;
  const lateError = timedOut(`the server did not end it within ${durationMs / 1000} s`);
  using deadline = startDeadline({ clock, durationMs, error: lateError, parent: signal });
  const silenceError = timedOut(`neither event nor bookmark for ${SILENCE_MS / 1000} s`);
  using silence = startDeadline({ clock, durationMs: SILENCE_MS, error: silenceError, parent: deadline.signal });
  const startedAtMs = clock.monotonicMs();
  let connectedAtMs: number | undefined;
  let eventCount = 0;
  let error: RequestError | undefined;
  try {
    const { body } = await api.open({ path: collection.path, query: queryOf(options) }, silence.signal);
    connectedAtMs = clock.monotonicMs();
    options.onConnected();
    for await (const event of readWatchEvents(restartOnData(body, silence), collection.kind)) {
      options.onEvent(event);
      eventCount += 1;
    }
  } catch (thrown) {
    error = requestFailure(thrown, what);
  }
  signal.throwIfAborted();
  const endedAtMs = clock.monotonicMs();
  const connectedMs = connectedAtMs === undefined ? 0 : endedAtMs - connectedAtMs;
  const end = (result: WatchResult): WatchEnd => ({ result, connectedMs, error });
  if (deadline.signal.aborted) return end('deadline');
  if (silence.signal.aborted) return end('idle');
  if (error !== undefined) return end(connectedAtMs === undefined ? refusalOf(error) : breakOf(error));
  return end(eventCount === 0 && endedAtMs - startedAtMs < SHORT_MS ? 'short' : 'end');
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
