/**
 * The one place at which the differential tests touch the inside of the exporter: everything between the API server's
 * transport and the bytes of an exposition, wired as the application wires it. Without listeners, status page and self
 * metrics.
 *
 * `renew` makes the core again from the same inputs. What it hands on is what a change of settings hands on, and nothing
 * else. That is memory by its meaning, as no input that is there now shows it:
 * - what kubelets said, and when: summaries with their times, failures, configurations, gates of requests, and the totals
 *   of former summaries, from which growth follows;
 * - since when pods are unknown to the API server, and the layout of disks that a kubelet decided on at its start;
 * - which objects were deleted lately;
 * - the evictions that were seen.
 *
 * Everything else is derived, and made again: snapshots, records, coverages, sums, pages, texts and deflated pages. How
 * often a workload has failed, and which of two workloads had a name first, are memory too, and are not handed on: histories
 * are such that they do not show.
 */
import { isDeepStrictEqual } from 'node:util';

import { prepareNode } from '../../src/app/active-settings.js';
import { ClusterSource } from '../../src/app/cluster-source.js';
import { type Collection, createCollection } from '../../src/app/collection.js';
import { EvictionTracker } from '../../src/app/eviction-tracker.js';
import { resolveScope } from '../../src/app/resolve-scope.js';
import { sourceSettings } from '../../src/app/settings-lifetime.js';
import type { Clock } from '../../src/base/clock.js';
import type { Logger } from '../../src/base/logger.js';
import { Scheduler } from '../../src/base/scheduler.js';
import type { Config } from '../../src/config/schema.js';
import { staticCredentials } from '../../src/credentials/credentials.js';
import type { ExpositionRequest } from '../../src/exposition/bodies.js';
import { Exposition } from '../../src/exposition/exposition.js';
import { EvictionLog } from '../../src/history/eviction-log.js';
import type { ApiTransport } from '../../src/http/api-client.js';
import type { Scope } from '../../src/kube/scope.js';
import type { KubeletCache } from '../../src/kubelet/kubelet-cache.js';
import { NodeFaults } from '../../src/node/node-faults.js';
import type { NodeMemory } from '../../src/node/node-memory.js';
import { SelfMetrics } from '../../src/telemetry/self-metrics.js';
import { ClusterWatches } from '../../src/watch/cluster-watches.js';
import { Tombstones } from '../../src/watch/tombstones.js';
import { newKubelets } from './kubelet-caches.js';
import { never } from './signals.js';

/** Parts that any number of cores share, and that show in none. */
export interface SharedParts {
  readonly metrics: SelfMetrics;
}

export function sharedParts(): SharedParts {
  return { metrics: new SelfMetrics({ version: '0', nodeVersion: '0' }) };
}

export interface LivingCoreOptions extends SharedParts {
  readonly api: ApiTransport;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly onUnexpectedEnd: (error: Error) => void;
}

/** A scrape whose data has been collected. */
export interface CollectedScrape {
  /** The body of a response; may be asked for at any later time. */
  exposition(request: ExpositionRequest): Promise<Buffer>;
}

/** `scrape`: as Prometheus does. `hurried`: its time is up at once. `status`: as the status page does, which renders nothing. */
export type Reader = 'scrape' | 'hurried' | 'status';

/** What lives as long as one set of settings. */
interface Active {
  readonly config: Config;
  readonly scope: Scope;
  readonly source: ClusterSource;
  readonly collection: Collection;
  readonly exposition: Exposition;
}

export class LivingCore implements AsyncDisposable {
  readonly #options: LivingCoreOptions & Pick<SourceOptions, 'credentials' | 'scheduler' | 'random' | 'version'>;
  readonly #memories = new Map<string, NodeMemory>();
  readonly #evictions: EvictionTracker;
  readonly #lifetime = new AbortController();
  readonly #kubelets: KubeletCache;
  readonly #tombstones: { readonly nodes: Tombstones; readonly pods: Tombstones };
  #watches: ClusterWatches;
  #active: Active;

  private constructor(options: LivingCoreOptions, config: Config, scope: Scope) {
    const { clock } = options;
    const credentials = staticCredentials({ server: new URL('http://api.example') });
    this.#options = { ...options, credentials, scheduler: new Scheduler(clock), random: () => 0.5, version: '0' };
    this.#tombstones = { nodes: new Tombstones(clock), pods: new Tombstones(clock) };
    this.#watches = this.#newWatches();
    this.#kubelets = newKubelets(this.#options);
    const log = new EvictionLog(config.evictions, clock);
    this.#evictions = new EvictionTracker(log, () => this.#active);
    this.#active = this.#activate({ config, scope, source: this.#createSource(config, scope) });
  }

  /** Resolves after the first lists. */
  static async start(options: LivingCoreOptions, config: Config): Promise<LivingCore> {
    const core = new LivingCore(options, config, await scopeOf(config));
    await core.#synced(core.#active.source);
    core.#evictions.retain();
    core.#active.source.expectScrape();
    return core;
  }

  /** The nodes that are asked more often because they may soon evict a pod. */
  get nearNodeNames(): readonly string[] {
    return [...this.#active.source.cache.nearNodeNames].sort();
  }

  /** New settings, as a reload applies them. */
  async reload(config: Config): Promise<void> {
    await this.#evictions.duringReload(() => this.#reload(config));
  }

  /** The same settings, with nothing kept that follows from the inputs; `isWatchedAnew`: objects are listed again, too. */
  async renew({ isWatchedAnew }: { readonly isWatchedAnew: boolean }): Promise<void> {
    const { config, scope, source } = this.#active;
    if (!isWatchedAnew) {
      this.#active = this.#activate({ config, scope, source, former: this.#active });
      return;
    }
    const former = this.#watches;
    this.#watches = this.#newWatches();
    await this.#replaceSource(config, scope);
    await former[Symbol.asyncDispose]();
  }

  /** Resolves when the data of one scrape has been collected. */
  async collect(reader: Reader, filter: ExpositionRequest['filter']): Promise<CollectedScrape> {
    const { source, collection, exposition } = this.#active;
    const { signal } = this.#lifetime;
    if (reader !== 'status') source.scraped();
    const snapshot = await (reader === 'status'
      ? collection.collector.collect(signal, { recordsFailures: false, waitsForAll: true })
      : collection.collector.collect(reader === 'hurried' ? AbortSignal.abort(new Error('late')) : signal, {
          onView: (view, derived) => {
            exposition.prepareNode(view, derived, filter);
          },
        }));
    return {
      exposition: async (request) => {
        const { chunks, contentLength } = await exposition.render(snapshot, request, signal);
        const body = Buffer.concat(chunks);
        if (body.length !== contentLength) throw new Error(`${body.length} bytes instead of ${contentLength}`);
        return body;
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#lifetime.abort(new Error('stopped'));
    this.#kubelets[Symbol.dispose]();
    await this.#active.source[Symbol.asyncDispose]();
    await this.#watches[Symbol.asyncDispose]();
  }

  async #reload(config: Config): Promise<void> {
    const former = this.#active;
    const scope = await scopeOf(config);
    const isSameSource = isDeepStrictEqual(sourceSettings(former.config), sourceSettings(config));
    if (!isSameSource) return this.#replaceSource(config, scope);
    this.#active = this.#activate({ config, scope, source: former.source, former });
  }

  async #replaceSource(config: Config, scope: Scope): Promise<void> {
    const former = this.#active;
    const source = this.#createSource(config, scope);
    await this.#synced(source);
    this.#active = this.#activate({ config, scope, source, former });
    await former.source[Symbol.asyncDispose]();
  }

  #synced(source: ClusterSource): Promise<void> {
    return source.synced({ timeoutMs: 60_000, mayBePartial: true }, this.#lifetime.signal);
  }

  #newWatches(): ClusterWatches {
    const { metrics } = this.#options;
    return new ClusterWatches({ ...this.#options, observer: metrics.watches, tombstones: this.#tombstones });
  }

  #createSource(config: Config, scope: Scope): ClusterSource {
    const source: ClusterSource = new ClusterSource({
      ...this.#options,
      connection: { api: this.#options.api, watches: this.#watches, kubelets: this.#kubelets },
      config,
      scope,
      onPodChange: (change) => {
        this.#evictions.podChanged(change, source, config);
      },
      onRefreshed: (node, signal) => prepareNode(this.#active, node, source, signal),
      isActive: () => source === this.#active.source,
    });
    return source;
  }

  #activate(settings: Pick<Active, 'config' | 'scope' | 'source'> & { readonly former?: Active }): Active {
    const { config, scope, source, former } = settings;
    if (source !== former?.source) source.activate();
    const { clock, logger, scheduler } = this.#options;
    const { store, cache } = source;
    const faults = new NodeFaults(logger);
    const evictions = this.#evictions.log;
    evictions.configure(config.evictions);
    const onlyNode = scope.nodeName;
    return {
      config,
      scope,
      source,
      collection: createCollection({
        config,
        onlyNode,
        store,
        cache,
        evictions,
        faults,
        scheduler,
        clock,
        memories: this.#memories,
      }),
      exposition: new Exposition({
        settings: config.metrics,
        selfMetrics: noSelfMetrics,
        observer: { capped: () => undefined },
        faults,
        lane: scheduler.newLane(),
        clock,
      }),
    };
  }
}

type SourceOptions = ConstructorParameters<typeof ClusterSource>[0];

/** They count what each core does. */
const noSelfMetrics = {
  registry: { getMetricsAsArray: () => [], getMetricsAsJSON: () => Promise.resolve([]) },
  setSeries: () => undefined,
};

function scopeOf({ cluster }: Config): Promise<Scope> {
  const host = { name: 'exporter-0', nodeName: undefined };
  const nodes = { namesOf: () => Promise.resolve([]) };
  return resolveScope({ settings: cluster, host, nodes }, never);
}
