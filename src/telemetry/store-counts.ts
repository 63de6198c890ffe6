import { failureReasons } from '../base/errors.js';
import {
  type EventType,
  eventTypes,
  type ListResult,
  type SkippedObjectReason,
  skippedObjectReasons,
} from '../watch/watch-observer.js';
import type { Resource } from '../watch/resource-path.js';
import type { WatchObserver } from '../watch/watch-observer.js';
import type { StoreState } from '../watch/store-lists.js';
import { type WatchResult, watchResults } from '../watch/watch-session.js';
import { Tally } from './tally.js';

/** The stores of the settings in force, and the watches that they and others use. */
export interface StoresInUse {
  readonly store: { readonly lists: { states(): readonly StoreState[] } };
  readonly watches: { readonly watchCount: number; readonly subscriptionCount: number };
}

/** Events of all watches of one resource since the start of the process. */
export interface StoreCounts {
  readonly events: Tally<EventType>;
  readonly lists: Tally<ListResult>;
  readonly watches: Tally<WatchResult>;
  readonly skippedObjects: Tally<SkippedObjectReason>;
  staleResourceVersionCount: number;
  suppressedUpdateCount: number;
  subscriberErrorCount: number;
  driftCount: number;
}

/** Nodes without data for these reasons had no failed request. */
const reasonsWithoutRequest = ['empty', 'not_ready', 'never'] as const;

export const requestFailureReasons = failureReasons.filter(
  (reason) => !(reasonsWithoutRequest as readonly string[]).includes(reason),
);

export type CountsByResource = Readonly<Record<Resource, StoreCounts>>;

export function emptyStoreCounts(): CountsByResource {
  return { nodes: emptyCounts(), pods: emptyCounts() };
}

/** Adds what it is told to the counts. */
export function storeCounter(counts: CountsByResource): WatchObserver {
  return {
    listFinished: (resource, result) => {
      counts[resource].lists.add(result);
    },
    watchEnded: (resource, result) => {
      counts[resource].watches.add(result);
    },
    eventApplied: (resource, type) => {
      counts[resource].events.add(type);
    },
    updateSuppressed: (resource) => {
      counts[resource].suppressedUpdateCount += 1;
    },
    objectSkipped: (resource, reason) => {
      counts[resource].skippedObjects.add(reason);
    },
    resourceVersionExpired: (resource) => {
      counts[resource].staleResourceVersionCount += 1;
    },
    driftFound: (resource, objectCount) => {
      counts[resource].driftCount += objectCount;
    },
    subscriberFailed: (resource) => {
      counts[resource].subscriberErrorCount += 1;
    },
  };
}

function emptyCounts(): StoreCounts {
  return {
    events: new Tally(eventTypes),
    lists: new Tally(['success', 'expired', ...requestFailureReasons]),
    watches: new Tally(watchResults),
    skippedObjects: new Tally(skippedObjectReasons),
    staleResourceVersionCount: 0,
    suppressedUpdateCount: 0,
    subscriberErrorCount: 0,
    driftCount: 0,
  };
}
