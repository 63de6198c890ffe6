import { ApiClient } from '../../cluster/http/api-client.js';
import type { Config } from '../../config/schema.js';
import { reloadPath } from '../../config/served-paths.js';
import { plainWeb, type WebConfig } from '../../config/web/web-config.js';
import { contradictsStore, missingNode, snapshotCounts } from '../../facts/scrape/snapshot-counts.js';
import { UserError } from '../../lib/base/errors.js';
import type { Logger } from '../../lib/base/logger.js';
import { MissingNodeReport } from '../../metrics/telemetry/scrape-reports.js';
import { comparePassword, PasswordChecker } from '../access/password-checker.js';
import { TokenReviewer } from '../access/token-reviewer.js';
import { Connections } from '../server/connections.js';
import { Guard } from '../server/guard.js';
import { Listener } from '../server/listener.js';
import { Liveness } from '../server/liveness.js';
import { MetricsHandler } from '../server/metrics-handler.js';
import { createRoutes, type Endpoints } from '../server/routes.js';
import type { AgentSlot } from './agent-slot.js';
import type { ProcessParts } from './cluster-place.js';
import { maxReaderConnections } from './connection-budget.js';
import type { CoreHost } from './core-host.js';
import { noSuchNode } from './resolve-scope.js';

/** All listening addresses, with the same endpoints. */
export class WebServer {
  readonly #listeners: readonly Listener[];
  readonly #guard: Guard;
  readonly #logger: Logger;
  readonly #liveness: Liveness;
  readonly #lifetime = new AbortController();
  #web: WebConfig;

  constructor(
    options: ProcessParts &
      Pick<Endpoints, 'status' | 'readiness'> & {
        /** What it says of `web` takes effect at the start only. */
        readonly config: Config;
        /** Without it, plain HTTP for everybody. */
        readonly web?: WebConfig;
        readonly host: CoreHost;
        readonly agent: AgentSlot;
        readonly reload?: () => Promise<void>;
      },
  ) {
    const { config, web = plainWeb, host, openFileLimit, clock, logger } = options;
    const { listenAddresses, telemetryPath: metricsPath, status: hasStatus, enableLifecycle } = config.web;
    this.#web = web;
    this.#logger = logger;
    const passwords = new PasswordChecker({ clock, logger, compare: comparePassword });
    const ownPaths = [metricsPath, reloadPath];
    const guard = new Guard({ settings: web, passwords, tokens: tokensOf(options), ownPaths, clock });
    this.#guard = guard;
    const liveness = new Liveness({ ...options, oldestTask: () => host.core.place.oldestTask });
    this.#liveness = liveness;
    const metrics = metricsEndpoint(options);
    const reload = enableLifecycle ? options.reload : undefined;
    const handler = createRoutes({ ...options, metrics, reload, liveness, metricsPath, hasStatus, guard });
    const { tls } = web;
    const connections = new Connections({ maxCount: maxReaderConnections(openFileLimit), clock, logger });
    this.#listeners = listenAddresses.map(
      ({ host, port }) => new Listener({ host, port, tls, handler, connections, clock, logger }),
    );
    this.#warn();
  }

  /** In the order of the addresses. */
  get ports(): readonly number[] {
    return this.#listeners.map(({ port }) => port).filter((port) => port !== undefined);
  }

  /** Throws UserError when an address is not available. */
  async start(): Promise<void> {
    void this.#liveness.run(this.#lifetime.signal);
    for (const listener of this.#listeners) await listener.start();
  }

  /** Throws UserError for what takes a restart; the former settings stay then. */
  apply(web: WebConfig): void {
    const { tls } = web;
    if ((tls === undefined) !== (this.#web.tls === undefined)) {
      throw new UserError('TLS cannot be switched on or off while the exporter runs; restart it');
    }
    if (tls !== undefined) for (const listener of this.#listeners) listener.setTls(tls);
    this.#guard.set(web);
    this.#web = web;
    this.#warn();
  }

  /** Running responses may finish for `graceMs`. */
  async close(graceMs: number): Promise<void> {
    await Promise.all(this.#listeners.map((listener) => listener.close(graceMs)));
    this.#guard[Symbol.dispose]();
    this.#lifetime.abort();
  }

  #warn(): void {
    if (this.#web.tls === undefined && this.#guard.challenges.length > 0) {
      this.#logger.warn('credentials travel in clear text: set tls_server_config in the file of --web.config.file');
    }
  }
}

/** With connections of its own: a flood of tokens must not delay the watches. Undefined: no tokens are accepted. */
function tokensOf({ config, ...options }: ProcessParts & { readonly config: Config }): TokenReviewer | undefined {
  if (config.web.authorization !== 'kubernetes') return undefined;
  return new TokenReviewer({ ...options, api: new ApiClient(options) });
}

/** Answers scrapes, each from the core that is in force when it begins. */
function metricsEndpoint(
  options: ProcessParts & { readonly host: CoreHost; readonly agent: AgentSlot },
): MetricsHandler {
  const { host, agent, metrics, logger } = options;
  const missingNodeReport = new MissingNodeReport(logger);
  return new MetricsHandler({
    ...options,
    observer: metrics,
    core: () => {
      const { config, place, collector, resolver, exposition } = host.core;
      return {
        exposition,
        settings: config.scrape,
        collect: async (...scrape) => {
          place.scraped();
          const snapshot = await collector.collect(...scrape);
          if (snapshot !== undefined) {
            metrics.show({ collected: snapshotCounts(snapshot) });
            place.store.doubt(contradictsStore(snapshot));
            missingNodeReport.scraped(missingNode(snapshot), noSuchNode);
          }
          metrics.show({ workloadNameClashCount: resolver.clashCount });
          return snapshot && agent.addTo(snapshot);
        },
      };
    },
  });
}
