import { type Clock, startDeadline } from './base/clock.js';
import { UserError } from './base/errors.js';
import type { Logger } from './base/logger.js';
import { escapeInvisible } from './base/text.js';
import { TimeSlicer } from './base/time-slicer.js';
import { podGraceMs } from './collection.js';
import type { Config } from './config/schema.js';
import { type ConnectionBudget, connectionBudget } from './connection-budget.js';
import type { Credentials } from './credentials/credentials.js';
import { KubeletCredentials } from './credentials/kubelet-credentials.js';
import { ApiClient } from './http/api-client.js';
import type { Pod } from './kube/objects.js';
import { lifecycleEvents, outdatesSummary } from './kube/pod-lifecycle.js';
import type { Scope } from './kube/scope.js';
import { BackgroundRefresher } from './kubelet/background-refresher.js';
import { KubeletClient } from './kubelet/client.js';
import { DirectTransport } from './kubelet/direct-transport.js';
import { KubeletCache } from './kubelet/kubelet-cache.js';
import { ProxyTransport } from './kubelet/proxy-transport.js';
import type { KubeletTransport } from './kubelet/transport.js';
import { nodesInScope } from './scrape/node-policy.js';
import type { SelfMetrics } from './telemetry/self-metrics.js';
import type { StoreMetrics } from './telemetry/store-metrics.js';
import { ClusterStore } from './watch/cluster-store.js';
import type { StoreChange } from './watch/object-store.js';
import { isExpected } from './workload/coverage.js';

interface SyncOptions {
  readonly timeoutMs: number;
  readonly failsFast?: boolean;
  /** Whether some namespaces may be missing after `timeoutMs`. */
  readonly mayBePartial?: boolean;
}

export interface ClusterSourceOptions {
  readonly config: Config;
  readonly scope: Scope;
  readonly credentials: Credentials;
  readonly clock: Clock;
  readonly random: () => number;
  readonly logger: Logger;
  readonly metrics: SelfMetrics;
  readonly version: string;
  /** Files and connections that the process may have open; undefined: not known. */
  readonly openFileLimit?: number | undefined;
  /** Whether nodes have the list of their images; only commands show it. Default: false. */
  readonly keepsImages?: boolean;
  /** Whether nodes that `cluster.nodeSelector` excludes are read too; only commands show them. Default: false. */
  readonly readsAllNodes?: boolean;
  /** Called after each change of a pod; the source already has its result. */
  readonly onPodChange?: (change: StoreChange<Pod>, source: ClusterSource) => void;
}

/** The source of all data about a cluster: nodes and pods by list and watch, summaries from kubelets. Runs from construction until disposal. */
export class ClusterSource implements AsyncDisposable {
  readonly store: ClusterStore;
  readonly storeMetrics: StoreMetrics;
  readonly cache: KubeletCache;
  readonly #options: ClusterSourceOptions;
  readonly #budget: ConnectionBudget;
  /** Disposed of in reverse order. */
  readonly #resources: Disposable[] = [];
  readonly #lifetime = new AbortController();
  readonly #refresher: BackgroundRefresher | undefined;
  readonly #running: readonly Promise<void>[];

  constructor(options: ClusterSourceOptions) {
    const { config, credentials, clock, version, metrics } = options;
    this.#options = options;
    this.#budget = connectionBudget(config.kubelet.maxConcurrentRequests, options.openFileLimit);
    const api = this.#own(new ApiClient({ credentials, clock, version }));
    this.storeMetrics = metrics.createStoreMetrics();
    this.store = new ClusterStore({
      ...options,
      observer: this.storeMetrics,
      api,
      namespaces: config.cluster.namespaces,
      podSelector: config.cluster.podSelector,
      nodeSelector: options.readsAllNodes === true ? [] : config.cluster.nodeSelector,
      rememberDeletedMs: 2 * config.cache.ttlMs + podGraceMs,
      onPodChange: (change) => {
        this.#observe(change);
        options.onPodChange?.(change, this);
      },
    });
    const transport = config.kubelet.access === 'proxy' ? new ProxyTransport({ api }) : this.#createDirectTransport();
    this.cache = this.#own(this.#createCache(transport));
    this.#refresher = this.#createRefresher();
    void this.store.lists.listedNodes().then(() => {
      this.#warnOfOpenFileLimit();
    });
    const { signal } = this.#lifetime;
    this.#running = [this.store.run(signal), this.#refresher?.run(signal) ?? Promise.resolve()];
  }

  /** To be called at each scrape: summaries are refreshed in the background only while scrapes keep coming. */
  scraped(): void {
    this.#refresher?.scraped();
  }

  /** Takes over the cached data of the source that this one replaces, and which of its pods were deleted recently. */
  inherit(former: ClusterSource): void {
    this.store.inherit(former.store);
    this.cache.inherit(former.cache);
  }

  /**
   * Resolves after the first lists. Throws UserError with a line for each list that is missing after `timeoutMs`; with
   * `failsFast`, as soon as waiting longer would not help.
   */
  async synced(
    { timeoutMs, failsFast = false, mayBePartial = false }: SyncOptions,
    signal: AbortSignal,
  ): Promise<void> {
    const within = ` within ${timeoutMs / 1000} s`;
    const { lists } = this.store;
    const isDone = (): boolean => (mayBePartial ? lists.hasSynced : lists.isComplete);
    using deadline = startDeadline({
      clock: this.#options.clock,
      durationMs: timeoutMs,
      error: () => this.#missingLists(within),
      parent: signal,
    });
    try {
      await Promise.race([failsFast ? lists.settled() : lists.synced(), rejection(deadline.signal)]);
    } catch (error) {
      if (signal.aborted || !isDone()) throw error;
    }
    if (!isDone()) throw this.#missingLists('');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#lifetime.abort(new Error('stopped'));
    for (const resource of this.#resources.reverse()) resource[Symbol.dispose]();
    await Promise.all(this.#running);
  }

  /** What the first list shows happened before. */
  #observe(change: StoreChange<Pod>): void {
    if (change.isFirstList) return;
    const { clock, metrics } = this.#options;
    const events = lifecycleEvents(change);
    for (const { type, atMs } of events) {
      metrics.lifecycleEvent(type, atMs === undefined ? undefined : clock.steadyNowMs() - atMs);
    }
    const { nodeName } = change.object;
    if (nodeName !== undefined && outdatesSummary(change.object, events)) this.cache.markOutdated(nodeName);
  }

  #warnOfOpenFileLimit(): void {
    const { openFileLimit, logger } = this.#options;
    const nodeCount = [...this.store.nodes()].length;
    const needed = this.#budget.neededOpenFiles(nodeCount);
    if (openFileLimit === undefined || openFileLimit >= needed) return;
    const { maxReaderConnections, maxConcurrentRequests, maxKeptConnections } = this.#budget;
    const parts = { maxReaderConnections, maxConcurrentRequests, maxKeptConnections };
    const fields = { openFileLimit, needed, nodeCount, ...parts };
    const hint = 'raise it with ulimit -n, or LimitNOFILE of systemd or containerd';
    logger.warn(`the limit of open files is too low to keep connections to all kubelets: ${hint}`, fields);
  }

  #missingLists(within: string): UserError {
    const lines = this.store.lists
      .unsynced()
      .map(({ name, message }) => `${name} could not be listed${within}: ${escapeInvisible(message)}`);
    return new UserError(lines.join('\n'));
  }

  #own<T extends Disposable>(resource: T): T {
    this.#resources.push(resource);
    return resource;
  }

  #createCache(transport: KubeletTransport): KubeletCache {
    const { config, clock, metrics, logger } = this.#options;
    const { requestTimeoutMs, maxBodyBytes, readConfig } = config.kubelet;
    const { maxConcurrentRequests } = this.#budget;
    const limits = { transport, requestTimeoutMs, maxBodyBytes, clock, slicer: new TimeSlicer(clock) };
    const summaries = new KubeletClient({ ...limits, observer: metrics });
    const configurations = new KubeletClient({
      ...limits,
      observer: {
        requestFinished: (result) => {
          metrics.configRequestFinished(result);
        },
      },
    });
    return new KubeletCache({
      ttlMs: config.cache.ttlMs,
      nearTtlMs: config.cache.nearTtlMs,
      maxConcurrentRequests,
      fetchSummary: (node, signal) => summaries.fetchSummary(node, signal),
      fetchConfiguration: readConfig ? (node, signal) => configurations.fetchConfiguration(node, signal) : undefined,
      expectsPods: (nodeName) => {
        const nowMs = clock.steadyNowMs();
        return this.store.podsOn(nodeName).some((pod) => isExpected({ pod, nowMs, graceMs: podGraceMs }));
      },
      clock,
      observer: metrics,
      logger,
    });
  }

  #createDirectTransport(): DirectTransport {
    const { config, credentials, clock, version } = this.#options;
    const { addressTypes, port, bearerTokenFile, tls } = config.kubelet;
    const kubeletCredentials = new KubeletCredentials({ api: credentials, bearerTokenFile, tls, clock });
    return this.#own(
      new DirectTransport({
        addressTypes,
        port,
        credentials: kubeletCredentials,
        clock,
        version,
        maxKeptConnections: this.#budget.maxKeptConnections,
        isApiServerAway: () => this.store.lists.isServerAway,
      }),
    );
  }

  /** Of all nodes, or of those alone that scrapes do not refresh often enough; undefined when there are none. */
  #createRefresher(): BackgroundRefresher | undefined {
    const { config, clock } = this.#options;
    const { ttlMs, nearTtlMs, refresh } = config.cache;
    const policy = { nodeSelector: config.cluster.nodeSelector, skipSelectors: config.cluster.skipNodes };
    const nodes = {
      ahead: () => nodesInScope(this.store.nodes(), policy).targets,
      'on-scrape': () => [...this.cache.nearNodeNames].flatMap((name) => this.store.findNode(name) ?? []),
    };
    if (ttlMs === 0 || (refresh === 'on-scrape' && nearTtlMs === 0)) return undefined;
    return new BackgroundRefresher({ ttlMs, nearTtlMs, cache: this.cache, nodes: nodes[refresh], clock });
  }
}

/** Rejects with the signal's reason when it aborts. */
function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const abort = (): void => {
      reject(signal.reason as Error);
    };
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}
