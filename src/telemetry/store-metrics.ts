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
  /** Whether the watches of all its scopes are connected. */
  readonly isConnected: boolean;
  /** The last list, event or bookmark, of the scope that waits longest; undefined until each had one. */
  readonly lastProgress: Instant | undefined;
}

interface ScopeState {
  isConnected: boolean;
  progressedAt: Instant | undefined;
}

interface KnownStore {
  readonly objectCount: () => number;
  readonly scopes: ReadonlyMap<string, ScopeState>;
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
    this.#stores.set(resource, { objectCount, scopes: new Map<string, ScopeState>(states) });
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
    return Array.from(this.#stores, ([resource, { objectCount, scopes }]) => ({
      resource,
      objectCount: objectCount(),
      isConnected: [...scopes.values()].every((scope) => scope.isConnected),
      lastProgress: earliest([...scopes.values()].map(({ progressedAt }) => progressedAt)),
    }));
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

/** Undefined unless all are known. */
function earliest(instants: readonly (Instant | undefined)[]): Instant | undefined {
  const known = instants.filter((instant) => instant !== undefined);
  if (known.length < instants.length) return undefined;
  return known.sort((a, b) => a.monotonicMs - b.monotonicMs)[0];
}
