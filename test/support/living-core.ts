/**
 * The one place at which the differential tests touch the inside of the exporter: everything between the API server's
 * transport and the bytes of an exposition. Without listeners, status page and self metrics.
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
import { staticCredentials } from '../../src/cluster/credentials/credentials.js';
import type { ApiTransport } from '../../src/cluster/http/api-client.js';
import type { Scope } from '../../src/cluster/kube/scope.js';
import { ClusterWatches } from '../../src/cluster/watch/cluster-watches.js';
import { Tombstones } from '../../src/cluster/watch/tombstones.js';
import type { Config } from '../../src/config/schema.js';
import { EvictionLog } from '../../src/facts/history/eviction-log.js';
import { contradictsStore } from '../../src/facts/scrape/snapshot-counts.js';
import type { Clock } from '../../src/lib/base/clock.js';
import type { Logger } from '../../src/lib/base/logger.js';
import { Scheduler } from '../../src/lib/base/scheduler.js';
import type { ExpositionRequest } from '../../src/metrics/exposition/bodies.js';
import { SelfMetrics } from '../../src/metrics/telemetry/self-metrics.js';
import { CoreHost } from '../../src/serve/app/core-host.js';
import { resolveScope } from '../../src/serve/app/resolve-scope.js';
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

export class LivingCore implements AsyncDisposable {
  readonly #lifetime = new AbortController();
  readonly #host: CoreHost;
  readonly #newWatches: () => ClusterWatches;
  /** Those that the next core watches by. */
  #watches: ClusterWatches;

  private constructor(options: LivingCoreOptions, config: Config, scope: Scope) {
    const { clock, metrics } = options;
    const tombstones = { nodes: new Tombstones(clock), pods: new Tombstones(clock) };
    const parts = { ...options, scheduler: new Scheduler(clock), random: () => 0.5 };
    this.#newWatches = () => new ClusterWatches({ ...parts, observer: metrics.watches, tombstones });
    this.#watches = this.#newWatches();
    const host = {
      ...parts,
      version: '0',
      credentials: staticCredentials({ server: new URL('http://api.example') }),
      watches: this.#latestWatches(),
      evictions: new EvictionLog(config.evictions, clock),
      selfMetrics: noSelfMetrics,
      observer: { capped: () => undefined },
    };
    this.#host = new CoreHost(host, config, scope);
  }

  /** Resolves after the first lists. */
  static async start(options: LivingCoreOptions, config: Config): Promise<LivingCore> {
    const core = new LivingCore(options, config, await scopeOf(config));
    const { place } = core.#host.core;
    await place.synced({ timeoutMs: 60_000 }, core.#lifetime.signal);
    core.#host.evictions.retain();
    return core;
  }

  /** The nodes that are asked more often because they may soon evict a pod. */
  get nearNodeNames(): readonly string[] {
    return [...this.#host.core.place.cache.nearNodeNames].sort();
  }

  /** New settings, as a reload applies them. */
  async reload(config: Config): Promise<void> {
    await this.#host.evictions.duringReload(async () => {
      this.#host.replace(await this.#host.synced(config, await scopeOf(config), this.#lifetime.signal));
    });
  }

  /** The same settings, with nothing kept that follows from the inputs; `isWatchedAnew`: objects are listed again, too. */
  async renew({ isWatchedAnew }: { readonly isWatchedAnew: boolean }): Promise<void> {
    const { config, scope } = this.#host.core;
    const former = this.#watches;
    if (isWatchedAnew) this.#watches = this.#newWatches();
    this.#host.replace(await this.#host.synced(config, scope, this.#lifetime.signal));
    if (isWatchedAnew) await former[Symbol.asyncDispose]();
  }

  /** Resolves when the data of one scrape has been collected. */
  async collect(reader: Reader, filter: ExpositionRequest['filter']): Promise<CollectedScrape> {
    const { place, collector, exposition } = this.#host.core;
    const { signal } = this.#lifetime;
    if (reader !== 'status') place.scraped();
    const snapshot = await (reader === 'status'
      ? collector.collect(signal, { recordsFailures: false, waitsForAll: true })
      : collector.collect(reader === 'hurried' ? AbortSignal.abort(new Error('late')) : signal, {
          onView: (view, derived) => {
            exposition.prepareNode(view, derived, filter);
          },
        }));
    if (reader !== 'status' && snapshot !== undefined) place.store.doubt(contradictsStore(snapshot));
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
    await this.#host[Symbol.asyncDispose]();
  }

  #latestWatches(): Required<ConstructorParameters<typeof CoreHost>[0]>['watches'] {
    return {
      watchCount: 0,
      subscriptionCount: 0,
      nodes: (options) => this.#watches.nodes(options),
      pods: (options) => this.#watches.pods(options),
      [Symbol.asyncDispose]: () => this.#watches[Symbol.asyncDispose](),
    };
  }
}

/** They count what each core does. */
const noSelfMetrics = {
  registry: { getMetricsAsArray: () => [], getMetricsAsJSON: () => Promise.resolve([]) },
  setSeries: () => undefined,
};

function scopeOf({ cluster }: Config): Promise<Scope> {
  const host = { name: 'exporter-0', nodeName: undefined };
  const nodes = () => Promise.resolve([] as readonly string[]);
  return resolveScope({ settings: cluster, host, nodes }, never);
}
