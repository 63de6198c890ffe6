import { isDeepStrictEqual } from 'node:util';

import type { Clock } from '../base/clock.js';
import { UserError } from '../base/errors.js';
import { Lifetime } from '../base/lifetime.js';
import type { Logger } from '../base/logger.js';
import { Scheduler } from '../base/scheduler.js';
import type { Config } from '../config/schema.js';
import { plainWeb, type WebConfig } from '../config/web/web-config.js';
import type { Credentials } from '../credentials/credentials.js';
import { EvictionFile } from '../history/eviction-file.js';
import type { Scope } from '../kube/scope.js';
import type { ReadinessCheck } from '../report/health-report.js';
import type { CollectOptions } from '../scrape/collector.js';
import type { ClusterSnapshot } from '../scrape/snapshot.js';
import { missingNode, snapshotCounts } from '../scrape/snapshot-counts.js';
import { DeferredStatus, type StatusEndpoint } from '../server/deferred-status.js';
import { MetricsHandler } from '../server/metrics-handler.js';
import { MissingNodeReport, SeriesCapReport } from '../telemetry/scrape-reports.js';
import { SelfMetrics } from '../telemetry/self-metrics.js';
import type { ClusterStore } from '../watch/cluster-store.js';
import { activate, type ActivationOptions, type ActiveSettings, prepareNode } from './active-settings.js';
import { AgentSlot } from './agent-slot.js';
import { ClusterConnection } from './cluster-connection.js';
import { ClusterSource } from './cluster-source.js';
import { EvictionTracker } from './eviction-tracker.js';
import { readinessChecks } from './readiness-checks.js';
import { type Host, noSuchNode, scopeOf } from './resolve-scope.js';
import { sourceSettings, warnOfRestart } from './settings-lifetime.js';
import { WebServer } from './web-server.js';

/** New settings of the source take effect only when its first lists arrive within this time. */
const syncTimeoutMs = 60_000;

/** How long running scrapes may finish after a stop: the longest that Prometheus usually waits. */
const drainMs = 10_000;

/** A DaemonSet starts on 5,000 nodes at once: 1,000 lists a second at most, and ready before the first scrape in most cases. */
const nodeLocalSpreadMs = 5_000;

export interface AppOptions {
  readonly config: Config;
  /** Without it, plain HTTP for everybody. */
  readonly web?: WebConfig;
  readonly credentials: Credentials;
  readonly host: Host;
  readonly clock: Clock;
  /** From 0 to 1, 1 excluded. */
  readonly random: () => number;
  readonly logger: Logger;
  readonly version: string;
  /** Files and connections that the process may have open; undefined: not known. */
  readonly openFileLimit?: number | undefined;
  /** Reloads the settings for `POST /-/reload`; rejects, after it has logged the reason, when the old ones stay. */
  readonly reload?: () => Promise<void>;
}

/**
 * The exporter. Its parts have four lifetimes: the process (metrics, reports in the log, listeners, kubelets' responses), a
 * watch (as long as settings need it), a source (how kubelets are scraped), and a set of settings. New
 * settings keep what does not depend on them.
 *
 * Start: the addresses are listened on; nodes and pods are listed; subscribers are told of all pods; the exporter is ready.
 * Kubelets are refreshed for the first scrape, if they are ahead of scrapes at all; it starts the other background tasks: pods
 * and summaries are compared, and stores audited. Stop, in reverse: the exporter is not ready, and running scrapes finish;
 * tasks in process end; watches end; connections are closed; the evictions that came last are written to their file.
 */
export class App implements AsyncDisposable {
  readonly metrics: SelfMetrics;
  readonly #options: AppOptions & { readonly scheduler: Scheduler };
  readonly #stopping = new AbortController();
  readonly #lifetime = new Lifetime();
  readonly #seriesCapReport: SeriesCapReport;
  readonly #missingNodeReport: MissingNodeReport;
  readonly #evictions: EvictionTracker;
  readonly #evictionFile: EvictionFile;
  readonly #agent: AgentSlot;
  readonly #connection: ClusterConnection;
  readonly #status: DeferredStatus;
  readonly #server: WebServer;
  #active: ActiveSettings;
  /** A source is disposed of after the collections that may use it have ended. */
  readonly #collecting = new Set<Promise<unknown>>();

  private constructor(options: AppOptions, scope: Scope, evictionFile: EvictionFile) {
    const { config, logger } = options;
    this.#options = { ...options, scheduler: new Scheduler(options.clock) };
    this.metrics = new SelfMetrics({ ...options, nodeVersion: process.version });
    this.#connection = new ClusterConnection({
      ...this.#options,
      nodeLocalSpreadMs,
      metrics: this.metrics,
      onUnexpectedEnd: this.#onUnexpectedEnd,
    });
    this.#seriesCapReport = new SeriesCapReport({ metrics: this.metrics, logger });
    this.#missingNodeReport = new MissingNodeReport(logger);
    this.#agent = new AgentSlot(this.#options);
    this.#evictionFile = evictionFile;
    this.#evictions = new EvictionTracker(evictionFile.log, () => this.#active);
    this.#active = this.#activate({ config, scope, source: this.#createSource(config, scope) });
    this.#prepare(this.#active.source.store).catch(this.#onUnexpectedEnd);
    this.#status = new DeferredStatus(this.#statusLoader(options.clock.monotonicMs()), logger);
    this.#server = this.#createServer();
  }

  /**
   * Resolves when all addresses accept connections, before the first lists. Throws UserError when an address is not
   * available or the node or shard to measure is unknown, and the signal's reason when it aborts before.
   */
  static async start(options: AppOptions, signal: AbortSignal): Promise<App> {
    const { config } = options;
    const scope = await scopeOf(options, signal);
    const evictionOptions = { ...options, isWatching: (): boolean => app.#active.source.store.lists.seesPods };
    const app = new App(options, scope, await EvictionFile.open(config.evictions, evictionOptions));
    try {
      if (config.web.status && app.#active.scope.nodeName === undefined) await app.#status.load();
      await app.#server.start();
    } catch (error) {
      await app[Symbol.asyncDispose]();
      throw error;
    }
    return app;
  }

  /**
   * Resolves when the exporter has been disposed of and all parts have ended. Rejects at once with the error of a part that has
   * ended although it never should: the exporter cannot go on, and is to be disposed of.
   */
  get done(): Promise<void> {
    return this.#lifetime.done;
  }

  /** The ports of the listeners, in the order of the settings. */
  get ports(): readonly number[] {
    return this.#server.ports;
  }

  get hasSynced(): boolean {
    return this.#active.source.store.hasSynced;
  }

  /**
   * Applies new settings, all or none. The old source serves until a new one has synced; it stays when no setting has
   * changed that it is made from. Throws UserError when a new source does not sync, or when the node or shard
   * to measure is unknown.
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
    this.#active = this.#activate({ config, scope, source, former: former.source });
    if (!isSameSource) {
      await Promise.allSettled(this.#collecting);
      await former.source[Symbol.asyncDispose]();
    }
    warnOfRestart(former.config, config, this.#options.logger);
  }

  /** For new connections and requests. Throws UserError for what takes a restart; the former settings stay then. */
  applyWeb(web: WebConfig): void {
    this.#server.apply(web);
    this.metrics.fileLoaded('web');
  }

  /** The exporter is not ready from now on; running scrapes finish. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort(new Error('stopped'));
    await this.#server.close(drainMs);
    this.#agent[Symbol.dispose]();
    this.#connection.kubelets[Symbol.dispose]();
    await this.#active.source[Symbol.asyncDispose]();
    await this.#connection[Symbol.asyncDispose]();
    await this.#evictionFile[Symbol.asyncDispose]();
    this.#lifetime.stopped();
  }

  /** For the first scrape, and what is known before it. */
  async #prepare({ lists }: ClusterStore): Promise<void> {
    await this.#evictions.retainAtStart(lists);
    await lists.synced();
    this.#active.source.expectScrape();
  }

  readonly #onUnexpectedEnd = (error: Error): void => {
    this.#lifetime.failed(error);
  };

  #activate(settings: Pick<ActivationOptions, 'config' | 'scope' | 'source' | 'former'>): ActiveSettings {
    return activate({
      ...this.#options,
      ...settings,
      server: this.#options.credentials.server,
      evictions: this.#evictions.log,
      agent: this.#agent,
      memories: this.#connection.nodeMemories,
      metrics: this.metrics,
      seriesCapReport: this.#seriesCapReport,
    });
  }

  #createSource(config: Config, scope: Scope): ClusterSource {
    const source: ClusterSource = new ClusterSource({
      ...this.#options,
      config,
      scope,
      connection: this.#connection,
      metrics: this.metrics,
      onUnexpectedEnd: this.#onUnexpectedEnd,
      onPodChange: (change) => {
        this.#evictions.podChanged(change, source, config);
      },
      onRefreshed: (node, signal) => prepareNode(this.#active, node, source, signal),
      isActive: () => source === this.#active.source,
    });
    return source;
  }

  /** Refuses a node that does not exist only when it is a new one: the node measured so far may come back. */
  async #syncedSource(config: Config, scope: Scope): Promise<ClusterSource> {
    const { nodeName } = scope;
    const source = this.#createSource(config, scope);
    try {
      await source.synced({ timeoutMs: syncTimeoutMs, mayBePartial: true }, this.#stopping.signal);
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
      this.metrics.show({ collected: snapshotCounts(snapshot) });
      this.#missingNodeReport.scraped(missingNode(snapshot), noSuchNode);
    }
    this.metrics.show({ workloadNameClashCount: collection.resolver.clashCount });
    return snapshot && this.#agent.addTo(snapshot);
  }

  async #tracked<T>(collecting: Promise<T>): Promise<T> {
    this.#collecting.add(collecting);
    return collecting.finally(() => this.#collecting.delete(collecting));
  }

  #checks(): readonly ReadinessCheck[] {
    const { source, scope } = this.#active;
    return readinessChecks({ ...this.#options, ...scope, store: source.store, stopping: this.#stopping.signal });
  }

  #createServer(): WebServer {
    const { config, web = plainWeb, reload } = this.#options;
    const { enableLifecycle, authorization, audiences } = config.web;
    return new WebServer({
      ...this.#options,
      settings: config.web,
      web,
      oldestTask: () => this.#active.source.oldestTask,
      tokens: authorization === 'kubernetes' ? this.#connection.tokenReviewer(audiences) : undefined,
      endpoints: {
        status: this.#status,
        metrics: this.#createMetricsHandler(),
        readiness: { checks: () => this.#checks() },
        reload: enableLifecycle ? reload : undefined,
      },
    });
  }

  #createMetricsHandler(): MetricsHandler {
    return new MetricsHandler({
      ...this.#options,
      source: { collect: (...scrape) => this.#scrape(...scrape) },
      exposition: {
        hasFamily: (name) => this.#active.exposition.hasFamily(name),
        prepareNode: (...node) => {
          this.#active.exposition.prepareNode(...node);
        },
        render: (...scrape) => this.#active.exposition.render(...scrape),
      },
      observer: this.metrics,
      settings: () => this.#active.config.scrape,
    });
  }

  #statusLoader(startMs: number): () => Promise<StatusEndpoint> {
    const options = {
      ...this.#options,
      active: () => this.#active,
      track: (collecting: Promise<ClusterSnapshot | undefined>) => this.#tracked(collecting),
      agent: this.#agent,
      metrics: this.metrics,
      seriesCapReport: this.#seriesCapReport,
      evictionFile: this.#evictionFile,
      evictions: () => this.#evictions.reports(),
      checks: () => this.#checks(),
      startMs,
      stopping: this.#stopping.signal,
    };
    return async () => (await import('./status-page.js')).statusPage(options);
  }
}
