import type { Pause } from './retries.js';
import type { WatchResult } from './watch-session.js';

interface FollowUp {
  readonly next: 'watch' | 'list';
  readonly pause: Pause;
  readonly isFailure: boolean;
}

/**
 * What follows a watch. The next watch continues from the last event when nothing can have been lost. A list follows when
 * the stream can no longer be trusted: events after one that could not be read must not be applied.
 */
export const followUps: Readonly<Record<WatchResult, FollowUp>> = {
  end: { next: 'watch', pause: 'prompt', isFailure: false },
  deadline: { next: 'watch', pause: 'prompt', isFailure: false },
  idle: { next: 'watch', pause: 'prompt', isFailure: false },
  short: { next: 'watch', pause: 'backoff', isFailure: true },
  reset: { next: 'watch', pause: 'backoff', isFailure: true },
  // Expected after an outage, whose back-off must not delay the list. Not twice: some servers expire every version.
  expired: { next: 'list', pause: 'prompt_once', isFailure: false },
  error: { next: 'list', pause: 'backoff', isFailure: true },
  parse: { next: 'list', pause: 'backoff', isFailure: true },
  line_too_long: { next: 'list', pause: 'backoff', isFailure: true },
  connection: { next: 'watch', pause: 'backoff', isFailure: true },
  throttled: { next: 'watch', pause: 'backoff', isFailure: true },
  unavailable: { next: 'watch', pause: 'backoff', isFailure: true },
  unauthorized: { next: 'watch', pause: 'long', isFailure: true },
  forbidden: { next: 'watch', pause: 'long', isFailure: true },
  rejected: { next: 'list', pause: 'backoff', isFailure: true },
};

/** Of lists and watches: the server could not be reached, or was not able to respond. */
export const awayReasons: ReadonlySet<string> = new Set([
  'connection',
  'timeout',
  'reset',
  'short',
  'unavailable',
  'http_status',
]);
