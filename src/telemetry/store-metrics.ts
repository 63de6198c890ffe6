import type { Instant } from '../base/clock.js';
import { failureReasons } from '../base/errors.js';
import {
  type EventType,
  eventTypes,
  type ListResult,
  type SkippedObjectReason,
  skippedObjectReasons,
} from '../watch/reflector-observer.js';
import type { Resource } from '../watch/resource-path.js';
import { type WatchResult, watchResults } from '../watch/watch-session.js';
import { Tally } from './tally.js';

export interface TrackedStore {
  readonly resource: Resource;
  /** One per watch: '' for the whole cluster, else the namespace. */
  readonly scopes: readonly string[];
  readonly objectCount: () => number;
}

/** Events of all stores of one resource since the start of the process. */
export interface StoreCounts {
  readonly events: Tally<EventType>;
  readonly lists: Tally<ListResult>;
  readonly watches: Tally<WatchResult>;
  readonly skippedObjects: Tally<SkippedObjectReason>;
  staleResourceVersionCount: number;
  suppressedUpdateCount: number;
}

/** The current state of one store. */
export interface StoreState {
  readonly resource: Resource;
  readonly objectCount: number;
  /** One for each namespace that is listed, or one for all. */
  readonly scopes: readonly ScopeState[];
  /** Whether there are listed scopes, and the watches of all of them are connected. */
  readonly isConnected: boolean;
  /** The last list, event or bookmark, of the listed scope that waits longest; undefined before the first list. */
  readonly lastProgress: Instant | undefined;
}

interface ScopeState {
  /** '' for all namespaces. */
  readonly namespace: string;
  /** Whether it has been listed once. */
  readonly isSynced: boolean;
}

interface ScopeProgress {
  isConnected: boolean;
  /** Undefined before the first list. */
  progressedAt: Instant | undefined;
}

interface KnownStore {
  readonly objectCount: () => number;
  readonly scopes: ReadonlyMap<string, ScopeProgress>;
}

/** Nodes without data for these reasons had no failed request. */
const reasonsWithoutRequest = ['empty', 'not_ready', 'never'] as const;

export const requestFailureReasons = failureReasons.filter(
  (reason) => !(reasonsWithoutRequest as readonly string[]).includes(reason),
);

/**
 * What the stores of one set of settings report. Counts are shared with all other sets; the state is of these stores
 * alone, so that the stores of former settings, which stop later, do not change it.
 */
export class StoreMetrics {
  readonly #counts: Map<Resource, StoreCounts>;
  readonly #stores = new Map<Resource, KnownStore>();

  constructor(counts: Map<Resource, StoreCounts>) {
    this.#counts = counts;
  }

  trackStore({ resource, scopes, objectCount }: TrackedStore): void {
    const states = scopes.map((scope) => [scope, { isConnected: false, progressedAt: undefined }] as const);
    this.#stores.set(resource, { objectCount, scopes: new Map<string, ScopeProgress>(states) });
    this.#countsOf(resource);
  }

  listFinished(resource: Resource, result: ListResult): void {
    this.#countsOf(resource).lists.add(result);
  }

  watchEnded(resource: Resource, result: WatchResult): void {
    this.#countsOf(resource).watches.add(result);
  }

  eventApplied(resource: Resource, type: EventType): void {
    this.#countsOf(resource).events.add(type);
  }

  updateSuppressed(resource: Resource): void {
    this.#countsOf(resource).suppressedUpdateCount += 1;
  }

  objectSkipped(resource: Resource, reason: SkippedObjectReason): void {
    this.#countsOf(resource).skippedObjects.add(reason);
  }

  resourceVersionExpired(resource: Resource): void {
    this.#countsOf(resource).staleResourceVersionCount += 1;
  }

  watchConnected(resource: Resource, scope: string, isConnected: boolean): void {
    const state = this.#stores.get(resource)?.scopes.get(scope);
    if (state !== undefined) state.isConnected = isConnected;
  }

  progressed(resource: Resource, scope: string, at: Instant): void {
    const state = this.#stores.get(resource)?.scopes.get(scope);
    if (state !== undefined) state.progressedAt = at;
  }

  states(): readonly StoreState[] {
    return Array.from(this.#stores, ([resource, { objectCount, scopes }]) => {
      const listed = [...scopes.values()].filter(({ progressedAt }) => progressedAt !== undefined);
      return {
        resource,
        objectCount: objectCount(),
        scopes: Array.from(scopes, ([namespace, { progressedAt }]) => ({
          namespace,
          isSynced: progressedAt !== undefined,
        })),
        isConnected: listed.length > 0 && listed.every((scope) => scope.isConnected),
        lastProgress: earliest(listed),
      };
    });
  }

  #countsOf(resource: Resource): StoreCounts {
    const known = this.#counts.get(resource);
    if (known !== undefined) return known;
    const counts: StoreCounts = {
      events: new Tally(eventTypes),
      lists: new Tally(['success', 'expired', ...requestFailureReasons]),
      watches: new Tally(watchResults),
      skippedObjects: new Tally(skippedObjectReasons),
      staleResourceVersionCount: 0,
      suppressedUpdateCount: 0,
    };
    this.#counts.set(resource, counts);
    return counts;
  }
}

function earliest(scopes: readonly ScopeProgress[]): Instant | undefined {
  const instants = scopes.map(({ progressedAt }) => progressedAt).filter((instant) => instant !== undefined);
  return instants.sort((a, b) => a.monotonicMs - b.monotonicMs)[0];
}
