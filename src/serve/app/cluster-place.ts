import type { Credentials } from '../../cluster/credentials/credentials.js';
import type { Node, Pod } from '../../cluster/kube/objects.js';
import { lifecycleEvents, outdatesSummary } from '../../cluster/kube/pod-lifecycle.js';
import type { Scope } from '../../cluster/kube/scope.js';
import { matchesSelector } from '../../cluster/kube/selector.js';
import { BackgroundRefresher, refreshesAhead } from '../../cluster/kubelet/background-refresher.js';
import type { KubeletCache } from '../../cluster/kubelet/kubelet-cache.js';
import { servedMs } from '../../cluster/kubelet/lookup.js';
import type { NodeSummary } from '../../cluster/kubelet/summary.js';
import { ClusterStore } from '../../cluster/watch/cluster-store.js';
import type { ClusterWatches } from '../../cluster/watch/cluster-watches.js';
import type { StoreChange } from '../../cluster/watch/object-store.js';
import type { Subscription } from '../../cluster/watch/subscription.js';
import type { Config } from '../../config/schema.js';
import { lacksYoungPod, podGraceMs } from '../../facts/node/young-pods.js';
import { nodesInScope } from '../../facts/scrape/node-policy.js';
import { abortable, startDeadline } from '../../lib/base/abortable.js';
import type { Clock } from '../../lib/base/clock.js';
import { messageOf, UserError } from '../../lib/base/errors.js';
import { supervise } from '../../lib/base/lifetime.js';
import type { Logger } from '../../lib/base/logger.js';
import type { Scheduler } from '../../lib/base/scheduler.js';
import { escapeInvisible } from '../../lib/base/text.js';
import { WorkQueue } from '../../lib/base/work-queue.js';
import type { SelfMetrics } from '../../metrics/telemetry/self-metrics.js';
import type { TimedTask } from '../server/liveness.js';
import { type ConnectionBudget, connectionBudget } from './connection-budget.js';
import type { CorePlace } from './core.js';

/** No task takes so long: what it waits for has a time limit of seconds, or that of `kubelet.requestTimeout`. */
const maxTaskMs = 300_000;

/** Evicted pods that wait; kube-controller-manager keeps 12,500 ended ones by default (`--terminated-pod-gc-threshold`). */
const maxWaitingCount = 20_000;

export type CoreWatches = Pick<ClusterWatches, keyof ClusterWatches>;

/** What all parts of a process share. */
export interface ProcessParts {
  readonly credentials: Credentials;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  /** From 0 to 1, 1 excluded. */
  readonly random: () => number;
  readonly logger: Logger;
  readonly metrics: SelfMetrics;
  readonly version: string;
  /** Files and connections that the process may have open; undefined: not known. */
  readonly openFileLimit?: number | undefined;
  /** Told when a watch, or the background tasks of a core, have ended although nothing stopped them. */
  readonly onUnexpectedEnd: (error: Error) => void;
}

/**
 * A cluster as one set of settings reads it: nodes and pods from shared watches, summaries from the cache of kubelets' responses.
 * Lists are followed and evictions told from construction on; the rest begins with `begin`.
 */
export class ClusterPlace implements CorePlace, AsyncDisposable {
  readonly store: ClusterStore;
  readonly watches: CoreWatches;
  readonly cache: KubeletCache;
  /** The refreshes in the background, by node. */
  readonly queue: WorkQueue;
  readonly budget: ConnectionBudget;
  readonly #options;
  readonly #lifetime = new AbortController();
  readonly #refresher: BackgroundRefresher | undefined;
  readonly #running: Promise<void>;
  readonly #evictions: readonly (Subscription<Pod> | Subscription<Node>)[];
  /** By UID, what has yet to be told: where nodes are selected, it waits until those are listed, as one change of each pod. */
  readonly #evicted = new Map<string, StoreChange<Pod>>();
  #lifecycle: Disposable | undefined;
  /** Whether all nodes are refreshed in the background. */
  #refreshesAhead = false;

  constructor(
    options: ProcessParts & {
      readonly config: Config;
      readonly scope: Scope;
      /** Both live longer. */
      readonly watches: CoreWatches;
      readonly kubelets: KubeletCache;
      /** Whether nodes that `cluster.nodeSelector` excludes are read too; only commands show them. Default: false. */
      readonly showsAll?: boolean;
      /** Told of each change of an evicted pod, once it is known which nodes are selected; the store already has its result. */
      readonly onEvictedPod: (change: StoreChange<Pod>) => void;
      /** Called with each node that was refreshed in the background, as all nodes are. */
      readonly onRefreshed: (node: Node, signal: AbortSignal) => Promise<void>;
    },
  ) {
    const { config, watches, kubelets, onUnexpectedEnd } = options;
    this.watches = watches;
    this.cache = kubelets;
    this.#options = options;
    this.budget = connectionBudget(config.kubelet, options.openFileLimit);
    this.store = new ClusterStore({
      ...options,
      namespaces: config.cluster.namespaces,
      podSelector: config.cluster.podSelector,
      nodeSelector: options.showsAll === true ? [] : config.cluster.nodeSelector,
      rememberDeletedMs: servedMs(config.cache.ttlMs) + podGraceMs,
    });
    this.#refresher = this.#createRefresher();
    this.queue = new WorkQueue({
      ...options,
      kind: 'refresh',
      handle: (nodeName) => this.#refresher?.refresh(nodeName) ?? Promise.resolve(undefined),
      onRetry: () => {
        options.metrics.taskRetried('refresh');
      },
    });
    this.#evictions = this.#subscribeToEvictions();
    const { signal } = this.#lifetime;
    this.#running = supervise({ name: 'the work queue', running: this.queue.run(signal), signal, onUnexpectedEnd });
  }

  /** The task that has been in process for the longest time. */
  get oldestTask(): TimedTask | undefined {
    const { oldestRun } = this.queue;
    const maxRunMs = Math.max(maxTaskMs, 2 * this.#options.config.kubelet.requestTimeoutMs);
    return oldestRun && { ...oldestRun, maxRunMs };
  }

  /** Scrapes read it from now on: what happens to pods is counted, and marks summaries as out of date. */
  begin(): void {
    const onChange = (change: StoreChange<Pod>): void => {
      this.#observe(change);
    };
    this.#lifecycle = this.store.subscribeToPods({ name: 'lifecycle', onChange });
  }

  /** To be called at each scrape: summaries are refreshed ahead only while scrapes keep coming. */
  scraped(): void {
    this.#refreshesAhead = refreshesAhead(this.targets().length);
    this.#refresher?.expectScrape();
  }

  /** To be called with each summary. A change of a pod marks that of its node, but the one that ends the mark may still lack the pod. */
  summaryArrived(nodeName: string, summary: NodeSummary): void {
    const podsOnNode = this.store.podsOn(nodeName);
    const { clock } = this.#options;
    const possibleNowMs = [clock.nowMs(), clock.steadyNowMs()];
    if (!lacksYoungPod({ summary, podsOnNode, possibleNowMs })) return;
    this.cache.markOutdated(nodeName);
    this.mayBeDue(nodeName);
  }

  /** To be called when the summary of the node may be due earlier than before. */
  mayBeDue(nodeName: string): void {
    this.#refresher?.mayBeDue(nodeName);
  }

  /** The nodes that may soon evict a pod, from now on; nothing when scrapes read another place by now. */
  setNearNodes(nodeNames: ReadonlySet<string>): void {
    if (!this.#lifetime.signal.aborted) this.cache.setNearNodes(nodeNames);
  }

  /** Returns those of the nodes that are scraped. */
  targets(nodes: Iterable<Node> = this.store.nodes()): readonly Node[] {
    const { nodeSelector, skipNodes: skipSelectors } = this.#options.config.cluster;
    return nodesInScope(nodes, { nodeSelector, skipSelectors }).targets;
  }

  /**
   * Resolves after the first lists, at once where the watches have them already. Throws UserError with a line for each list
   * that is missing after `timeoutMs`, when there is nothing to serve; with `failsFast`, when one is missing, as soon as waiting
   * longer would not help.
   */
  async synced(
    { timeoutMs, failsFast = false }: { readonly timeoutMs: number; readonly failsFast?: boolean },
    signal: AbortSignal,
  ): Promise<void> {
    const { lists } = this.store;
    const isDone = (): boolean => (failsFast ? lists.isComplete : lists.hasSynced);
    if (!isDone()) {
      using deadline = startDeadline({
        clock: this.#options.clock,
        durationMs: timeoutMs,
        error: () => this.#missingLists(` within ${timeoutMs / 1000} s`),
        parent: signal,
      });
      const listed = failsFast ? lists.settled() : lists.synced();
      await abortable(listed, deadline.signal).catch((error: unknown) => {
        if (signal.aborted || !isDone()) throw error;
      });
    }
    if (!isDone()) throw this.#missingLists('');
    if (lists.isComplete) await Promise.all(this.#evictions.map(({ synced }) => synced));
  }

  /** Nothing is counted or marked from now on. The store can still be read: by a collection that has begun, for example. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#lifetime.abort(new Error('stopped'));
    this.#evicted.clear();
    for (const part of [this.#lifecycle, ...this.#evictions, this.store]) part?.[Symbol.dispose]();
    await this.#running;
  }

  /** Those on a node that is selected later are told then. */
  #subscribeToEvictions(): readonly (Subscription<Pod> | Subscription<Node>)[] {
    const { store } = this;
    const { nodeSelector } = this.#options.config.cluster;
    const name = 'evictions';
    const isEvicted = ({ eviction }: Pod): boolean => eviction !== undefined;
    const onNodeChange = ({ object: node, previous, isInitial }: StoreChange<Node>): void => {
      const isSelected = ({ labels }: Node): boolean => matchesSelector(nodeSelector, labels);
      if (isInitial || !isSelected(node) || (previous !== undefined && isSelected(previous))) return;
      const added = { type: 'added', previous: undefined, isInitial } as const;
      this.#tellEvicted(
        store
          .podsOn(node.name)
          .filter(isEvicted)
          .map((object) => ({ ...added, object })),
      );
    };
    const onChange = (change: StoreChange<Pod>): void => {
      if (isEvicted(change.object)) this.#tellEvicted([change]);
    };
    const ofPods = store.subscribeToPods({ name, onChange });
    if (nodeSelector.length === 0) return [ofPods];
    const ofNodes = store.subscribeToNodes({ name, onChange: onNodeChange });
    ofNodes.synced
      .then(() => {
        this.#tellEvicted([]);
      })
      .catch((error: unknown) => {
        this.#options.logger.error('an eviction could not be processed', { error: messageOf(error) });
      });
    return [ofPods, ofNodes];
  }

  #tellEvicted(changes: readonly StoreChange<Pod>[]): void {
    for (const change of changes) {
      const { uid } = change.object;
      const first = this.#evicted.get(uid);
      if (first === undefined && this.#evicted.size >= maxWaitingCount) continue;
      this.#evicted.set(uid, { ...change, ...first, object: change.object });
    }
    if (this.#options.config.cluster.nodeSelector.length > 0 && !this.store.lists.haveNodes) return;
    for (const [uid, change] of this.#evicted) {
      this.#evicted.delete(uid);
      this.#options.onEvictedPod(change);
    }
  }

  /** What a subscription begins with happened before. */
  #observe(change: StoreChange<Pod>): void {
    if (change.isInitial) return;
    const { clock, metrics } = this.#options;
    const events = lifecycleEvents(change);
    for (const { type, atMs } of events) {
      metrics.lifecycleEvent(type, atMs === undefined ? undefined : clock.steadyNowMs() - atMs);
    }
    const { nodeName } = change.object;
    if (nodeName === undefined) return;
    if (outdatesSummary(change.object, events)) this.cache.markOutdated(nodeName);
    this.mayBeDue(nodeName); // also a node that has just appeared: its first pod
  }

  #missingLists(within: string): UserError {
    const lines = this.store.lists
      .unsynced()
      .map(({ name, message }) => `${name} could not be listed${within}: ${escapeInvisible(message)}`);
    return new UserError(lines.join('\n'), { isTemporary: true });
  }

  /** Of all nodes, or of those alone that scrapes do not refresh often enough; undefined without a cache. */
  #createRefresher(): BackgroundRefresher | undefined {
    const { config, clock } = this.#options;
    const { ttlMs, nearTtlMs } = config.cache;
    if (ttlMs === 0) return undefined;
    const isRefreshed = (node: Node): boolean =>
      this.#refreshesAhead || (nearTtlMs > 0 && this.cache.nearNodeNames.has(node.name));
    const select = (nodes: Iterable<Node>) => this.targets([...nodes].filter(isRefreshed));
    return new BackgroundRefresher({
      ...config.cache,
      background: this.#options.scheduler.background,
      maxConcurrentRefreshes: this.budget.maxConcurrentRequests,
      cache: this.cache,
      nodes: () => select(this.store.nodes()),
      findNode: (name) => {
        const node = this.store.findNode(name);
        return node && select([node])[0];
      },
      schedule: (nodeName, delayMs) => {
        this.queue.add(nodeName, delayMs);
      },
      onRefreshed: async (node) =>
        this.#refreshesAhead ? this.#options.onRefreshed(node, this.#lifetime.signal) : undefined,
      clock,
    });
  }
}
