import type { Counter } from 'prom-client';

export interface TrackedStore {
  readonly resource: string;
  /** One per watch: '' for the whole cluster, else the namespace. */
  readonly scopes: readonly string[];
  readonly objectCount: () => number;
}

export interface StoreCounters {
  readonly events: Counter<'resource' | 'type'>;
  readonly lists: Counter<'resource' | 'result'>;
  readonly watches: Counter<'resource' | 'result'>;
  readonly staleResourceVersions: Counter<'resource'>;
  readonly suppressedUpdates: Counter<'resource'>;
}

export interface StoreMetricsOptions {
  readonly counters: StoreCounters;
  /** All label values, so that each counter is there from the start. */
  readonly listResults: readonly string[];
  readonly watchResults: readonly string[];
}

interface ScopeState {
  isConnected: boolean;
  progressedAtMs: number | undefined;
}

interface StoreState {
  readonly objectCount: () => number;
  readonly scopes: ReadonlyMap<string, ScopeState>;
}

const eventTypes = ['added', 'modified', 'deleted', 'bookmark'] as const;

/**
 * What the stores of one set of settings report. Counters are shared with all other sets; the state is of these stores
 * alone, so that those of former settings, which stop later, do not speak for them.
 */
export class StoreMetrics {
  readonly #options: StoreMetricsOptions;
  readonly #stores = new Map<string, StoreState>();

  constructor(options: StoreMetricsOptions) {
    this.#options = options;
  }

  trackStore({ resource, scopes, objectCount }: TrackedStore): void {
    const { counters, listResults, watchResults } = this.#options;
    const states = scopes.map((scope) => [scope, { isConnected: false, progressedAtMs: undefined }] as const);
    this.#stores.set(resource, { objectCount, scopes: new Map<string, ScopeState>(states) });
    for (const type of eventTypes) counters.events.inc({ resource, type }, 0);
    for (const result of listResults) counters.lists.inc({ resource, result }, 0);
    for (const result of watchResults) counters.watches.inc({ resource, result }, 0);
    counters.staleResourceVersions.inc({ resource }, 0);
    counters.suppressedUpdates.inc({ resource }, 0);
  }

  listFinished(resource: string, result: string): void {
    this.#options.counters.lists.inc({ resource, result });
  }

  watchEnded(resource: string, result: string): void {
    this.#options.counters.watches.inc({ resource, result });
  }

  eventApplied(resource: string, type: (typeof eventTypes)[number]): void {
    this.#options.counters.events.inc({ resource, type });
  }

  updateSuppressed(resource: string): void {
    this.#options.counters.suppressedUpdates.inc({ resource });
  }

  resourceVersionExpired(resource: string): void {
    this.#options.counters.staleResourceVersions.inc({ resource });
  }

  watchConnected(resource: string, scope: string, isConnected: boolean): void {
    const state = this.#stores.get(resource)?.scopes.get(scope);
    if (state !== undefined) state.isConnected = isConnected;
  }

  progressed(resource: string, scope: string, atMs: number): void {
    const state = this.#stores.get(resource)?.scopes.get(scope);
    if (state !== undefined) state.progressedAtMs = atMs;
  }

  get resources(): readonly string[] {
    return [...this.#stores.keys()];
  }

  objectCount(resource: string): number | undefined {
    return this.#stores.get(resource)?.objectCount();
  }

  /** Whether the watches of all scopes are connected. */
  isConnected(resource: string): boolean {
    return this.#scopesOf(resource).every((scope) => scope.isConnected);
  }

  /** Wall time of the last list, event or bookmark, of the scope that waits longest; undefined until each had one. */
  progressedAtMs(resource: string): number | undefined {
    const times = this.#scopesOf(resource).map(({ progressedAtMs }) => progressedAtMs);
    const known = times.filter((time) => time !== undefined);
    return known.length === 0 || known.length < times.length ? undefined : Math.min(...known);
  }

  #scopesOf(resource: string): readonly ScopeState[] {
    return [...(this.#stores.get(resource)?.scopes.values() ?? [])];
  }
}
