import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

import { type FailureReason, failureReasons } from '../base/errors.js';
import { selfFamilies } from './self-families.js';
import { type StoreCounters, StoreMetrics } from './store-metrics.js';

const scrapeResults = ['success', 'deadline', 'rejected', 'aborted', 'error'] as const;
type ScrapeResult = (typeof scrapeResults)[number];

/** How a node can be without data although no request for it failed: no result of a request, hence no counter of one. */
const reasonsWithoutFailure: readonly FailureReason[] = ['empty', 'not_ready', 'never'];
const requestReasons = failureReasons.filter((reason) => !reasonsWithoutFailure.includes(reason));
const requestResults = ['success', ...requestReasons];
const listResults = ['success', 'expired', ...requestReasons];
const cacheResults = ['fresh', 'refreshed', 'stale', 'absent'] as const;

/** The part of the cluster that is measured. */
export interface MeasuredScope {
  readonly shard: number;
  readonly totalShards: number;
  /** Undefined unless one node alone is measured. */
  readonly nodeName: string | undefined;
}

export interface SelfMetricsOptions {
  /** Of the exporter. */
  readonly version: string;
  /** Of Node.js. */
  readonly nodeVersion: string;
  /** All ways in which a watch can end, as `watchEnded` is told them. */
  readonly watchResults: readonly string[];
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

  readonly #scopeInfo = this.#gauge(selfFamilies.scopeInfo);
  readonly #scrapes = this.#counter(selfFamilies.scrapes);
  readonly #scrapeDuration = this.#histogram(
    selfFamilies.scrapeDuration,
    [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  );
  readonly #series = this.#gauge(selfFamilies.series);
  readonly #seriesDropped = this.#counter(selfFamilies.seriesDropped);
  readonly #podsSkipped = this.#gauge(selfFamilies.podsSkipped);
  readonly #saturatedFigures = this.#gauge(selfFamilies.saturatedFigures);
  readonly #workloadNameClashes = this.#gauge(selfFamilies.workloadNameClashes);
  readonly #kubeletRequests = this.#counter(selfFamilies.kubeletRequests);
  readonly #kubeletRequestDuration = this.#histogram(
    selfFamilies.kubeletRequestDuration,
    [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  );
  readonly #kubeletConfigRequests = this.#counter(selfFamilies.kubeletConfigRequests);
  readonly #cacheLookups = this.#counter(selfFamilies.cacheLookups);
  readonly #configLastReloadSuccessful = this.#gauge(selfFamilies.configLastReloadSuccessful);
  readonly #configLastReloadSuccessTimestamp = this.#gauge(selfFamilies.configLastReloadSuccessTimestamp);
  readonly #configHash = this.#gauge(selfFamilies.configHash);
  readonly #kubeletTlsVerificationDisabled = this.#gauge(selfFamilies.kubeletTlsVerificationDisabled);

  readonly #storeCounters: StoreCounters = {
    events: this.#counter(selfFamilies.storeEvents),
    lists: this.#counter(selfFamilies.storeLists),
    watches: this.#counter(selfFamilies.storeWatches),
    staleResourceVersions: this.#counter(selfFamilies.storeStaleResourceVersions),
    suppressedUpdates: this.#counter(selfFamilies.storeSuppressedUpdates),
  };
  #stores: StoreMetrics | undefined;
  readonly #watchResults: readonly string[];

  constructor({ version, nodeVersion, watchResults }: SelfMetricsOptions) {
    this.#watchResults = watchResults;
    this.#gauge(selfFamilies.buildInfo).set({ version, node_version: nodeVersion }, 1);
    this.#storeGauge(selfFamilies.storeObjects, (stores, resource) => stores.objectCount(resource));
    this.#storeGauge(selfFamilies.storeWatchConnected, (stores, resource) => Number(stores.isConnected(resource)));
    this.#storeGauge(selfFamilies.storeLastProgress, (stores, resource) => {
      const atMs = stores.progressedAtMs(resource);
      return atMs === undefined ? undefined : atMs / 1_000;
    });
    for (const result of scrapeResults) this.#scrapes.inc({ result }, 0);
    for (const result of requestResults) {
      this.#kubeletRequests.inc({ result }, 0);
      this.#kubeletConfigRequests.inc({ result }, 0);
    }
    this.#seriesDropped.inc({ reason: 'max_series' }, 0);
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

  seriesDropped(reason: 'max_series', seriesCount: number): void {
    this.#seriesDropped.inc({ reason }, seriesCount);
  }

  /** All reasons, those without a pod too. */
  setPodsSkipped(counts: ReadonlyMap<string, number>): void {
    this.#podsSkipped.reset();
    for (const [reason, count] of counts) this.#podsSkipped.set({ reason }, count);
  }

  setSaturatedFigures(count: number): void {
    this.#saturatedFigures.set(count);
  }

  setWorkloadNameClashes(count: number): void {
    this.#workloadNameClashes.set(count);
  }

  requestFinished(result: 'success' | FailureReason, durationMs: number): void {
    this.#kubeletRequests.inc({ result });
    this.#kubeletRequestDuration.observe(durationMs / 1_000);
  }

  /** Beside {@link requestFinished}, which tells of the requests for summaries. */
  configRequestFinished(result: 'success' | FailureReason): void {
    this.#kubeletConfigRequests.inc({ result });
  }

  lookedUp(result: (typeof cacheResults)[number]): void {
    this.#cacheLookups.inc({ result });
  }

  /** For stores of their own; nothing is seen of their state before {@link showStores}. */
  createStoreMetrics(): StoreMetrics {
    return new StoreMetrics({
      counters: this.#storeCounters,
      listResults,
      watchResults: this.#watchResults,
    });
  }

  /** From here on the gauges tell of these stores and of no others. */
  showStores(stores: StoreMetrics): void {
    this.#stores = stores;
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

  setScope({ shard, totalShards, nodeName }: MeasuredScope): void {
    this.#scopeInfo.reset();
    this.#scopeInfo.set({ shard: String(shard), total_shards: String(totalShards), node: nodeName ?? '' }, 1);
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

  /** A gauge that is read from the state of the stores; no series where the value is unknown. */
  #storeGauge(
    family: FamilyOf<'resource'>,
    valueOf: (stores: StoreMetrics, resource: string) => number | undefined,
  ): void {
    const gauge = new Gauge({
      ...configurationOf(family),
      registers: [this.registry],
      collect: () => {
        gauge.reset();
        for (const resource of this.#stores?.resources ?? []) {
          const value = this.#stores && valueOf(this.#stores, resource);
          if (value !== undefined) gauge.set({ resource }, value);
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
