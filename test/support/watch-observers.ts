import type { ClusterStoreOptions } from '../../src/watch/cluster-store-options.js';
import type { ReflectorObserver } from '../../src/watch/reflector-observer.js';

const ignore = (): void => undefined;

export const silentObserver: ClusterStoreOptions['observer'] = {
  trackStore: ignore,
  listFinished: ignore,
  watchEnded: ignore,
  eventApplied: ignore,
  updateSuppressed: ignore,
  objectSkipped: ignore,
  resourceVersionExpired: ignore,
  watchConnected: ignore,
  progressed: ignore,
};

/** Adds a line for each call but that of `progressed`: a name and the values. */
export function recordingObserver(observed: string[]): ReflectorObserver {
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
    watchConnected: observe('connected'),
    progressed: ignore,
  };
}
