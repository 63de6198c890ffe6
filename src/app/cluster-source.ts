import { abortable } from '../base/abortable.js';
import { startDeadline } from '../base/clock.js';
import { UserError } from '../base/errors.js';
import { supervise } from '../base/lifetime.js';
import { escapeInvisible } from '../base/text.js';
import { WorkQueue } from '../base/work-queue.js';
import type { Node, Pod } from '../kube/objects.js';
import { type LifecycleEvent, lifecycleEvents, outdatesSummary } from '../kube/pod-lifecycle.js';
import { BackgroundRefresher, refreshesAhead } from '../kubelet/background-refresher.js';
import type { KubeletCache } from '../kubelet/kubelet-cache.js';
import type { NodeSummary } from '../kubelet/summary.js';
import { lacksYoungPod } from '../node/node-comparison.js';
import { podGraceMs } from '../node/node-coverage.js';
import { nodesInScope } from '../scrape/node-policy.js';
import { Reconciler } from '../scrape/reconciler.js';
import type { TimedTask } from '../server/liveness.js';
import type { TaskKind } from '../telemetry/self-family.js';
import { ClusterStore } from '../watch/cluster-store.js';
import type { ClusterWatches } from '../watch/cluster-watches.js';
import type { StoreChange } from '../watch/object-store.js';
import type { Subscriber, Subscription } from '../watch/subscription.js';
import type { ClusterSourceOptions } from './cluster-source-options.js';
import { podScope } from './collection.js';
import { type ConnectionBudget, connectionBudget, warnOfOpenFileLimit } from './connection-budget.js';
import { KubeletConnection } from './kubelet-connection.js';

/** No task takes so long: what it waits for has a time limit of seconds, or that of `kubelet.requestTimeout`. */
const maxTaskMs = 300_000;

interface SyncOptions {
  readonly timeoutMs: number;
  readonly failsFast?: boolean;
  /** Whether some namespaces may be missing after `timeoutMs`. */
  readonly mayBePartial?: boolean;
}

/**
 * The source of all data about a cluster for one set of settings: nodes and pods from shared watches, summaries from
 * kubelets. Runs from construction until disposal.
 */
export class ClusterSource implements AsyncDisposable {
  readonly store: ClusterStore;
  readonly watches: ClusterWatches;
  readonly cache: KubeletCache;
  /** What is done in the background, by kind. */
  readonly queue: WorkQueue<TaskKind>;
  readonly #options: ClusterSourceOptions;
  readonly #budget: ConnectionBudget;
  /** Disposed of in reverse order. */
  readonly #resources: Disposable[] = [];
  readonly #lifetime = new AbortController();
  readonly #kubelets: KubeletConnection;
  readonly #refresher: BackgroundRefresher | undefined;
  readonly #reconciler: Reconciler;
  readonly #running: Promise<void>;
  /** Whether all nodes are refreshed in the background. */
  #refreshesAhead = false;
  /** Undefined when nobody is told of evictions. */
  readonly #evictions: Subscription<Pod> | undefined;

  constructor(options: ClusterSourceOptions) {
    const { config, connection, onPodChange, onUnexpectedEnd } = options;
    this.watches = connection.watches;
    this.cache = connection.kubelets;
    this.#options = options;
    this.#budget = connectionBudget(config.kubelet, options.openFileLimit);
    this.store = this.#own(
      new ClusterStore({
        ...options,
        watches: connection.watches,
        namespaces: config.cluster.namespaces,
        podSelector: config.cluster.podSelector,
        nodeSelector: options.readsAllNodes === true ? [] : config.cluster.nodeSelector,
        rememberDeletedMs: 2 * config.cache.ttlMs + podGraceMs,
      }),
    );
    this.#kubelets = this.#own(
      new KubeletConnection({
        ...options,
        store: this.store,
        budget: this.#budget,
        onNearNode: (nodeName) => this.#refresher?.mayBeDue(nodeName),
        onSummary: this.#onSummary,
      }),
    );
    this.#refresher = this.#createRefresher();
    this.#reconciler = this.#createReconciler();
    this.queue = new WorkQueue<TaskKind>({
      ...options,
      handlers: {
        refresh: (nodeName) => this.#refresher?.refresh(nodeName) ?? Promise.resolve(undefined),
        reconcile: (_name, signal) => this.#reconciler.reconcile(signal),
      },
      observer: options.metrics,
    });
    this.#subscribe({
      name: 'lifecycle',
      onChange: (change) => {
        this.#observe(change);
      },
    });
    this.#evictions =
      onPodChange &&
      this.#subscribe({
        name: 'evictions',
        onChange: (change) => {
          onPodChange(change);
        },
        mustDeliver: ({ eviction }) => eviction !== undefined,
      });
    this.store.lists
      .listedNodes()
      .then(() => {
        warnOfOpenFileLimit({ ...options, budget: this.#budget, nodeCount: [...this.store.nodes()].length });
      })
      .catch(onUnexpectedEnd);
    const { signal } = this.#lifetime;
    this.#running = supervise({ name: 'the work queue', running: this.queue.run(signal), signal, onUnexpectedEnd });
  }

  /** The task that has been in process for the longest time. */
  get oldestTask(): TimedTask | undefined {
    const { oldestRun } = this.queue;
    const maxRunMs = Math.max(maxTaskMs, 2 * this.#options.config.kubelet.requestTimeoutMs);
    return oldestRun && { ...oldestRun, maxRunMs };
  }

  /** To be called at each scrape: summaries are refreshed and compared in the background only while scrapes keep coming. */
  scraped(): void {
    this.expectScrape();
    this.#reconciler.scraped();
  }

  /** Refreshes summaries ahead for the next scrape, as after the last one. */
  expectScrape(): void {
    this.#refreshesAhead = refreshesAhead(this.#targets(this.store.nodes()).length);
    this.#refresher?.expectScrape();
  }

  /** A change of a pod marks the summary of its node, but the one that ends the mark may still lack the pod. */
  readonly #onSummary = (nodeName: string, summary: NodeSummary): void => {
    const podsOnNode = this.store.podsOn(nodeName);
    const { clock } = this.#options;
    const possibleNowMs = [clock.nowMs(), clock.steadyNowMs()];
    if (!lacksYoungPod({ summary, podsOnNode, possibleNowMs, graceMs: podGraceMs })) return;
    this.cache.markOutdated(nodeName);
    this.#refresher?.mayBeDue(nodeName);
  };

  #isActive(): boolean {
    return this.#options.isActive?.() ?? true;
  }

  /** Kubelets are asked by the settings of this source from now on. */
  activate(): void {
    this.cache.configure(this.#kubelets.policy);
  }

  /** The nodes that may soon evict a pod, from now on; nothing when scrapes read another source by now. */
  setNearNodes(nodeNames: ReadonlySet<string>): void {
    if (this.#isActive()) this.cache.setNearNodes(nodeNames);
  }

  /**
   * Resolves after the first lists, at once where the watches have them already. Throws UserError with a line for each list
   * that is missing after `timeoutMs`; with `failsFast`, as soon as waiting longer would not help.
   */
  async synced(
    { timeoutMs, failsFast = false, mayBePartial = false }: SyncOptions,
    signal: AbortSignal,
  ): Promise<void> {
    const { lists } = this.store;
    const isDone = (): boolean => (mayBePartial ? lists.hasSynced : lists.isComplete);
    if (!isDone()) {
      await this.#listed(failsFast ? lists.settled() : lists.synced(), timeoutMs, signal).catch((error: unknown) => {
        if (signal.aborted || !isDone()) throw error;
      });
    }
    if (!isDone()) throw this.#missingLists('');
    if (lists.isComplete) await this.#evictions?.synced;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#lifetime.abort(new Error('stopped'));
    for (const resource of this.#resources.reverse()) resource[Symbol.dispose]();
    await this.#running;
  }

  async #listed(lists: Promise<void>, timeoutMs: number, signal: AbortSignal): Promise<void> {
    using deadline = startDeadline({
      clock: this.#options.clock,
      durationMs: timeoutMs,
      error: () => this.#missingLists(` within ${timeoutMs / 1000} s`),
      parent: signal,
    });
    await abortable(lists, deadline.signal);
  }

  #subscribe(subscriber: Subscriber<Pod>): Subscription<Pod> {
    return this.#own(this.store.subscribeToPods(subscriber));
  }

  /** What a subscription begins with happened before. */
  #observe(change: StoreChange<Pod>): void {
    if (change.isInitial) return;
    const events = lifecycleEvents(change);
    this.#count(events);
    const { nodeName } = change.object;
    if (nodeName === undefined) return;
    if (this.#isActive() && outdatesSummary(change.object, events)) this.cache.markOutdated(nodeName);
    this.#refresher?.mayBeDue(nodeName); // also a node that has just appeared: its first pod
  }

  /** While a reload waits for its first lists, two sources see the same pods. */
  #count(events: readonly LifecycleEvent[]): void {
    const { clock, metrics } = this.#options;
    if (!this.#isActive()) return;
    for (const { type, atMs } of events) {
      metrics.lifecycleEvent(type, atMs === undefined ? undefined : clock.steadyNowMs() - atMs);
    }
  }

  /** Those of the nodes that are scraped. */
  #targets(nodes: Iterable<Node>): readonly Node[] {
    const { nodeSelector, skipNodes: skipSelectors } = this.#options.config.cluster;
    return nodesInScope(nodes, { nodeSelector, skipSelectors }).targets;
  }

  #missingLists(within: string): UserError {
    const lines = this.store.lists
      .unsynced()
      .map(({ name, message }) => `${name} could not be listed${within}: ${escapeInvisible(message)}`);
    return new UserError(lines.join('\n'), { isTemporary: true });
  }

  #own<T extends Disposable>(resource: T): T {
    this.#resources.push(resource);
    return resource;
  }

  /** Of all nodes, or of those alone that scrapes do not refresh often enough; undefined without a cache. */
  #createRefresher(): BackgroundRefresher | undefined {
    const { config, clock } = this.#options;
    const { ttlMs, nearTtlMs } = config.cache;
    if (ttlMs === 0) return undefined;
    const isRefreshed = (node: Node): boolean =>
      this.#refreshesAhead || (nearTtlMs > 0 && this.cache.nearNodeNames.has(node.name));
    const select = (nodes: Iterable<Node>) => this.#targets([...nodes].filter(isRefreshed));
    return new BackgroundRefresher({
      ...config.cache,
      background: this.#options.scheduler.background,
      maxConcurrentRefreshes: this.#budget.maxConcurrentRequests,
      cache: this.cache,
      nodes: () => select(this.store.nodes()),
      findNode: (name) => {
        const node = this.store.findNode(name);
        return node && select([node])[0];
      },
      schedule: (nodeName, delayMs) => {
        this.queue.add('refresh', nodeName, delayMs);
      },
      onRefreshed: async (node) =>
        this.#refreshesAhead ? this.#options.onRefreshed?.(node, this.#lifetime.signal) : undefined,
      clock,
    });
  }

  #createReconciler(): Reconciler {
    const { config, clock } = this.#options;
    return new Reconciler({
      store: this.store,
      cache: this.cache,
      scope: podScope(config),
      ttlMs: config.cache.ttlMs,
      onCounts: (counts) => {
        this.store.compare(counts);
      },
      schedule: (delayMs) => {
        this.queue.add('reconcile', 'pods', delayMs);
      },
      lane: this.#options.scheduler.newLane(),
      clock,
    });
  }
}
