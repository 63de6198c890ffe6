/**
 * `immediate`: 0-1 s, so that clients whose watches ended together do not reconnect together. `backoff`: 0.5 s, doubled up to
 * 30 s, half of it random, and never more than eight in a minute. `immediateOnce`: `immediate` for the first time in a run of
 * failures, then `backoff`. `refused`: 30-60 s, as only an operator can fix it; `backoff` in a run with other failures, as a
 * server that has just started refuses everybody until it has read its roles.
 */
export type Delay = 'immediate' | 'immediateOnce' | 'backoff' | 'refused';

interface NextStep {
  readonly next: 'watch' | 'list';
  readonly delay: Delay;
  readonly isFailure: boolean;
  /** Whether it is about watches, when it ends one soon; the others are about the server, its network or credentials. */
  readonly isOfWatch: boolean;
}

const continues: NextStep = { next: 'watch', delay: 'immediate', isFailure: false, isOfWatch: true };
const retries: NextStep = { next: 'watch', delay: 'backoff', isFailure: true, isOfWatch: true };
const retriesServer: NextStep = { ...retries, isOfWatch: false };
const lists: NextStep = { ...retries, next: 'list' };

/**
 * How a watch can end, and what follows. The next watch continues from the last event when nothing can have been lost. A list
 * follows when the stream can no longer be trusted: events after one that could not be read must not be applied. Closed list: the
 * keys become label values.
 */
const nextSteps = {
  /** The server ended it at the time limit. */
  end: continues,
  /** The client ended it: the server exceeded the time limit. */
  deadline: continues,
  /** The client ended it: no data for 180 s, not even a bookmark. */
  idle: continues,
  /** The server ended it in less than a second. */
  short: retries,
  /** The connection broke. */
  reset: retries,
  /**
   * The resource version has expired, as is expected after an outage, whose back-off must not delay the list. Not twice: some
   * servers expire every version.
   */
  expired: { next: 'list', delay: 'immediateOnce', isFailure: false, isOfWatch: true },
  /** An ERROR event of another kind. */
  error: lists,
  /** The data is not an event, or not one that can be applied. */
  parse: lists,
  line_too_long: lists,
  /** No connection, or no response. */
  connection: retriesServer,
  /** Status 429, and then 5xx, of the response or of an ERROR event. */
  throttled: retriesServer,
  unavailable: retriesServer,
  unauthorized: { ...retriesServer, delay: 'refused' },
  forbidden: { ...retries, delay: 'refused' },
  /** The response is not a watch, or refuses watches or the resource version. */
  rejected: lists,
} as const satisfies Readonly<Record<string, NextStep>>;

export type WatchResult = keyof typeof nextSteps;
export const watchResults = Object.keys(nextSteps) as readonly WatchResult[];

/** Returns what follows a watch. While polling, each one that ends is another failure. */
export function nextStepAfter(result: WatchResult, isPolling: boolean): NextStep {
  const step: NextStep = nextSteps[result];
  return !isPolling || step.isFailure ? step : { ...step, delay: 'backoff', isFailure: true };
}

const awayReasons: ReadonlySet<string> = new Set(['connection', 'timeout', 'unavailable', 'http_status']);
const brokenReasons: ReadonlySet<string> = new Set(['reset', 'short']);

/**
 * Returns whether a list or a watch failed because the server could not be reached, or was not able to respond. While polling,
 * streams break for another reason.
 */
export function isAway(reason: string, isPolling: boolean): boolean {
  return awayReasons.has(reason) || (!isPolling && brokenReasons.has(reason));
}

/**
 * How a collection is followed. Closed list: the values become label values. `polling`: its watch cannot be kept, and it is
 * listed whenever there has been no list, event or bookmark for about a minute; watches are tried in between.
 */
export const watchModes = ['watch', 'polling'] as const;
export type WatchMode = (typeof watchModes)[number];

/** A watch that has lived so long works: the run of failures has ended. A server whose streams break sooner is not well. */
export const stableAfterMs = 60_000;
const enoughCount = 5;

/** The watches since the last one that has lived for a minute. */
export interface RecentWatches {
  readonly mode: WatchMode;
  /** So many in a row could not be kept. */
  readonly unkeptCount: number;
  /** Monotonic time of the first of them. */
  readonly unkeptSinceMs: number;
}

export const noWatches: RecentWatches = { mode: 'watch', unkeptCount: 0, unkeptSinceMs: 0 };

/**
 * Adds a watch. Polling begins with five in a row, over a minute or longer, that the server has answered and that could not be
 * kept, so that a server that restarts does not cause it. Nor does one that is away: it says nothing about watches, and a
 * watch costs it less than a list when it is back. Only a watch that lives for a minute ends polling.
 */
export function withWatch(
  watches: RecentWatches,
  { result, connectedMs }: { readonly result: WatchResult; readonly connectedMs: number },
  nowMs: number,
): RecentWatches {
  if (connectedMs >= stableAfterMs) return noWatches;
  if (!nextSteps[result].isOfWatch) return { ...watches, unkeptCount: 0 };
  const unkeptCount = watches.unkeptCount + 1;
  const unkeptSinceMs = unkeptCount === 1 ? nowMs : watches.unkeptSinceMs;
  const isEnough = unkeptCount >= enoughCount && nowMs - unkeptSinceMs >= stableAfterMs;
  return { mode: isEnough ? 'polling' : watches.mode, unkeptCount, unkeptSinceMs };
}

/** From 65 s on, so that a watch that begins with a list can live for a minute before the next list. */
export function pollAfterMs(random: () => number): number {
  return 65_000 + 10_000 * random();
}

/** Half of it is random, so that exporters which started together do not list together. A watch ends 5 to 10 minutes later. */
export function checkAfterMs(random: () => number): number {
  return 1_800_000 + 1_200_000 * random();
}

/** Returns what to log when polling begins. */
export function pollingText(reason: string): string {
  const advice =
    reason === 'forbidden'
      ? 'allow the verb watch in the role of the exporter'
      : 'look for a proxy or load balancer in front of the API server that cuts, buffers or refuses long requests';
  return `the watch cannot be kept, lists follow about every minute instead: ${advice}`;
}
