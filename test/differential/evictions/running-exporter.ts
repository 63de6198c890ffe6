import { isDeepStrictEqual } from 'node:util';

import { activate, type ActiveSettings } from '../../../src/app/active-settings.js';
import { AgentSlot } from '../../../src/app/agent-slot.js';
import { ClusterSource } from '../../../src/app/cluster-source.js';
import { EvictionTracker } from '../../../src/app/eviction-tracker.js';
import { sourceSettings } from '../../../src/app/settings-lifetime.js';
import { UserError } from '../../../src/base/errors.js';
import { silentLogger } from '../../../src/base/logger.js';
import { Scheduler } from '../../../src/base/scheduler.js';
import type { Config } from '../../../src/config/schema.js';
import { staticCredentials } from '../../../src/credentials/credentials.js';
import { noFilter } from '../../../src/exposition/selection.js';
import { EvictionLog } from '../../../src/history/eviction-log.js';
import type { EvictionSnapshot } from '../../../src/history/eviction-record.js';
import type { EvictionRecord } from '../../../src/history/eviction-record.js';
import type { ApiTransport } from '../../../src/http/api-client.js';
import { wholeCluster } from '../../../src/kube/scope.js';
import type { KubeletCache } from '../../../src/kubelet/kubelet-cache.js';
import type { NodeMemory } from '../../../src/node/node-memory.js';
import { SeriesCapReport } from '../../../src/telemetry/scrape-reports.js';
import type { SelfMetrics } from '../../../src/telemetry/self-metrics.js';
import { ClusterWatches } from '../../../src/watch/cluster-watches.js';
import { settingsOf } from '../../support/exporter.js';
import { type ParsedFamily, parseExposition } from '../../support/exposition-parser.js';
import { newKubelets } from '../../support/kubelet-caches.js';
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

/** The parts of the exporter from the API server to the exposition, put together as in the exporter and without sockets. */
export class RunningExporter implements AsyncDisposable {
  readonly #options: RunningExporterOptions;
  readonly #metrics: SelfMetrics;
  readonly #scheduler: Scheduler;
  readonly #seriesCapReport: SeriesCapReport;
  readonly #watches: ClusterWatches;
  readonly #kubelets: KubeletCache;
  readonly #memories = new Map<string, NodeMemory>();
  readonly #evictions: EvictionTracker;
  #active: ActiveSettings;
  #activating: Promise<void> | undefined;
  readonly #never = new AbortController().signal;

  constructor(options: RunningExporterOptions) {
    const { clock, settings, metrics } = options;
    const config = settingsOf(settingsText(settings));
    this.#options = options;
    this.#metrics = metrics;
    this.#scheduler = new Scheduler(clock);
    this.#seriesCapReport = new SeriesCapReport({ metrics: this.#metrics, logger: silentLogger });
    this.#watches = new ClusterWatches({ ...this.#common(), observer: this.#metrics.watches });
    this.#kubelets = newKubelets({ ...this.#common(), metrics });
    const log = new EvictionLog(config.evictions, clock);
    this.#evictions = new EvictionTracker(log, () => this.#active);
    this.#active = this.#activate(config, this.#createSource(settings, config));
    options.observer.activated(settings);
    void this.#prepare(this.#active.source);
  }

  /** Resolves with whether the new settings are in force. Time goes by until then, and stands still while the former ones are looked at. */
  async apply(settings: HistorySettings): Promise<boolean> {
    const { clock, observer } = this.#options;
    const endMs = clock.monotonicMs() + maxReloadMs;
    let outcome: { readonly error: Error | undefined } | undefined;
    const reload = this.#evictions.duringReload(() => this.#apply(settings));
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
    const { namespaces, podSelector } = this.#active.config.cluster;
    using lease = this.#watches.pods({ scope: wholeCluster, namespaces, podSelector });
    for (const scope of lease.watch.scopes) scope.relist();
  }

  scraped(): void {
    this.#active.source.scraped();
  }

  /** All evictions that are listed. */
  get records(): readonly EvictionRecord[] {
    return this.#evictions.log.records;
  }

  /** Undefined before the first lists. */
  async evictions(): Promise<EvictionSnapshot | undefined> {
    return (await this.#active.collection.collector.collect(this.#never, {}))?.evictions;
  }

  async exposition(): Promise<readonly ParsedFamily[]> {
    const { collection, exposition } = this.#active;
    const snapshot = await collection.collector.collect(this.#never, {});
    const { chunks } = await exposition.render(snapshot, { format: 'text', filter: noFilter }, this.#never);
    return parseExposition(Buffer.concat(chunks), 'text');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#kubelets[Symbol.dispose]();
    await this.#active.source[Symbol.asyncDispose]();
    await this.#watches[Symbol.asyncDispose]();
  }

  async #prepare({ store }: ClusterSource): Promise<void> {
    await store.lists.listedNodes();
    this.#evictions.retain();
    this.#options.observer.retained();
  }

  async #apply(settings: HistorySettings): Promise<void> {
    const { observer } = this.#options;
    const former = this.#active;
    const config = settingsOf(settingsText(settings));
    const isSame = isSameSource(former.config, config);
    const source = isSame ? former.source : await this.#syncedSource(settings, config);
    this.#activating = observer.activating();
    await this.#activating;
    this.#active = this.#activate(config, source, former.source);
    observer.activated(settings);
    if (isSame) return;
    observer.sourceEnded(former.source);
    await former.source[Symbol.asyncDispose]();
  }

  async #syncedSource(settings: HistorySettings, config: Config): Promise<ClusterSource> {
    const source = this.#createSource(settings, config);
    try {
      await source.synced({ timeoutMs: 60_000, mayBePartial: true }, this.#never);
      return source;
    } catch (error) {
      this.#options.observer.sourceEnded(source);
      await source[Symbol.asyncDispose]();
      throw error;
    }
  }

  #createSource(settings: HistorySettings, config: Config): ClusterSource {
    const source: ClusterSource = new ClusterSource({
      ...this.#common(),
      config,
      scope: wholeCluster,
      connection: { api: this.#options.api, watches: this.#watches, kubelets: this.#kubelets },
      credentials,
      metrics: this.#metrics,
      version: '0.0.0-test',
      onPodChange: (change) => {
        this.#evictions.podChanged(change, source, config);
      },
      isActive: () => source === this.#active.source,
    });
    this.#options.observer.sourceStarted(source, settings);
    return source;
  }

  #activate(config: Config, source: ClusterSource, former?: ClusterSource): ActiveSettings {
    return activate({
      ...{ config, source, scope: wholeCluster, server: credentials.server, evictions: this.#evictions.log },
      ...{ metrics: this.#metrics, seriesCapReport: this.#seriesCapReport, memories: this.#memories },
      ...{ clock: this.#options.clock, scheduler: this.#scheduler, logger: silentLogger },
      agent: new AgentSlot({ scheduler: this.#scheduler, logger: silentLogger, clock: this.#options.clock }),
      ...(former === undefined ? {} : { former }),
    });
  }

  #common() {
    const { api, clock } = this.#options;
    return {
      ...{ api, clock, scheduler: this.#scheduler, random: () => 0.5, logger: silentLogger },
      onUnexpectedEnd: mustNotEnd,
    };
  }
}

/** Not used: nothing leaves the process. */
const credentials = staticCredentials({ server: new URL('https://127.0.0.1'), token: 'token' });

function isSameSource(former: Config, config: Config): boolean {
  return isDeepStrictEqual(sourceSettings(former), sourceSettings(config));
}
