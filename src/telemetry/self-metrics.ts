import { Counter, Gauge, Histogram, Registry } from 'prom-client';

import type { Instant } from '../base/clock.js';
import type { FailureReason } from '../base/errors.js';
import type { Level } from '../exposition/family.js';
import { type LifecycleEventType, lifecycleEventTypes } from '../kube/pod-lifecycle.js';
import {
  type EarlyRequestReason,
  earlyRequestReasons,
  type LookupResult,
  lookupResults,
} from '../kubelet/kubelet-cache.js';
import type { SnapshotCounts } from '../scrape/snapshot-counts.js';
import type { WatchObserver } from '../watch/watch-observer.js';
import type { StoreState } from '../watch/store-lists.js';
import { collectNodeMetrics } from './node-metrics.js';
import { QueueMetrics } from './queue-metrics.js';
import { type ReloadedFile, ReloadState } from './reload-state.js';
import { selfFamilies } from './self-families.js';
import type { ExposeFamily, FamilyOf, Sample } from './self-family.js';
import { emptyStoreCounts, requestFailureReasons, storeCounter, type StoresInUse } from './store-counts.js';
import { exposeStores } from './store-families.js';
import { Tally } from './tally.js';

const scrapeResults = ['success', 'deadline', 'rejected', 'aborted', 'error'] as const;
type ScrapeResult = (typeof scrapeResults)[number];

type RequestResult = 'success' | FailureReason;
const requestResults: readonly RequestResult[] = ['success', ...requestFailureReasons];

const droppedReasons = ['max_series', 'large_pods'] as const;
type DroppedReason = (typeof droppedReasons)[number];

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
}

/** The state of the exporter as plain data. Counts are since the start of the process. */
export interface SelfReport {
  readonly stores: readonly StoreState[];
  /** By result. */
  readonly scrapes: Readonly<Record<string, number>>;
  /** Requests for summaries, by result. */
  readonly kubeletRequests: Readonly<Record<string, number>>;
  /** Of the last exposition; undefined before the first. */
  readonly seriesCount: number | undefined;
  readonly droppedSeriesCount: number;
  /** Undefined before any settings were loaded, as the following. */
  readonly isLastReloadSuccessful: boolean | undefined;
  readonly settingsLoadedAt: Instant | undefined;
  readonly isKubeletTlsUnverified: boolean;
  readonly workloadNameClashCount: number;
}

/**
 * The exporter's metrics about itself: one method per event, milliseconds in, seconds out. The counts are plain numbers,
 * which prom-client reads at each exposition and {@link SelfMetrics.report} at any time; only histograms live in
 * prom-client.
 */
export class SelfMetrics {
  readonly registry = new Registry();
  readonly queue = new QueueMetrics();

  readonly #scrapes = new Tally<ScrapeResult>(scrapeResults);
  readonly #kubeletRequests = new Tally<RequestResult>(requestResults);
  readonly #kubeletConfigRequests = new Tally<RequestResult>(requestResults);
  readonly #earlyRequests = new Tally<EarlyRequestReason>(earlyRequestReasons);
  readonly #lifecycleEvents = new Tally<LifecycleEventType>(lifecycleEventTypes);
  readonly #cacheLookups = new Tally<LookupResult>(lookupResults);
  readonly #droppedSeries = new Tally<DroppedReason>(droppedReasons);
  readonly #storeCounts = emptyStoreCounts();
  /** Counts what all watches report. */
  readonly watches: WatchObserver = storeCounter(this.#storeCounts);
  #stores: StoresInUse | undefined;
  #scope: MeasuredScope | undefined;
  #series: Readonly<Record<Level, number>> | undefined;
  #collected: SnapshotCounts | undefined;
  #workloadNameClashCount = 0;
  readonly #reloads = new ReloadState();
  #isTlsVerificationDisabled = false;
  readonly #scrapeDuration: Histogram;
  readonly #kubeletRequestDuration: Histogram;
  readonly #lifecycleEventLatency: Histogram;

  constructor({ version, nodeVersion }: SelfMetricsOptions) {
    this.#expose(selfFamilies.buildInfo, () => [{ labels: { version, node_version: nodeVersion }, value: 1 }]);
    this.#expose(selfFamilies.scopeInfo, () => scopeSamples(this.#scope));
    this.#expose(selfFamilies.labelsInfo, () => [{ labels: keptLabels, value: 1 }]);
    this.#scrapeDuration = this.#histogram(
      selfFamilies.scrapeDuration,
      [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    );
    this.#expose(selfFamilies.scrapes, () => resultSamples(this.#scrapes));
    this.#exposeScrape();
    this.#kubeletRequestDuration = this.#histogram(
      selfFamilies.kubeletRequestDuration,
      [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    );
    this.#expose(selfFamilies.kubeletRequests, () => resultSamples(this.#kubeletRequests));
    this.#expose(selfFamilies.kubeletConfigRequests, () => resultSamples(this.#kubeletConfigRequests));
    this.#expose(selfFamilies.kubeletEarlyRequests, () =>
      this.#earlyRequests.entries().map(([reason, value]) => ({ labels: { reason }, value })),
    );
    this.#expose(selfFamilies.cacheLookups, () => resultSamples(this.#cacheLookups));
    const expose: ExposeFamily = (family, samples) => {
      this.#expose(family, samples);
    };
    exposeStores(expose, { stores: () => this.#stores, counts: this.#storeCounts });
    this.queue.expose(expose);
    this.#expose(selfFamilies.lifecycleEvents, () =>
      this.#lifecycleEvents.entries().map(([type, value]) => ({ labels: { type }, value })),
    );
    this.#lifecycleEventLatency = this.#histogram(selfFamilies.lifecycleEventLatency, [0.5, 1, 2, 5, 10, 30, 60, 300]);
    this.#exposeConfig();
    collectNodeMetrics(this.registry);
  }

  scrapeFinished(result: Exclude<ScrapeResult, 'rejected'>, durationMs: number): void {
    this.#scrapes.add(result);
    this.#scrapeDuration.observe(durationMs / 1_000);
  }

  /** Answered with 503. It has no duration: those of rejected scrapes would drown the others. */
  scrapeRejected(): void {
    this.#scrapes.add('rejected');
  }

  setSeries(counts: Readonly<Record<Level, number>>): void {
    this.#series = counts;
  }

  seriesDropped(reason: DroppedReason, seriesCount: number): void {
    this.#droppedSeries.add(reason, seriesCount);
  }

  /** What the last scrape left out. */
  setCollected(counts: SnapshotCounts): void {
    this.#collected = counts;
  }

  setWorkloadNameClashes(count: number): void {
    this.#workloadNameClashCount = count;
  }

  requestFinished(result: RequestResult, durationMs: number): void {
    this.#kubeletRequests.add(result);
    this.#kubeletRequestDuration.observe(durationMs / 1_000);
  }

  /** Beside {@link requestFinished}, which counts requests for summaries. */
  configRequestFinished(result: RequestResult): void {
    this.#kubeletConfigRequests.add(result);
  }

  /** Beside {@link requestFinished}, which counts it too. */
  requestedEarly(reason: EarlyRequestReason): void {
    this.#earlyRequests.add(reason);
  }

  /** `latencyMs`: since then, by the clock of the node, which may be ahead; undefined when it is not known. */
  lifecycleEvent(type: LifecycleEventType, latencyMs: number | undefined): void {
    this.#lifecycleEvents.add(type);
    if (latencyMs !== undefined) this.#lifecycleEventLatency.observe(Math.max(0, latencyMs) / 1_000);
  }

  lookedUp(result: LookupResult): void {
    this.#cacheLookups.add(result);
  }

  /** From here on the gauges show the state of these stores. */
  showStores(stores: StoresInUse): void {
    this.#stores = stores;
  }

  /** `hash`: a whole number that a double holds exactly. */
  configReloaded(hash: number, at: Instant): void {
    this.#reloads.settingsLoaded({ hash, at });
  }

  webReloaded(): void {
    this.#reloads.webLoaded();
  }

  reloadFailed(file: ReloadedFile): void {
    this.#reloads.failed(file);
  }

  setScope(scope: MeasuredScope): void {
    this.#scope = scope;
  }

  tlsVerificationDisabled(isDisabled: boolean): void {
    this.#isTlsVerificationDisabled = isDisabled;
  }

  report(): SelfReport {
    const levels = this.#series && Object.values(this.#series);
    return {
      stores: this.#stores?.store.lists.states() ?? [],
      scrapes: this.#scrapes.toRecord(),
      kubeletRequests: this.#kubeletRequests.toRecord(),
      seriesCount: levels?.reduce((sum, count) => sum + count, 0),
      droppedSeriesCount: this.#droppedSeries.total,
      isLastReloadSuccessful: this.#reloads.isLastSuccessful,
      settingsLoadedAt: this.#reloads.loaded?.at,
      isKubeletTlsUnverified: this.#isTlsVerificationDisabled,
      workloadNameClashCount: this.#workloadNameClashCount,
    };
  }

  #exposeScrape(): void {
    this.#expose(selfFamilies.series, () =>
      Object.entries(this.#series ?? {}).map(([level, value]) => ({ labels: { level }, value })),
    );
    this.#expose(selfFamilies.seriesDropped, () =>
      this.#droppedSeries.entries().map(([reason, value]) => ({ labels: { reason }, value })),
    );
    this.#expose(selfFamilies.podsSkipped, () =>
      Array.from(this.#collected?.skippedPods ?? [], ([reason, value]) => ({ labels: { reason }, value })),
    );
    this.#expose(selfFamilies.unknownItems, () =>
      Object.entries(this.#collected?.unknownItems ?? {}).map(([kind, value]) => ({ labels: { kind }, value })),
    );
    this.#expose(selfFamilies.saturatedValues, () => [{ value: this.#collected?.saturatedValueCount ?? 0 }]);
    this.#expose(selfFamilies.workloadsBackedOff, () => [{ value: this.#collected?.backedOffWorkloadCount ?? 0 }]);
    this.#expose(selfFamilies.workloadNameClashes, () => [{ value: this.#workloadNameClashCount }]);
  }

  /** No series before the first load: 0 would be a claim about settings that are not loaded yet. */
  #exposeConfig(): void {
    const known = (value: number | undefined): readonly Sample<never>[] => (value === undefined ? [] : [{ value }]);
    this.#expose(selfFamilies.configLastReloadSuccessful, () =>
      known(this.#reloads.isLastSuccessful === undefined ? undefined : Number(this.#reloads.isLastSuccessful)),
    );
    this.#expose(selfFamilies.configLastReloadSuccessTimestamp, () =>
      known(this.#reloads.loaded && this.#reloads.loaded.at.wallMs / 1_000),
    );
    this.#expose(selfFamilies.configHash, () => known(this.#reloads.loaded?.hash));
    this.#expose(selfFamilies.kubeletTlsVerificationDisabled, () => [
      { value: Number(this.#isTlsVerificationDisabled) },
    ]);
  }

  /** A family whose samples are read at each exposition. */
  #expose<L extends string>(family: FamilyOf<L>, samples: () => readonly Sample<L>[]): void {
    const Metric = family.type === 'counter' ? Counter : Gauge;
    const metric = new Metric<L>({
      name: family.name,
      help: family.help,
      labelNames: family.labels,
      registers: [this.registry],
      collect: () => {
        const read = samples();
        metric.reset();
        // A metric without labels has a series at 0 after its reset.
        if (read.length === 0 && family.labels.length === 0) metric.remove();
        for (const { labels, value } of read) metric.inc(labels ?? {}, value);
      },
    });
  }

  #histogram({ name, help }: FamilyOf<never>, buckets: number[]): Histogram {
    return new Histogram({ name, help, buckets, registers: [this.registry] });
  }
}

/** No name of a Kubernetes object, so no target has such a label. The rules and dashboards compare with it. */
const kept = '_kept_';
const keptLabels = { namespace: kept, pod: kept, container: kept, node: kept };

function scopeSamples(scope: MeasuredScope | undefined): readonly Sample<'shard' | 'total_shards' | 'node'>[] {
  if (scope === undefined) return [];
  const { shard, totalShards, nodeName = '' } = scope;
  return [{ labels: { shard: String(shard), total_shards: String(totalShards), node: nodeName }, value: 1 }];
}

function resultSamples(tally: Tally<string>): readonly Sample<'result'>[] {
  return tally.entries().map(([result, value]) => ({ labels: { result }, value }));
}
