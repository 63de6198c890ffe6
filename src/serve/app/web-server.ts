import type { Config } from '../../config/schema.js';
import { reloadPath } from '../../config/served-paths.js';
import type { WebConfig } from '../../config/web/web-config.js';
import type { Clock } from '../../lib/base/clock.js';
import { UserError } from '../../lib/base/errors.js';
import type { Logger } from '../../lib/base/logger.js';
import { AccessControl } from '../access/access-control.js';
import { comparePassword, PasswordChecker } from '../access/password-checker.js';
import type { TokenReviewer } from '../access/token-reviewer.js';
import { Connections } from '../server/connections.js';
import { Guard } from '../server/guard.js';
import { Listener } from '../server/listener.js';
import { Liveness } from '../server/liveness.js';
import { createRoutes, type Endpoints } from '../server/routes.js';
import { maxReaderConnections } from './connection-budget.js';

/** All listening addresses, with the same endpoints. */
export class WebServer {
  readonly #listeners: readonly Listener[];
  readonly #access: AccessControl;
  readonly #guard: Guard;
  readonly #logger: Logger;
  readonly #liveness: Liveness;
  readonly #lifetime = new AbortController();
  #web: WebConfig;

  constructor(options: {
    /** They take effect at the start only. */
    readonly settings: Pick<Config['web'], 'listenAddresses' | 'telemetryPath' | 'status'>;
    readonly web: WebConfig;
    /** Undefined: no tokens are accepted. */
    readonly tokens: TokenReviewer | undefined;
    readonly endpoints: Omit<Endpoints, 'liveness'>;
    /** In the background; see {@link Liveness}. */
    readonly oldestTask: ConstructorParameters<typeof Liveness>[0]['oldestTask'];
    /** Files and connections that the process may have open; undefined: not known. */
    readonly openFileLimit?: number | undefined;
    readonly clock: Clock;
    readonly logger: Logger;
  }) {
    const { settings, web, tokens, endpoints, openFileLimit, clock, logger } = options;
    const { listenAddresses, telemetryPath: metricsPath, status } = settings;
    this.#web = web;
    this.#logger = logger;
    const passwords = new PasswordChecker({ clock, logger, compare: comparePassword });
    this.#access = new AccessControl({ passwords, tokens });
    this.#guard = new Guard({ settings: web, access: this.#access, ownPaths: [metricsPath, reloadPath], clock });
    const liveness = new Liveness(options);
    this.#liveness = liveness;
    const guard = this.#guard;
    const handler = createRoutes({ ...endpoints, liveness, metricsPath, hasStatus: status, guard, logger });
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
    this.#access[Symbol.dispose]();
    this.#lifetime.abort();
  }

  #warn(): void {
    const { tls } = this.#web;
    if (tls === undefined && this.#access.challenges.length > 0) {
      this.#logger.warn('credentials travel in clear text: set tls_server_config in the file of --web.config.file');
    }
    if (tls?.clientAllowedSans !== undefined && tls.clientAuth === 'none') {
      this.#logger.warn('client_allowed_sans has no effect: set client_auth_type, so that clients show certificates');
    }
    if (tls !== undefined && tls.minVersion > tls.maxVersion) {
      this.#logger.warn('no client can connect: min_version (default TLS12) is above max_version (default TLS13)');
    }
  }
}
