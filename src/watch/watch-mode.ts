import { followUps } from './follow-ups.js';
import type { WatchEnd } from './watch-session.js';

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
export interface WatchRun {
  readonly mode: WatchMode;
  /** So many in a row could not be kept. */
  readonly unkeptCount: number;
  /** Monotonic time of the first of them. */
  readonly unkeptSinceMs: number;
}

export const noWatches: WatchRun = { mode: 'watch', unkeptCount: 0, unkeptSinceMs: 0 };

/**
 * Polling begins with five watches in a row, over a minute or longer, that the server has answered and that could not be
 * kept, so that a server that restarts does not cause it. Nor does one that is away: it says nothing about watches, and a
 * watch costs it less than a list when it is back. Only a watch that lives for a minute ends polling.
 */
export function runAfter(run: WatchRun, { result, connectedMs }: Omit<WatchEnd, 'error'>, nowMs: number): WatchRun {
  if (connectedMs >= stableAfterMs) return noWatches;
  if (!followUps[result].isOfWatch) return { ...run, unkeptCount: 0 };
  const unkeptCount = run.unkeptCount + 1;
  const unkeptSinceMs = unkeptCount === 1 ? nowMs : run.unkeptSinceMs;
  const isEnough = unkeptCount >= enoughCount && nowMs - unkeptSinceMs >= stableAfterMs;
  return { mode: isEnough ? 'polling' : run.mode, unkeptCount, unkeptSinceMs };
}

/** From 65 s on, so that a watch that begins with a list can live for a minute before the next list. */
export function pollAfterMs(random: () => number): number {
  return 65_000 + 10_000 * random();
}

export interface NextList {
  /** `list`: no watch can come before it. */
  readonly next: 'watch' | 'list';
  readonly inMs: number;
}

/** How long to wait after a watch while polling, so that the next list comes in time, and not before. */
export function pollingPauseMs(backoffMs: number, { next, inMs }: NextList): number {
  return next === 'list' ? Math.max(backoffMs, inMs) : Math.min(backoffMs, Math.max(0, inMs));
}

/** What to log when polling begins. */
export function pollingText(reason: string): string {
  const nextStep =
    reason === 'forbidden'
      ? 'allow the verb watch in the role of the exporter'
      : 'look for a proxy or load balancer in front of the API server that cuts, buffers or refuses long requests';
  return `the watch cannot be kept, lists follow about every minute instead: ${nextStep}`;
}
