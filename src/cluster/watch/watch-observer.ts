import type { FailureReason } from '../../lib/base/errors.js';
import type { WatchResult } from './next-step.js';
import type { Resource } from './resource-path.js';

export type ListResult = 'success' | 'expired' | FailureReason;

export const eventTypeOf = { ADDED: 'added', MODIFIED: 'modified', DELETED: 'deleted', BOOKMARK: 'bookmark' } as const;
export const eventTypes = Object.values(eventTypeOf);

/**
 * Why an object of a list or an event was left out. Closed list: the values become label values. `too_large`: above 8 MiB
 * in a list; `malformed`: it lacks what every object has; `other_kind`: an event with an object of another kind.
 */
export const skippedObjectReasons = ['too_large', 'malformed', 'other_kind'] as const;

/** Counts what happens to the stores. */
export interface WatchObserver {
  readonly listFinished: (resource: Resource, result: ListResult) => void;
  readonly watchEnded: (resource: Resource, result: WatchResult) => void;
  readonly eventApplied: (resource: Resource, type: (typeof eventTypes)[number]) => void;
  readonly updateSuppressed: (resource: Resource) => void;
  readonly objectSkipped: (resource: Resource, reason: (typeof skippedObjectReasons)[number]) => void;
  readonly resourceVersionExpired: (resource: Resource) => void;
  readonly subscriberFailed: (resource: Resource) => void;
  /** So many objects differed from a list, and have been corrected. */
  readonly driftFound: (resource: Resource, objectCount: number) => void;
}
