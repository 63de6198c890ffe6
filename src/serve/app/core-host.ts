import { ApiClient, type ApiTransport } from '../../cluster/http/api-client.js';
import type { Scope } from '../../cluster/kube/scope.js';
import { KubeletCache } from '../../cluster/kubelet/kubelet-cache.js';
import { ClusterWatches } from '../../cluster/watch/cluster-watches.js';
import type { StoreLists } from '../../cluster/watch/store-lists.js';
import type { Config } from '../../config/schema.js';
import type { EvictionLog } from '../../facts/history/eviction-log.js';
import type { NodeMemory } from '../../facts/node/node-memory.js';
import { UserError } from '../../lib/base/errors.js';
import type { ExpositionOptions } from '../../metrics/exposition/exposition.js';
import { noFilter } from '../../metrics/exposition/selection.js';
import { ClusterPlace, type CoreWatches, type ProcessParts } from './cluster-place.js';
import { warnOfOpenFileLimit } from './connection-budget.js';
import { Core } from './core.js';
import { EvictionTracker } from './eviction-tracker.js';
import { KubeletConnection } from './kubelet-connection.js';
import { noSuchNode } from './resolve-scope.js';

/** New settings take effect only when their first lists arrive within this time. */
const syncTimeoutMs = 60_000;

export type ClusterCore = Core<ClusterPlace>;

/**
 * What lives as long as the process, whatever the settings: watches, the cache of kubelets' responses with what is remembered of
 * nodes, evictions; and the core in force. All else is the core's: new settings make a new one on the same watches and cache.
 */
export class CoreHost implements AsyncDisposable {
  readonly evictions: EvictionTracker;
  readonly watches: CoreWatches;
  readonly #options;
  readonly #api: ApiTransport & Partial<Disposable>;
  readonly #cache: KubeletCache;
  readonly #kubelets: KubeletConnection;
  readonly #memories = new Map<string, NodeMemory>();
  #core: ClusterCore;
  /** Resolves when the background tasks of former cores have ended. */
  #ended: Promise<void> = Promise.resolve();

  /** The first core is in force at once. */
  constructor(
    options: ProcessParts & {
      /** Default: a client of the credentials. Disposed of here. */
      readonly api?: ApiTransport & Partial<Disposable>;
      /** Default: watches of this API. Disposed of here. */
      readonly watches?: CoreWatches;
      readonly evictions: EvictionLog;
      /** Default: the metrics of the process. */
      readonly selfMetrics?: ExpositionOptions['selfMetrics'];
      readonly observer: ExpositionOptions['observer'];
      /** See {@link ClusterWatches}. */
      readonly nodeLocalSpreadMs?: number;
      /** Whether all pods and nodes are shown, as commands do, whatever the settings select. Default: false. */
      readonly showsAll?: boolean;
    },
    config: Config,
    scope: Scope,
  ) {
    const { api = new ApiClient(options), metrics, scheduler, onUnexpectedEnd } = options;
    this.#options = options;
    this.#api = api;
    this.watches = options.watches ?? new ClusterWatches({ ...options, api, observer: metrics.watches });
    this.#cache = new KubeletCache({ ...options, requests: scheduler.requests, observer: metrics });
    this.#kubelets = new KubeletConnection({ ...options, api, cache: this.#cache });
    this.evictions = new EvictionTracker(options.evictions, () => this.#core);
    this.#core = this.#create(config, scope);
    this.#begin(this.#core);
    this.#prepare(this.#core.place.store.lists).catch(onUnexpectedEnd);
  }

  /** The core in force. Who begins with one ends with it. */
  get core(): ClusterCore {
    return this.#core;
  }

  /**
   * Applies new settings, all or none: the former ones serve until nodes and pods are listed for the new ones. Throws UserError when
   * they are not in time, or when there is no node to measure.
   */
  async apply(config: Config, scope: Scope, signal: AbortSignal): Promise<void> {
    await this.evictions.duringReload(async () => {
      this.replace(await this.synced(config, scope, signal));
    });
  }

  /**
   * Resolves with a core that has listed what these settings select; until it is in force, the former one serves. Throws UserError
   * when it does not sync in time, or when there is no node to measure.
   */
  async synced(config: Config, scope: Scope, signal: AbortSignal): Promise<ClusterCore> {
    const { evictions } = this.#options;
    evictions.expect(config.evictions);
    const core = this.#create(config, scope);
    try {
      await core.place.synced({ timeoutMs: syncTimeoutMs }, signal);
      this.#checkNode(core);
      return core;
    } catch (error) {
      evictions.configure(this.#core.config.evictions);
      await core.place[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** The core is in force from now on. Requests that have begun end on the former one. */
  replace(core: ClusterCore): void {
    const former = this.#core.place[Symbol.asyncDispose]();
    this.#ended = Promise.all([this.#ended, former]).then(() => undefined);
    this.#core = core;
    this.#begin(core);
    this.#nodesListed();
    this.#expectScrape();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#cache[Symbol.dispose](); // background tasks wait for its requests
    await this.#core.place[Symbol.asyncDispose]();
    await this.#ended;
    this.#kubelets[Symbol.dispose]();
    await this.watches[Symbol.asyncDispose]();
    this.#api[Symbol.dispose]?.();
  }

  /** The node measured so far may come back. */
  #checkNode({ scope: { nodeName }, place: { store } }: ClusterCore): void {
    if (nodeName === undefined || store.hasNode(nodeName) || nodeName === this.#core.scope.nodeName) return;
    throw new UserError(noSuchNode(nodeName));
  }

  #create(config: Config, scope: Scope): ClusterCore {
    const options = this.#options;
    const place = new ClusterPlace({
      ...options,
      ...{ config, scope, watches: this.watches, kubelets: this.#cache },
      onEvictedPod: (change) => {
        this.evictions.podChanged(change, core);
      },
      onRefreshed: async (node, signal) => {
        const lookup = signal.aborted ? undefined : this.#cache.peek(node);
        if (lookup === undefined) return;
        await core.collector.arrived(node, lookup, (view, derived) => {
          if (!signal.aborted) core.exposition.prepareNode(view, derived, noFilter);
        });
      },
    });
    const core: ClusterCore = new Core({
      selfMetrics: options.metrics,
      ...options,
      ...{ config, scope, place, memories: this.#memories },
    });
    return core;
  }

  #begin(core: ClusterCore): void {
    const { config, scope, place } = core;
    const { evictions, metrics } = this.#options;
    this.#kubelets.configure(core);
    evictions.configure(config.evictions);
    metrics.show({ source: place, scope });
    place.begin();
  }

  /** While lists are awaited, nothing of the first core is kept if another takes its place. */
  async #prepare(lists: StoreLists): Promise<void> {
    this.evictions.retain(); // what was read from the file may be of other settings
    await lists.listedNodes();
    this.evictions.retain(); // which nodes are selected shows only now
    this.#nodesListed();
    await lists.synced();
    this.#expectScrape();
  }

  #nodesListed(): void {
    const { budget, store } = this.#core.place;
    warnOfOpenFileLimit(budget, [...store.nodes()].length, this.#options);
  }

  /** Summaries are refreshed ahead for the next scrape; not for commands, which ask when they are asked. */
  #expectScrape(): void {
    if (this.#options.showsAll !== true) this.#core.place.scraped();
  }
}
