import type { WatchObserver } from '../../src/cluster/watch/watch-observer.js';

const ignore = (): void => undefined;

export const silentObserver: WatchObserver = {
  subscriberFailed: ignore,
  driftFound: ignore,
  listFinished: ignore,
  watchEnded: ignore,
  eventApplied: ignore,
  updateSuppressed: ignore,
  objectSkipped: ignore,
  resourceVersionExpired: ignore,
};

/** For watches that end only when they are stopped. */
export function mustNotEnd(error: Error): void {
  throw error;
}

/** Adds a line for each call: a name and the values. */
export function recordingObserver(observed: string[]): WatchObserver {
  const observe =
    (name: string) =>
    (...values: unknown[]): void => {
      observed.push([name, ...values].join(' '));
    };
  return {
    listFinished: observe('list'),
    watchEnded: observe('watch'),
    eventApplied: observe('event'),
    updateSuppressed: observe('suppressed'),
    objectSkipped: observe('skipped'),
    resourceVersionExpired: observe('expired'),
    subscriberFailed: observe('failed'),
    driftFound: observe('drift'),
  };
}
