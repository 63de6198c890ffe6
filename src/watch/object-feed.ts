import type { FirstList } from './first-list.js';
import type { AttemptFailure } from './retries.js';
import type { WatchMode } from './watch-mode.js';

/** What keeps a store equal to a collection. */
export interface ObjectFeed {
  readonly firstList: FirstList;
  /** The store has contained a complete list once. Never false again. */
  readonly hasSynced: boolean;
  /** The API server could not be reached at the last attempt, or was not able to respond. */
  readonly isServerAway: boolean;
  readonly mode: WatchMode;
  /** Undefined while the last attempt has not failed. */
  readonly lastFailure: AttemptFailure | undefined;
  /** Never rejects, and does not end before the signal. */
  run(signal: AbortSignal): Promise<void>;
  /** What is known is in doubt: the next attempt reads the newest state. */
  relist(): void;
}

/** Where objects are read from in place of the API server: from one that lists them, and tells of no changes. */
export interface PolledSource {
  /** Names the list in messages and in the log. */
  readonly what: string;
  /** Sends one request; `read` gets its body, within limits of size and time. Throws RequestError, or the signal's reason. */
  readonly request: <R>(read: (body: AsyncIterable<Buffer>) => Promise<R>, signal: AbortSignal) => Promise<R>;
  /** An object in the form of the API server. Throws RequestError for one that proves the list to be another one's. */
  readonly translate: (item: unknown) => unknown;
  /** From the start of a request to that of the next one, in milliseconds. */
  readonly pauseMs: (hasFailed: boolean) => number;
  /** Whether a list may lack objects for as long as this holds. */
  readonly mayBePartial: () => boolean;
}
