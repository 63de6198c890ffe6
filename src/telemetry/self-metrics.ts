import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

import { type FailureReason, failureReasons } from '../base/errors.js';
import { selfFamilies } from './self-families.js';

const scrapeResults = ['success', 'deadline', 'rejected', 'aborted', 'error'] as const;
type ScrapeResult = (typeof scrapeResults)[number];

const listResults = ['success', 'expired', ...failureReasons] as const;
const cacheResults = ['fresh', 'refreshed', 'stale', 'absent'] as const;
const eventTypes = ['added', 'modified', 'deleted', 'bookmark'] as const;

export interface SelfMetricsOptions {
  /** Of the exporter. */
  readonly version: string;
  /** Of Node.js. */
  readonly nodeVersion: string;
  /** All ways in which a watch can end, as `watchEnded` is told them. */
  readonly watchResults: readonly string[];
}

export interface TrackedStore {
  readonly resource: string;
  /** One per watch: '' for the whole cluster, else the namespace. */
  readonly scopes: readonly string[];
  readonly objectCount: () => number;
}

interface ScopeState {
  isConnected: boolean;
  progressedAtMs: number | undefined;
}

interface StoreState {
  readonly objectCount: () => number;
  readonly scopes: ReadonlyMap<string, ScopeState>;
}

/**
 * Gauges of prom-client that `promtool check metrics` objects to (`_total` belongs to counters; they are the sums of
 * `nodejs_active_*`), and one whose value is a bound of an empty histogram, 292 years, when two scrapes follow closely.
 */
const unwantedDefaults = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
  'nodejs_eventloop_lag_min_seconds',
];

/** What the exporter tells about itself: one method per event. Milliseconds come in, seconds are exposed. */
export class SelfMetrics {
  readonly registry = new Registry();

  readonly #scrapes = this.#counter(selfFamilies.scrapes);
  readonly #scrapeDuration = this.#histogram(
    selfFamilies.scrapeDuration,
    [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  );
  readonly #series = this.#gauge(selfFamilies.series);
  readonly #podsSkipped = this.#gauge(selfFamilies.podsSkipped);
  readonly #identityNameClashes = this.#gauge(selfFamilies.identityNameClashes);
  readonly #kubeletRequests = this.#counter(selfFamilies.kubeletRequests);
  readonly #kubeletRequestDuration = this.#histogram(
    selfFamilies.kubeletRequestDuration,
    [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  );
  readonly #cacheLookups = this.#counter(selfFamilies.cacheLookups);
  readonly #storeEvents = this.#counter(selfFamilies.storeEvents);
  readonly #storeLists = this.#counter(selfFamilies.storeLists);
  readonly #storeWatches = this.#counter(selfFamilies.storeWatches);
  readonly #storeStaleResourceVersions = this.#counter(selfFamilies.storeStaleResourceVersions);
  readonly #storeSuppressedUpdates = this.#counter(selfFamilies.storeSuppressedUpdates);
  readonly #configLastReloadSuccessful = this.#gauge(selfFamilies.configLastReloadSuccessful);
  readonly #configLastReloadSuccessTimestamp = this.#gauge(selfFamilies.configLastReloadSuccessTimestamp);
  readonly #configHash = this.#gauge(selfFamilies.configHash);
  readonly #kubeletTlsVerificationDisabled = this.#gauge(selfFamilies.kubeletTlsVerificationDisabled);

  readonly #stores = new Map<string, StoreState>();
  readonly #watchResults: readonly string[];

  constructor({ version, nodeVersion, watchResults }: SelfMetricsOptions) {
    this.#watchResults = watchResults;
    this.#gauge(selfFamilies.buildInfo).set({ version, node_version: nodeVersion }, 1);
    this.#storeGauge(selfFamilies.storeObjects, ({ objectCount }) => objectCount());
    this.#storeGauge(selfFamilies.storeWatchConnected, isConnected);
    this.#storeGauge(selfFamilies.storeLastProgress, lastProgressSeconds);
    for (const result of scrapeResults) this.#scrapes.inc({ result }, 0);
    for (const result of ['success', ...failureReasons]) this.#kubeletRequests.inc({ result }, 0);
    for (const result of cacheResults) this.#cacheLookups.inc({ result }, 0);
    // A gauge without labels starts at 0, which would be a claim about a configuration that nobody has loaded yet.
    this.#configLastReloadSuccessful.remove();
    this.#configLastReloadSuccessTimestamp.remove();
    this.#configHash.remove();
    collectDefaultMetrics({ register: this.registry });
    for (const name of unwantedDefaults) this.registry.removeSingleMetric(name);
  }

  scrapeFinished(result: Exclude<ScrapeResult, 'rejected'>, durationMs: number): void {
    this.#scrapes.inc({ result });
    this.#scrapeDuration.observe(durationMs / 1_000);
  }

  /** Answered with 503; without a duration, which would drown those of the real ones. */
  scrapeRejected(): void {
    this.#scrapes.inc({ result: 'rejected' });
  }

  setSeries(counts: Readonly<Record<string, number>>): void {
    for (const [level, count] of Object.entries(counts)) this.#series.set({ level }, count);
  }

  /** All reasons, those without a pod too. */
  setPodsSkipped(counts: ReadonlyMap<string, number>): void {
    this.#podsSkipped.reset();
    for (const [reason, count] of counts) this.#podsSkipped.set({ reason }, count);
  }

  setIdentityNameClashes(count: number): void {
    this.#identityNameClashes.set(count);
  }

  requestFinished(result: 'success' | FailureReason, durationMs: number): void {
    this.#kubeletRequests.inc({ result });
    this.#kubeletRequestDuration.observe(durationMs / 1_000);
  }

  lookedUp(result: (typeof cacheResults)[number]): void {
    this.#cacheLookups.inc({ result });
  }

  /** Takes the place of the resource's former store; what that one's watches still report is ignored from here on. */
  trackStore({ resource, scopes, objectCount }: TrackedStore): void {
    const states = scopes.map((scope) => [scope, { isConnected: false, progressedAtMs: undefined }] as const);
    this.#stores.set(resource, { objectCount, scopes: new Map<string, ScopeState>(states) });
    for (const type of eventTypes) this.#storeEvents.inc({ resource, type }, 0);
    for (const result of listResults) this.#storeLists.inc({ resource, result }, 0);
    for (const result of this.#watchResults) this.#storeWatches.inc({ resource, result }, 0);
    this.#storeStaleResourceVersions.inc({ resource }, 0);
    this.#storeSuppressedUpdates.inc({ resource }, 0);
  }

  listFinished(resource: string, result: string): void {
    this.#storeLists.inc({ resource, result });
  }

  watchEnded(resource: string, result: string): void {
    this.#storeWatches.inc({ resource, result });
  }

  eventApplied(resource: string, type: (typeof eventTypes)[number]): void {
    this.#storeEvents.inc({ resource, type });
  }

  updateSuppressed(resource: string): void {
    this.#storeSuppressedUpdates.inc({ resource });
  }

  resourceVersionExpired(resource: string): void {
    this.#storeStaleResourceVersions.inc({ resource });
  }

  watchConnected(resource: string, scope: string, isConnected: boolean): void {
    const state = this.#stores.get(resource)?.scopes.get(scope);
    if (state !== undefined) state.isConnected = isConnected;
  }

  progressed(resource: string, scope: string, atMs: number): void {
    const state = this.#stores.get(resource)?.scopes.get(scope);
    if (state !== undefined) state.progressedAtMs = atMs;
  }

  /** `hash`: a whole number that a double holds exactly. `atMs`: wall time. */
  configReloaded(hash: number, atMs: number): void {
    this.#configLastReloadSuccessful.set(1);
    this.#configLastReloadSuccessTimestamp.set(atMs / 1_000);
    this.#configHash.set(hash);
  }

  configReloadFailed(): void {
    this.#configLastReloadSuccessful.set(0);
  }

  tlsVerificationDisabled(isDisabled: boolean): void {
    this.#kubeletTlsVerificationDisabled.set(isDisabled ? 1 : 0);
  }

  #counter<L extends string>(family: FamilyOf<L>): Counter<L> {
    return new Counter({ ...configurationOf(family), registers: [this.registry] });
  }

  #gauge<L extends string>(family: FamilyOf<L>): Gauge<L> {
    return new Gauge({ ...configurationOf(family), registers: [this.registry] });
  }

  #histogram<L extends string>(family: FamilyOf<L>, buckets: number[]): Histogram<L> {
    return new Histogram({ ...configurationOf(family), buckets, registers: [this.registry] });
  }

  /** A gauge that is read from the state of each store; no series where the value is unknown. */
  #storeGauge(family: FamilyOf<'resource'>, value: (store: StoreState) => number | undefined): void {
    const gauge = new Gauge({
      ...configurationOf(family),
      registers: [this.registry],
      collect: () => {
        gauge.reset();
        for (const [resource, store] of this.#stores) {
          const current = value(store);
          if (current !== undefined) gauge.set({ resource }, current);
        }
      },
    });
  }
}

interface FamilyOf<L extends string> {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly L[];
}

function configurationOf<L extends string>({
  name,
  help,
  labels,
}: FamilyOf<L>): {
  name: string;
  help: string;
  labelNames: readonly L[];
} {
  return { name, help, labelNames: labels };
}

function isConnected({ scopes }: StoreState): number {
  return [...scopes.values()].every((scope) => scope.isConnected) ? 1 : 0;
}

function lastProgressSeconds({ scopes }: StoreState): number | undefined {
  const times = [...scopes.values()].map((scope) => scope.progressedAtMs);
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 || known.length < times.length ? undefined : Math.min(...known) / 1_000;
}
