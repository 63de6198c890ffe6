import type { WatchResult } from './watch-session.js';

/**
 * `prompt`: 0-1 s, so that clients whose watches ended together do not reconnect together. `backoff`: 0.5 s, doubled up
 * to 30 s, half of it random, and never more than eight in a minute. `prompt_once`: `prompt` for the first time in a run of
 * failures, then `backoff`. `refused`: 30-60 s, as only an operator can fix it; `backoff` in a run with other failures, as a
 * server that has just started refuses everybody until it has read its roles.
 */
export type Pause = 'prompt' | 'prompt_once' | 'backoff' | 'refused';

interface FollowUp {
  readonly next: 'watch' | 'list';
  readonly pause: Pause;
  readonly isFailure: boolean;
  /** Whether it is about watches, when it ends one soon; the others are about the server, its network or credentials. */
  readonly isOfWatch: boolean;
}

/**
 * What follows a watch. The next watch continues from the last event when nothing can have been lost. A list follows when
 * the stream can no longer be trusted: events after one that could not be read must not be applied.
 */
export const followUps: Readonly<Record<WatchResult, FollowUp>> = {
  end: { next: 'watch', pause: 'prompt', isFailure: false, isOfWatch: true },
  deadline: { next: 'watch', pause: 'prompt', isFailure: false, isOfWatch: true },
  idle: { next: 'watch', pause: 'prompt', isFailure: false, isOfWatch: true },
  short: { next: 'watch', pause: 'backoff', isFailure: true, isOfWatch: true },
  reset: { next: 'watch', pause: 'backoff', isFailure: true, isOfWatch: true },
  // Expected after an outage, whose back-off must not delay the list. Not twice: some servers expire every version.
  expired: { next: 'list', pause: 'prompt_once', isFailure: false, isOfWatch: true },
  error: { next: 'list', pause: 'backoff', isFailure: true, isOfWatch: true },
  parse: { next: 'list', pause: 'backoff', isFailure: true, isOfWatch: true },
  line_too_long: { next: 'list', pause: 'backoff', isFailure: true, isOfWatch: true },
  connection: { next: 'watch', pause: 'backoff', isFailure: true, isOfWatch: false },
  throttled: { next: 'watch', pause: 'backoff', isFailure: true, isOfWatch: false },
  unavailable: { next: 'watch', pause: 'backoff', isFailure: true, isOfWatch: false },
  unauthorized: { next: 'watch', pause: 'refused', isFailure: true, isOfWatch: false },
  forbidden: { next: 'watch', pause: 'refused', isFailure: true, isOfWatch: true },
  rejected: { next: 'list', pause: 'backoff', isFailure: true, isOfWatch: true },
};

/** While polling, each watch that ends is another failure. */
export function followUpOf(result: WatchResult, isPolling: boolean): FollowUp {
  const followUp = followUps[result];
  return !isPolling || followUp.isFailure ? followUp : { ...followUp, pause: 'backoff', isFailure: true };
}

const awayReasons: ReadonlySet<string> = new Set(['connection', 'timeout', 'unavailable', 'http_status']);
const brokenReasons: ReadonlySet<string> = new Set(['reset', 'short']);

/**
 * Whether a list or a watch failed because the server could not be reached, or was not able to respond. While polling,
 * streams break for another reason.
 */
export function isAway(reason: string, isPolling: boolean): boolean {
  return awayReasons.has(reason) || (!isPolling && brokenReasons.has(reason));
}
