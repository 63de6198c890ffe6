import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

import type { LifecycleEvent } from '../../cluster/kube/pod-lifecycle.js';
import type { LookupResult } from '../../cluster/kubelet/kubelet-cache.js';
import type { StoreState } from '../../cluster/watch/store-lists.js';
import type { WatchObserver } from '../../cluster/watch/watch-observer.js';
import type { Instant } from '../../lib/base/clock.js';
import type { FailureReason } from '../../lib/base/errors.js';
import type { Level, Profile } from '../exposition/family.js';
import { selfFamilies } from './self-families.js';
import {
  isLastReloadSuccessful,
  LabelledCounter,
  type LabelValues,
  type ReloadedFile,
  type Sample,
  type SelfState,
  type TaskKind,
} from './self-family.js';

type Families = typeof selfFamilies;
type OfType<T> = { [K in keyof Families]: Families[K]['type'] extends T ? K : never }[keyof Families];
type Counters = { readonly [K in OfType<'counter'>]: LabelledCounter<Families[K]['values']> };

/**
 * The exporter's metrics about itself, as {@link selfFamilies} declares them. Counts and state are plain data, which prom-client
 * reads at each exposition and {@link SelfMetrics.report} at any time; only histograms live in prom-client.
 */
export class SelfMetrics {
  readonly registry = new Registry();
  readonly counters = Object.fromEntries(
    Object.entries(selfFamilies).flatMap(([key, family]) =>
      family.type === 'counter' ? [[key, new LabelledCounter<LabelValues>(family.values)] as const] : [],
    ),
  ) as Counters;
  /** Counts what all watches report. */
  readonly watches: WatchObserver = watchObserver(this.counters);
  readonly #histograms = new Map<string, Histogram>();
  readonly #failedFiles = new Set<ReloadedFile>();
  #state: SelfState;

  constructor(versions: Pick<SelfState, 'version' | 'nodeVersion'>) {
    this.#state = {
      ...versions,
      failedFiles: this.#failedFiles,
      isKubeletTlsUnverified: false,
      workloadNameClashCount: 0,
    };
    for (const key of Object.keys(selfFamilies) as (keyof Families)[]) this.#register(key);
    collectNodeMetrics(this.registry);
  }

  /** Returns the smallest profile that has the family, one of Node.js included. */
  profileOf(name: string): Profile {
    return profiles.get(name) ?? (isDetailOfNode(name) ? 'full' : 'minimal');
  }

  /** Changes the state that gauges show. */
  show(state: Partial<SelfState>): void {
    this.#state = { ...this.#state, ...state };
  }

  scrapeFinished(result: 'success' | 'deadline' | 'aborted' | 'error', durationMs: number): void {
    this.counters.scrapes.add({ result });
    this.#observe('scrapeDuration', durationMs);
  }

  /** Counts a scrape that was answered with 503. It has no duration: those of rejected scrapes would drown the others. */
  scrapeRejected(): void {
    this.counters.scrapes.add({ result: 'rejected' });
  }

  setSeries(series: Readonly<Record<Level, number>>): void {
    this.show({ series });
  }

  /** Counts a request for a summary. */
  requestFinished(result: 'success' | FailureReason, durationMs: number): void {
    this.counters.kubeletRequests.add({ result });
    this.#observe('kubeletRequestDuration', durationMs);
  }

  lookedUp(result: LookupResult): void {
    this.counters.cacheLookups.add({ result });
  }

  taskRetried(task: TaskKind): void {
    this.counters.queueRetries.add({ task });
  }

  /** `latencyMs`: since then, by the clock of the node, which may be ahead; undefined when it is not known. */
  lifecycleEvent(type: LifecycleEvent['type'], latencyMs: number | undefined): void {
    this.counters.lifecycleEvents.add({ type });
    if (latencyMs !== undefined) this.#observe('lifecycleEventLatency', Math.max(0, latencyMs));
  }

  /** `hash`: a whole number that a double holds exactly. */
  settingsLoaded(hash: number, at: Instant): void {
    this.fileLoaded('settings');
    this.show({ loaded: { hash, at } });
  }

  fileLoaded(file: ReloadedFile): void {
    this.#failedFiles.delete(file);
  }

  reloadFailed(file: ReloadedFile): void {
    this.#failedFiles.add(file);
  }

  /** Returns the state of the exporter as plain data. Counts are since the start of the process. */
  report(): Pick<SelfState, 'isKubeletTlsUnverified' | 'workloadNameClashCount'> & {
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
  } {
    const { source, series, loaded, isKubeletTlsUnverified, workloadNameClashCount } = this.#state;
    const { scrapes, kubeletRequests, seriesDropped } = this.counters;
    return {
      stores: source?.store.lists.states() ?? [],
      scrapes: scrapes.toRecord(),
      kubeletRequests: kubeletRequests.toRecord(),
      seriesCount: series && Object.values(series).reduce((sum, count) => sum + count, 0),
      droppedSeriesCount: seriesDropped.total,
      isLastReloadSuccessful: isLastReloadSuccessful(this.#state),
      settingsLoadedAt: loaded?.at,
      isKubeletTlsUnverified,
      workloadNameClashCount,
    };
  }

  #observe(key: OfType<'histogram'>, durationMs: number): void {
    this.#histograms.get(key)?.observe(durationMs / 1_000);
  }

  #register(key: keyof Families): void {
    const family = selfFamilies[key];
    const { name, help } = family;
    if (family.type === 'histogram') {
      const buckets = [...family.buckets];
      this.#histograms.set(key, new Histogram({ name, help, buckets, registers: [this.registry] }));
    } else if (family.type === 'gauge') this.#expose(Gauge, family, () => family.read(this.#state));
    else this.#expose(Counter, family, () => this.counters[key as OfType<'counter'>].samples());
  }

  /** Registers a family whose samples are read at each exposition. */
  #expose(
    Metric: typeof Counter | typeof Gauge,
    { name, help, labels }: { readonly name: string; readonly help: string; readonly labels: readonly string[] },
    read: () => readonly Sample[],
  ): void {
    const metric = new Metric({
      ...{ name, help, labelNames: labels, registers: [this.registry] },
      collect: () => {
        const samples = read();
        metric.reset();
        // A metric without labels has a series at 0 after its reset.
        if (samples.length === 0 && labels.length === 0) metric.remove();
        for (const [value, ...values] of samples) {
          metric.inc(Object.fromEntries(labels.map((label, index) => [label, values[index] ?? ''])), value);
        }
      },
    });
  }
}

const profiles: ReadonlyMap<string, Profile> = new Map(
  Object.values(selfFamilies).map(({ name, profile }) => [name, profile]),
);

function watchObserver(counters: Counters): WatchObserver {
  return {
    listFinished: (resource, result) => {
      counters.storeLists.add({ resource, result });
    },
    watchEnded: (resource, result) => {
      counters.storeWatches.add({ resource, result });
    },
    eventApplied: (resource, type) => {
      counters.storeEvents.add({ resource, type });
    },
    updateSuppressed: (resource) => {
      counters.storeSuppressedUpdates.add({ resource });
    },
    objectSkipped: (resource, reason) => {
      counters.storeSkippedObjects.add({ resource, reason });
    },
    resourceVersionExpired: (resource) => {
      counters.storeStaleResourceVersions.add({ resource });
    },
    driftFound: (resource, objectCount) => {
      counters.storeDrift.add({ resource }, objectCount);
    },
    subscriberFailed: (resource) => {
      counters.storeSubscriberErrors.add({ resource });
    },
  };
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

/** The monitor wakes an idle process so often: at 100 ms for 20 ms of CPU a minute, half of what an idle exporter takes. */
const lagPeriodMs = 500;

const lagGauges = ['max', 'mean', 'p50', 'p90', 'p99'].map((statistic) => `nodejs_eventloop_lag_${statistic}_seconds`);

/** Returns whether the family tells more than whether Node.js has enough memory and time. */
function isDetailOfNode(name: string): boolean {
  return /^nodejs_(?:active_|gc_|heap_space_|eventloop_lag_(?!p50|p99))/.test(name);
}

/** prom-client's metrics of the process and of Node.js. Each call starts a monitor of the event loop, which nothing ends. */
function collectNodeMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: lagPeriodMs });
  for (const name of unwantedDefaults) registry.removeSingleMetric(name);
  for (const name of lagGauges) withoutPeriod(registry.getSingleMetric(name));
}

/** The monitor measures from one run of its timer to the next, so that its period would count as lag. */
function withoutPeriod(gauge: unknown): void {
  if (!(gauge instanceof Gauge)) throw new Error('prom-client has no gauge of the lag of the event loop');
  const set = gauge.set.bind(gauge) as (labels: unknown, seconds: number) => void;
  const setWithout = (labels: unknown, seconds: number): void => {
    set(labels, Math.max(0, seconds - lagPeriodMs / 1_000));
  };
  gauge.set = setWithout as typeof gauge.set;
}
