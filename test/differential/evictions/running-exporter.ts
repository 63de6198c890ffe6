import { staticCredentials } from '../../../src/cluster/credentials/credentials.js';
import type { ApiTransport } from '../../../src/cluster/http/api-client.js';
import { wholeCluster } from '../../../src/cluster/kube/scope.js';
import { EvictionLog } from '../../../src/facts/history/eviction-log.js';
import type { EvictionRecord } from '../../../src/facts/history/eviction-record.js';
import type { EvictionSnapshot } from '../../../src/facts/history/eviction-snapshot.js';
import { UserError } from '../../../src/lib/base/errors.js';
import { silentLogger } from '../../../src/lib/base/logger.js';
import { Scheduler } from '../../../src/lib/base/scheduler.js';
import { noFilter } from '../../../src/metrics/exposition/selection.js';
import { CoreHost } from '../../../src/serve/app/core-host.js';
import { settingsOf } from '../../support/exporter.js';
import { type ParsedFamily, parseExposition } from '../../support/exposition-parser.js';
import type { SharedParts } from '../../support/living-core.js';
import type { ManualClock } from '../../support/manual-clock.js';
import { mustNotEnd } from '../../support/watch-observers.js';
import { type HistorySettings, settingsText } from './history-settings.js';

export interface RunningExporterOptions extends SharedParts {
  readonly api: ApiTransport;
  readonly clock: ManualClock;
  readonly settings: HistorySettings;
  readonly observer: ExporterObserver;
}

/** Told of the parts of the exporter when they change. */
interface ExporterObserver {
  readonly sourceStarted: (source: object, settings: HistorySettings) => void;
  readonly sourceEnded: (source: object) => void;
  /** The settings in force are about to be replaced. */
  readonly activating: () => Promise<void>;
  readonly activated: (settings: HistorySettings) => void;
  readonly retained: () => void;
}

/** More than the time within which new settings must have synced. */
const maxReloadMs = 70_000;

/** The exporter from the API server to the exposition, without sockets. */
export class RunningExporter implements AsyncDisposable {
  readonly #options: RunningExporterOptions;
  readonly #host: CoreHost;
  readonly #log: EvictionLog;
  /** The core in force, to the observer. */
  #source: object = {};
  #activating: Promise<void> | undefined;
  readonly #never = new AbortController().signal;

  constructor(options: RunningExporterOptions) {
    const { clock, settings, metrics, api, observer } = options;
    const config = settingsOf(settingsText(settings));
    this.#options = options;
    this.#log = new EvictionLog(config.evictions, clock);
    const parts = {
      ...{ api, clock, metrics, credentials, scheduler: new Scheduler(clock), random: () => 0.5, logger: silentLogger },
      version: '0.0.0-test',
      evictions: this.#log,
      observer: { capped: () => undefined },
      onUnexpectedEnd: mustNotEnd,
    };
    this.#host = new CoreHost(parts, config, wholeCluster);
    observer.sourceStarted(this.#source, settings);
    observer.activated(settings);
    void this.#prepare();
  }

  /** Resolves with whether the new settings are in force. Time goes by until then, and stands still while the former ones are looked at. */
  async apply(settings: HistorySettings): Promise<boolean> {
    const { clock, observer } = this.#options;
    const endMs = clock.monotonicMs() + maxReloadMs;
    let outcome: { readonly error: Error | undefined } | undefined;
    const reload = this.#host.evictions.duringReload(() => this.#apply(settings));
    void reload.then(
      () => (outcome = { error: undefined }),
      (error: unknown) => (outcome = { error: error instanceof Error ? error : new Error(String(error)) }),
    );
    await clock.advance(0);
    while (outcome === undefined && clock.monotonicMs() < endMs) {
      await this.#activating;
      await clock.advance(Math.min(1_000, clock.nextDueMs));
    }
    const { error } = outcome ?? { error: new Error('the reload does not end') };
    if (error !== undefined && !(error instanceof UserError)) throw error;
    observer.retained();
    return error === undefined;
  }

  relist(): void {
    const { namespaces, podSelector } = this.#host.core.config.cluster;
    using lease = this.#host.watches.pods({ scope: wholeCluster, namespaces, podSelector });
    for (const scope of lease.watch.scopes) scope.check();
  }

  scraped(): void {
    this.#host.core.place.scraped();
  }

  /** All evictions that are listed. */
  get records(): readonly EvictionRecord[] {
    return this.#log.records;
  }

  /** Undefined before the first lists. */
  async evictions(): Promise<EvictionSnapshot | undefined> {
    return (await this.#host.core.collector.collect(this.#never, {}))?.evictions;
  }

  async exposition(): Promise<readonly ParsedFamily[]> {
    const { collector, exposition } = this.#host.core;
    const snapshot = await collector.collect(this.#never, {});
    const { chunks } = await exposition.render(snapshot, { format: 'text', filter: noFilter }, this.#never);
    return parseExposition(Buffer.concat(chunks), 'text');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#host[Symbol.asyncDispose]();
  }

  async #prepare(): Promise<void> {
    await this.#host.core.place.store.lists.listedNodes();
    this.#options.observer.retained();
  }

  async #apply(settings: HistorySettings): Promise<void> {
    const { observer } = this.#options;
    const started = {};
    observer.sourceStarted(started, settings);
    const synced = this.#host.synced(settingsOf(settingsText(settings)), wholeCluster, this.#never);
    const core = await synced.catch((error: unknown) => {
      observer.sourceEnded(started);
      throw error;
    });
    this.#activating = observer.activating();
    await this.#activating;
    this.#host.replace(core);
    observer.activated(settings);
    observer.sourceEnded(this.#source);
    this.#source = started;
  }
}

/** Not used: nothing leaves the process. */
const credentials = staticCredentials({ server: new URL('https://127.0.0.1'), token: 'token' });
