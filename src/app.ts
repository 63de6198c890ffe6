import { isDeepStrictEqual } from 'node:util';

import type { Clock } from './base/clock.js';
import { UserError } from './base/errors.js';
import type { Logger } from './base/logger.js';
import { TimeSlicer } from './base/time-slicer.js';
import { ClusterSource } from './cluster-source.js';
import { type Collection, createCollection, hasWorkloads } from './collection.js';
import { configHash, formatConfig } from './config/format-config.js';
import type { Config } from './config/schema.js';
import type { Credentials } from './credentials/credentials.js';
import { Exposition } from './exposition/exposition.js';
import { patternsWithoutFamily } from './exposition/families.js';
import type { Scope } from './kube/scope.js';
import { formatSelector } from './kube/selector.js';
import { type ClusterReport, clusterReport } from './report/cluster-report.js';
import { healthReport } from './report/health-report.js';
import { nodeFailure } from './report/node-report.js';
import { apiNodes, type Host, noSuchNode, resolveScope } from './resolve-scope.js';
import type { ClusterSnapshot } from './scrape/snapshot.js';
import { missingNode, snapshotCounts } from './scrape/snapshot-counts.js';
import { Listener } from './server/listener.js';
import { MetricsHandler } from './server/metrics-handler.js';
import { createRoutes, type ReadinessCheck } from './server/routes.js';
import { StatusHandler } from './server/status-handler.js';
import { scopeText } from './status/scope-text.js';
import { type StatusSettings, StatusSource } from './status/status-source.js';
import { MissingNodeReport } from './telemetry/missing-node-report.js';
import { SelfMetrics } from './telemetry/self-metrics.js';
import { SeriesCapReport } from './telemetry/series-cap-report.js';

/** New settings of where the data comes from take effect only when their first lists came within this time. */
const syncTimeoutMs = 60_000;

/** Running scrapes may finish for so long after a stop: the longest that Prometheus usually waits. */
const drainMs = 10_000;

export interface AppOptions {
  readonly config: Config;
  readonly credentials: Credentials;
  readonly host: Host;
  readonly clock: Clock;
  /** From 0 to 1, 1 excluded. */
  readonly random: () => number;
  readonly logger: Logger;
  readonly version: string;
  /** Loads the settings anew, for `POST /-/reload`; rejects, and has logged why, when the old ones stay. */
  readonly reload?: () => Promise<void>;
}

/** The exporter: builds every part from the settings, starts and stops them in order, and takes over new settings. */
export class App implements AsyncDisposable {
  readonly metrics: SelfMetrics;
  readonly #options: AppOptions;
  readonly #stopping = new AbortController();
  readonly #listeners: readonly Listener[];
  /** Outlives the expositions: new settings may begin or end what it tells of. */
  readonly #seriesCapReport: SeriesCapReport;
  readonly #missingNodeReport: MissingNodeReport;
  #config: Config;
  #scope: Scope;
  #source: ClusterSource;
  #collection: Collection;
  #exposition: Exposition;
  /** Of the settings in force: thousands of workloads take long to format. */
  #statusSettings: StatusSettings;
  /** In progress: a source is not disposed of before the collections that may use it have ended. */
  readonly #collecting = new Set<Promise<unknown>>();

  private constructor(options: AppOptions, scope: Scope) {
    const { config, version } = options;
    this.#options = options;
    this.#config = config;
    this.#scope = scope;
    this.metrics = new SelfMetrics({ version, nodeVersion: process.version });
    this.#seriesCapReport = new SeriesCapReport({ metrics: this.metrics, logger: options.logger });
    this.#missingNodeReport = new MissingNodeReport(options.logger);
    this.#source = this.#createSource(config, scope);
    const { store, cache } = this.#source;
    this.#collection = createCollection({ ...options, onlyNode: scope.nodeName, store, cache });
    this.#exposition = this.#createExposition(config);
    this.#statusSettings = statusSettings(config, scope);
    this.#listeners = this.#createListeners();
    this.#report(config);
  }

  /**
   * Resolves when all addresses are listened on, before anything is synced. Throws UserError when one cannot be had or
   * nothing says which node or shard to measure, and the signal's reason when it aborts before.
   */
  static async start(options: AppOptions, signal: AbortSignal): Promise<App> {
    const app = new App(options, await scopeOf(options, signal));
    try {
      for (const listener of app.#listeners) await listener.start();
    } catch (error) {
      await app[Symbol.asyncDispose]();
      throw error;
    }
    return app;
  }

  /** The ports that are listened on, in the order of the settings. */
  get ports(): readonly number[] {
    return this.#listeners.map(({ port }) => port).filter((port) => port !== undefined);
  }

  get hasSynced(): boolean {
    return this.#source.store.hasSynced;
  }

  /**
   * Puts new settings in force, all or none. What is known stays where the settings that it depends on are the same;
   * otherwise the old source serves until the new one is synced. Throws UserError when it does not sync, or when
   * nothing says which node or shard to measure.
   */
  async apply(config: Config): Promise<void> {
    const before = this.#config;
    const isSameSource = isDeepStrictEqual(sourceSettings(before), sourceSettings(config));
    const isSamePart = isDeepStrictEqual(before.cluster, config.cluster);
    const scope = isSamePart ? this.#scope : await scopeOf({ ...this.#options, config }, this.#stopping.signal);
    const source = isSameSource ? this.#source : await this.#syncedSource(config, scope);
    const replaced = this.#source;
    if (replaced !== source) source.inherit(replaced);
    this.#config = config;
    this.#scope = scope;
    this.#source = source;
    const { store, cache } = source;
    const former = this.#collection;
    this.#collection = createCollection({ ...this.#options, config, onlyNode: scope.nodeName, store, cache, former });
    this.#exposition = this.#createExposition(config);
    this.#statusSettings = statusSettings(config, scope);
    this.#report(config);
    if (replaced !== source) {
      await Promise.allSettled(this.#collecting);
      await replaced[Symbol.asyncDispose]();
    }
    for (const part of ['web', 'log'] as const) {
      if (isDeepStrictEqual(before[part], config[part])) continue;
      this.#options.logger.warn('these settings take effect at the next start', { settings: part });
    }
  }

  /** Not ready at once; running scrapes finish. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort(new Error('stopped'));
    await Promise.all(this.#listeners.map((listener) => listener.close(drainMs)));
    await this.#source[Symbol.asyncDispose]();
  }

  async #collect(signal: AbortSignal): Promise<ClusterSnapshot | undefined> {
    const { collector, resolver } = this.#collection;
    this.#source.scraped();
    const snapshot = await this.#tracked(collector.collect(signal));
    if (snapshot !== undefined) {
      this.metrics.setCollected(snapshotCounts(snapshot));
      this.#missingNodeReport.scraped(missingNode(snapshot), noSuchNode);
    }
    this.metrics.setWorkloadNameClashes(resolver.clashCount);
    return snapshot;
  }

  async #tracked<T>(collecting: Promise<T>): Promise<T> {
    this.#collecting.add(collecting);
    return collecting.finally(() => this.#collecting.delete(collecting));
  }

  #checks(): readonly ReadinessCheck[] {
    const { store } = this.#source;
    const { nodeName } = this.#scope;
    const unsynced = new Map(store.unsyncedParts().map(({ name, message }) => [name, message]));
    return [
      ...store.partNames.map((name) => ({
        name,
        ok: !unsynced.has(name),
        message: `not listed yet: ${unsynced.get(name) ?? ''}`,
      })),
      ...(nodeName === undefined || !store.hasSynced
        ? []
        : [{ name: 'node', ok: store.hasNode(nodeName), message: noSuchNode(nodeName) }]),
      { name: 'running', ok: !this.#stopping.signal.aborted, message: 'stopping' },
    ];
  }

  #report(config: Config): void {
    this.metrics.showStores(this.#source.storeMetrics);
    this.metrics.setScope(this.#scope);
    this.metrics.configReloaded(configHash(config), this.#options.clock.nowMs());
    for (const pattern of patternsWithoutFamily(config.metrics)) {
      this.#options.logger.warn('this expression takes no family: it is held against whole names', { pattern });
    }
    const { access, tls } = config.kubelet;
    const isUnverified = access === 'direct' && tls.insecureSkipVerify;
    this.metrics.tlsVerificationDisabled(isUnverified);
    if (!isUnverified) return;
    this.#options.logger.warn(
      'kubelet certificates are not verified: whoever answers in their place sees the token; set kubelet.tls.caFile',
    );
  }

  /** A node that is not there is refused when it is another than before: one that is gone may come back. */
  async #syncedSource(config: Config, scope: Scope): Promise<ClusterSource> {
    const { nodeName } = scope;
    const source = this.#createSource(config, scope);
    try {
      await source.synced(syncTimeoutMs, this.#stopping.signal);
      const isUnknown = nodeName !== undefined && !source.store.hasNode(nodeName);
      if (isUnknown && nodeName !== this.#scope.nodeName) throw new UserError(noSuchNode(nodeName));
      return source;
    } catch (error) {
      await source[Symbol.asyncDispose]();
      throw error;
    }
  }

  #createSource(config: Config, scope: Scope): ClusterSource {
    return new ClusterSource({ ...this.#options, config, scope, metrics: this.metrics });
  }

  #createExposition({ metrics: settings }: Config): Exposition {
    const { clock } = this.#options;
    return new Exposition({ settings, selfMetrics: this.metrics, observer: this.#seriesCapReport, clock });
  }

  #createStatusSource(): StatusSource {
    const { clock, version } = this.#options;
    return new StatusSource({
      inputs: {
        cluster: (signal) => this.#clusterReport(signal),
        checks: () => this.#checks(),
        health: () => healthReport(this.metrics.report(), this.#seriesCapReport.droppedFamilies, clock.nowMs()),
        settings: () => this.#statusSettings,
      },
      version,
      clock,
      stopping: this.#stopping.signal,
    });
  }

  /** Not a scrape: it refreshes nothing ahead, no workload backs off because of it, and it is not counted. */
  async #clusterReport(signal: AbortSignal): Promise<ClusterReport | undefined> {
    const { clock } = this.#options;
    const { workloads } = this.#config;
    const { cache } = this.#source;
    const snapshot = await this.#tracked(this.#collection.wholeCollector.collect(signal, { recordsFailures: false }));
    if (snapshot === undefined) return undefined;
    return await clusterReport({
      snapshot,
      failureOf: (nodeName) => {
        const failure = cache.lastFailure(nodeName);
        return failure && nodeFailure(failure, clock.monotonicMs());
      },
      isPartial: signal.aborted,
      hidesPodsWithoutWorkload: hasWorkloads(this.#config) && !workloads.controllers,
      slicer: new TimeSlicer(clock),
    });
  }

  #createListeners(): readonly Listener[] {
    const { clock, logger, config, reload } = this.#options;
    const handler = createRoutes({
      metricsPath: config.web.telemetryPath,
      status: new StatusHandler({ source: this.#createStatusSource(), metricsPath: config.web.telemetryPath, clock }),
      metrics: new MetricsHandler({
        source: { collect: (signal) => this.#collect(signal) },
        exposition: {
          hasFamily: (name) => this.#exposition.hasFamily(name),
          render: (...scrape) => this.#exposition.render(...scrape),
        },
        observer: this.metrics,
        logger,
        clock,
        settings: () => this.#config.scrape,
      }),
      readiness: { checks: () => this.#checks() },
      reload: config.web.enableLifecycle ? reload : undefined,
      logger,
    });
    return config.web.listenAddresses.map(({ host, port }) => new Listener({ host, port, handler, clock }));
  }
}

function scopeOf({ config, host, ...options }: AppOptions, signal: AbortSignal): Promise<Scope> {
  return resolveScope({ settings: config.cluster, host, nodes: apiNodes(options) }, signal);
}

/** What {@link ClusterSource} are made from. */
function sourceSettings({ cluster, kubelet, cache: { ttlMs, refresh } }: Config): object {
  return { cluster, kubelet, ttlMs, refresh };
}

function statusSettings(config: Config, scope: Scope): StatusSettings {
  const { cluster } = config;
  return {
    scope: scopeText({
      ...scope,
      namespaces: cluster.namespaces,
      nodeSelector: formatSelector(cluster.nodeSelector),
      podSelector: formatSelector(cluster.podSelector),
    }),
    configuration: formatConfig(config),
  };
}
