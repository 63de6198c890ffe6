import { isDeepStrictEqual } from 'node:util';

import type { Scope } from '../../cluster/kube/scope.js';
import type { Config } from '../../config/schema.js';
import { configHash } from '../../config/settings.js';
import type { WebConfig } from '../../config/web/web-config.js';
import { EvictionFile } from '../../facts/history/eviction-file.js';
import { instantOf } from '../../lib/base/clock.js';
import { Lifetime } from '../../lib/base/lifetime.js';
import { Scheduler } from '../../lib/base/scheduler.js';
import { SeriesCapReport } from '../../metrics/telemetry/scrape-reports.js';
import { SelfMetrics } from '../../metrics/telemetry/self-metrics.js';
import { DeferredStatus } from '../server/deferred-status.js';
import { AgentSlot } from './agent-slot.js';
import type { ProcessParts } from './cluster-place.js';
import { CoreHost } from './core-host.js';
import { readinessChecks } from './readiness-checks.js';
import { type Host, scopeOf } from './resolve-scope.js';
import { isKubeletTlsUnverified, settingWarnings, warnOfRestart } from './setting-warnings.js';
import { WebServer } from './web-server.js';

/** How long running scrapes may finish after a stop: the longest that Prometheus usually waits. */
const drainMs = 10_000;

/** A DaemonSet starts on 5,000 nodes at once: 1,000 lists a second at most, and ready before the first scrape in most cases. */
const nodeLocalSpreadMs = 5_000;

export interface AppOptions extends Omit<ProcessParts, 'scheduler' | 'metrics' | 'onUnexpectedEnd'> {
  readonly config: Config;
  /** Without it, plain HTTP for everybody. */
  readonly web?: WebConfig;
  readonly host: Host;
  /** Reloads the settings for `POST /-/reload`; rejects, after it has logged the reason, when the old ones stay. */
  readonly reload?: () => Promise<void>;
}

/**
 * The exporter: listeners, and what is behind them ({@link CoreHost}).
 *
 * Start: the addresses are listened on; nodes and pods are listed; subscribers are told of all pods; the exporter is ready.
 * Kubelets are refreshed for the first scrape, if they are ahead of scrapes at all; it starts the other background tasks. Stop,
 * in reverse: the exporter is not ready, and running scrapes finish; tasks in process end; watches end; connections are closed;
 * the evictions that came last are written to their file.
 */
export class App implements AsyncDisposable {
  readonly metrics: SelfMetrics;
  readonly #options: AppOptions & ProcessParts;
  readonly #stopping = new AbortController();
  readonly #lifetime = new Lifetime();
  readonly #evictionFile: EvictionFile;
  readonly #agent: AgentSlot;
  readonly #host: CoreHost;
  readonly #status: DeferredStatus;
  readonly #server: WebServer;

  private constructor(options: AppOptions, scope: Scope, evictionFile: EvictionFile) {
    const { config, logger, clock } = options;
    this.metrics = new SelfMetrics({ ...options, nodeVersion: process.version });
    this.#options = {
      ...{ ...options, scheduler: new Scheduler(clock), metrics: this.metrics },
      onUnexpectedEnd: (error) => {
        this.#lifetime.failed(error);
      },
    };
    const observer = new SeriesCapReport(this.#options);
    this.#agent = new AgentSlot(this.#options);
    this.#evictionFile = evictionFile;
    const parts = { ...this.#options, nodeLocalSpreadMs, observer, evictions: evictionFile.log };
    this.#host = new CoreHost(parts, config, scope);
    this.#applied(config);
    const startMs = clock.monotonicMs();
    const { signal: stopping } = this.#stopping;
    const host = this.#host;
    const checks = () => {
      const { scope: current, place } = host.core;
      return readinessChecks({ clock, stopping, nodeName: current.nodeName, store: place.store });
    };
    this.#status = new DeferredStatus(async () => {
      const { statusPage } = await import('./status-page.js');
      const shown = { host, seriesCapReport: observer, evictionFile, checks, startMs, stopping };
      return statusPage({ ...this.#options, ...shown });
    }, logger);
    const endpoints = { status: this.#status, readiness: { checks } };
    this.#server = new WebServer({ ...this.#options, ...endpoints, host, agent: this.#agent });
  }

  /**
   * Resolves when all addresses accept connections, before the first lists. Throws UserError when an address is not
   * available or the node or shard to measure is unknown, and the signal's reason when it aborts before.
   */
  static async start(options: AppOptions, signal: AbortSignal): Promise<App> {
    const { config } = options;
    const scope = await scopeOf(options, signal);
    const isWatching = (): boolean => app.#host.core.place.store.lists.seesPods;
    const app = new App(options, scope, await EvictionFile.open(config.evictions, { ...options, isWatching }));
    try {
      if (config.web.status && scope.nodeName === undefined) await app.#status.load();
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
    return this.#host.core.place.store.hasSynced;
  }

  /**
   * Applies new settings, all or none: the former ones serve until nodes and pods are listed for the new ones. Throws UserError
   * when they are not in time, or when the node or shard to measure is unknown.
   */
  async apply(config: Config): Promise<void> {
    const { signal } = this.#stopping;
    const { config: former, scope } = this.#host.core;
    const isSameScope = isDeepStrictEqual(former.cluster, config.cluster);
    const newScope = isSameScope ? scope : await scopeOf({ ...this.#options, config }, signal);
    await this.#host.apply(config, newScope, signal);
    this.#applied(config);
    warnOfRestart(former, config, this.#options.logger);
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
    await this.#host[Symbol.asyncDispose]();
    await this.#evictionFile[Symbol.asyncDispose]();
    this.#lifetime.stopped();
  }

  #applied(config: Config): void {
    const { logger, clock } = this.#options;
    this.#agent.configure(config);
    this.metrics.show({ isKubeletTlsUnverified: isKubeletTlsUnverified(config) });
    this.metrics.settingsLoaded(configHash(config), instantOf(clock));
    for (const warning of settingWarnings(config)) logger.warn(...warning);
  }
}
