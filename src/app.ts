import { isDeepStrictEqual } from 'node:util';

import { activate, type ActiveSettings } from './active-settings.js';
import type { Clock } from './base/clock.js';
import { UserError } from './base/errors.js';
import type { Logger } from './base/logger.js';
import { clusterReportInput } from './cluster-report-input.js';
import { ClusterSource } from './cluster-source.js';
import type { Config } from './config/schema.js';
import type { Credentials } from './credentials/credentials.js';
import { EvictionTracker } from './eviction-tracker.js';
import { EvictionLog } from './history/eviction-log.js';
import type { Scope } from './kube/scope.js';
import { readinessChecks } from './readiness-checks.js';
import { type ClusterReport, clusterReport } from './report/cluster-report.js';
import type { EvictionReport } from './report/eviction-report.js';
import { type HealthReport, healthReport } from './report/health-report.js';
import type { ReadinessCheck } from './report/readiness-check.js';
import { apiNodes, type Host, noSuchNode, resolveScope } from './resolve-scope.js';
import type { CollectOptions } from './scrape/collector.js';
import type { ClusterSnapshot } from './scrape/snapshot.js';
import { missingNode, snapshotCounts } from './scrape/snapshot-counts.js';
import { EvictionsHandler } from './server/evictions-handler.js';
import { Listener } from './server/listener.js';
import { MetricsHandler } from './server/metrics-handler.js';
import { createRoutes } from './server/routes.js';
import { StatusHandler } from './server/status-handler.js';
import { StatusSource } from './status/status-source.js';
import { MissingNodeReport } from './telemetry/missing-node-report.js';
import { SelfMetrics } from './telemetry/self-metrics.js';
import { SeriesCapReport } from './telemetry/series-cap-report.js';
import { readHomepage } from './version.js';

/** New settings of the source take effect only when its first lists arrive within this time. */
const syncTimeoutMs = 60_000;

/** How long running scrapes may finish after a stop: the longest that Prometheus usually waits. */
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
  /** Reloads the settings for `POST /-/reload`; rejects, after it has logged the reason, when the old ones stay. */
  readonly reload?: () => Promise<void>;
}

/**
 * The exporter. Its parts have three lifetimes: the process (metrics, reports in the log, listeners), a source (watches
 * of the API server, cache of kubelets' answers), and a set of settings. New settings keep what does not depend on them.
 */
export class App implements AsyncDisposable {
  readonly metrics: SelfMetrics;
  readonly #options: AppOptions;
  readonly #stopping = new AbortController();
  readonly #seriesCapReport: SeriesCapReport;
  readonly #missingNodeReport: MissingNodeReport;
  readonly #evictions: EvictionTracker;
  readonly #listeners: readonly Listener[];
  #active: ActiveSettings;
  /** A source is disposed of after the collections that may use it have ended. */
  readonly #collecting = new Set<Promise<unknown>>();

  private constructor(options: AppOptions, scope: Scope) {
    const { config, version, logger } = options;
    this.#options = options;
    this.metrics = new SelfMetrics({ version, nodeVersion: process.version });
    this.#seriesCapReport = new SeriesCapReport({ metrics: this.metrics, logger });
    this.#missingNodeReport = new MissingNodeReport(logger);
    const log = new EvictionLog(config.evictions, options.clock);
    this.#evictions = new EvictionTracker({ log, active: () => this.#active });
    this.#active = this.#activate({ config, scope, source: this.#createSource(config, scope) });
    void this.#active.source.store.listedNodes().then(() => {
      this.#evictions.retain();
    });
    this.#listeners = this.#createListeners();
  }

  /**
   * Resolves when all addresses accept connections, before the first lists. Throws UserError when an address is not
   * available or the node or shard to measure is unknown, and the signal's reason when it aborts before.
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

  /** The ports of the listeners, in the order of the settings. */
  get ports(): readonly number[] {
    return this.#listeners.map(({ port }) => port).filter((port) => port !== undefined);
  }

  get hasSynced(): boolean {
    return this.#active.source.store.hasSynced;
  }

  /**
   * Applies new settings, all or none. The old source serves until a new one has synced; it stays when no setting has
   * changed that it is made from. Throws UserError when a new source does not sync, or when the node or shard to measure
   * is unknown.
   */
  async apply(config: Config): Promise<void> {
    await this.#evictions.duringReload(() => this.#apply(config));
  }

  async #apply(config: Config): Promise<void> {
    const former = this.#active;
    const isSameScope = isDeepStrictEqual(former.config.cluster, config.cluster);
    const isSameSource = isDeepStrictEqual(sourceSettings(former.config), sourceSettings(config));
    const scope = isSameScope ? former.scope : await scopeOf({ ...this.#options, config }, this.#stopping.signal);
    const source = isSameSource ? former.source : await this.#syncedSource(config, scope);
    if (!isSameSource) source.inherit(former.source);
    this.#active = this.#activate({ config, scope, source, former });
    if (!isSameSource) {
      await Promise.allSettled(this.#collecting);
      await former.source[Symbol.asyncDispose]();
    }
    for (const part of ['web', 'log'] as const) {
      if (isDeepStrictEqual(startSettings(former.config)[part], startSettings(config)[part])) continue;
      this.#options.logger.warn('these settings take effect after a restart', { settings: part });
    }
  }

  /** The exporter is not ready from now on; running scrapes finish. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort(new Error('stopped'));
    await Promise.all(this.#listeners.map((listener) => listener.close(drainMs)));
    await this.#active.source[Symbol.asyncDispose]();
  }

  #activate(
    settings: Pick<ActiveSettings, 'config' | 'scope' | 'source'> & { former?: ActiveSettings },
  ): ActiveSettings {
    const { clock, logger, credentials } = this.#options;
    return activate({
      ...settings,
      server: credentials.server,
      evictions: this.#evictions.log,
      metrics: this.metrics,
      seriesCapReport: this.#seriesCapReport,
      clock,
      logger,
    });
  }

  #createSource(config: Config, scope: Scope): ClusterSource {
    return new ClusterSource({
      ...this.#options,
      config,
      scope,
      metrics: this.metrics,
      onPodChange: (change, source) => {
        this.#evictions.podChanged(change, source, config);
      },
    });
  }

  /** Refuses a node that does not exist only when it is a new one: the node measured so far may come back. */
  async #syncedSource(config: Config, scope: Scope): Promise<ClusterSource> {
    const { nodeName } = scope;
    const source = this.#createSource(config, scope);
    try {
      await source.synced({ timeoutMs: syncTimeoutMs }, this.#stopping.signal);
      const isUnknown = nodeName !== undefined && !source.store.hasNode(nodeName);
      if (isUnknown && nodeName !== this.#active.scope.nodeName) throw new UserError(noSuchNode(nodeName));
      return source;
    } catch (error) {
      await source[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** One scrape. */
  async #scrape(signal: AbortSignal, options: CollectOptions): Promise<ClusterSnapshot | undefined> {
    const { source, collection } = this.#active;
    source.scraped();
    const snapshot = await this.#tracked(collection.collector.collect(signal, options));
    if (snapshot !== undefined) {
      this.metrics.setCollected(snapshotCounts(snapshot));
      this.#missingNodeReport.scraped(missingNode(snapshot), noSuchNode);
    }
    this.metrics.setWorkloadNameClashes(collection.resolver.clashCount);
    return snapshot;
  }

  /** For the status page. Not a scrape: it triggers no refresh, no workload backs off after it, and it is not counted. */
  async #clusterReport(signal: AbortSignal): Promise<ClusterReport | undefined> {
    const { clock } = this.#options;
    const active = this.#active;
    const snapshot = await this.#tracked(active.collection.wholeCollector.collect(signal, { recordsFailures: false }));
    if (snapshot === undefined) return undefined;
    return await clusterReport(clusterReportInput({ ...active, snapshot, isPartial: signal.aborted, clock }));
  }

  async #tracked<T>(collecting: Promise<T>): Promise<T> {
    this.#collecting.add(collecting);
    return collecting.finally(() => this.#collecting.delete(collecting));
  }

  #healthReport(): HealthReport {
    return healthReport({
      report: this.metrics.report(),
      isApiServerAway: this.#active.source.store.isServerAway,
      droppedFamilies: this.#seriesCapReport.droppedFamilies,
      nowMs: this.#options.clock.monotonicMs(),
    });
  }

  #checks(): readonly ReadinessCheck[] {
    const { source, scope } = this.#active;
    const isStopping = this.#stopping.signal.aborted;
    return readinessChecks({ store: source.store, nodeName: scope.nodeName, isStopping });
  }

  #createListeners(): readonly Listener[] {
    const { clock, logger, config, reload } = this.#options;
    const { telemetryPath: metricsPath, enableLifecycle, listenAddresses } = config.web;
    const handler = createRoutes({
      metricsPath,
      status: new StatusHandler({
        source: this.#createStatusSource(),
        metricsPath,
        documentationUrl: readHomepage(),
        clock,
      }),
      metrics: this.#createMetricsHandler(),
      evictions: new EvictionsHandler({ source: { evictions: () => this.#evictionReports() }, clock }),
      readiness: { checks: () => this.#checks() },
      reload: enableLifecycle ? reload : undefined,
      logger,
    });
    return listenAddresses.map(({ host, port }) => new Listener({ host, port, tls: undefined, handler, clock, logger }));
  }

  #evictionReports(): readonly EvictionReport[] | undefined {
    return this.hasSynced ? this.#evictions.reports() : undefined;
  }

  #createMetricsHandler(): MetricsHandler {
    const { clock, logger } = this.#options;
    return new MetricsHandler({
      source: { collect: (...scrape) => this.#scrape(...scrape) },
      exposition: {
        hasFamily: (name) => this.#active.exposition.hasFamily(name),
        prepareNode: (...node) => this.#active.exposition.prepareNode(...node),
        render: (...scrape) => this.#active.exposition.render(...scrape),
      },
      observer: this.metrics,
      logger,
      clock,
      settings: () => this.#active.config.scrape,
    });
  }

  #createStatusSource(): StatusSource {
    const { clock, version } = this.#options;
    return new StatusSource({
      inputs: {
        cluster: (signal) => this.#clusterReport(signal),
        evictions: () => this.#evictionReports(),
        checks: () => this.#checks(),
        health: () => this.#healthReport(),
        settings: () => this.#active.statusSettings,
      },
      version,
      clock,
      stopping: this.#stopping.signal,
    });
  }
}

function scopeOf({ config, host, ...options }: AppOptions, signal: AbortSignal): Promise<Scope> {
  return resolveScope({ settings: config.cluster, host, nodes: apiNodes(options) }, signal);
}

/** The settings that take effect at the start only; what the status page shows is none of them. */
function startSettings({ log, web: { listenAddresses, telemetryPath, enableLifecycle } }: Config) {
  return { log, web: { listenAddresses, telemetryPath, enableLifecycle } };
}

/** The settings that a {@link ClusterSource} is made from. */
function sourceSettings({ cluster, kubelet, cache: { ttlMs, refresh } }: Config): object {
  return { cluster, kubelet, ttlMs, refresh };
}
