import { ClusterConnection } from '../app/cluster-connection.js';
import { ClusterSource } from '../app/cluster-source.js';
import { type Collection, createCollection } from '../app/collection.js';
import { recordPodChange } from '../app/eviction-tracker.js';
import { startDeadline } from '../base/clock.js';
import { Lifetime } from '../base/lifetime.js';
import { silentLogger } from '../base/logger.js';
import { Scheduler } from '../base/scheduler.js';
import type { Config } from '../config/schema.js';
import type { Credentials } from '../credentials/credentials.js';
import { EvictionLog } from '../history/eviction-log.js';
import type { Node, Pod } from '../kube/objects.js';
import type { Scope } from '../kube/scope.js';
import { type ClusterReading, noHistory } from '../query/cluster-reading.js';
import { type NodeFailure, nodeFailure } from '../report/node-report.js';
import { nodesInScope } from '../scrape/node-policy.js';
import type { ClusterSnapshot } from '../scrape/snapshot.js';
import { SelfMetrics } from '../telemetry/self-metrics.js';
import type { CommandRequests } from './command-requests.js';
import type { CommandContext } from './context.js';

export interface Reader {
  /**
   * Scrapes the kubelets that are due, for at most `durationMs`. Those that have not answered by then are served from the
   * cache.
   */
  read(durationMs: number, signal: AbortSignal): Promise<ClusterReading>;
}

/**
 * What a question is about. Readings are then of its nodes alone, unless there are none, and wait for the configurations of their
 * kubelets, where the settings have them read.
 */
export interface ReadingSubject {
  /** The only node. */
  readonly node?: string | undefined;
  /** The nodes that have a pod of this name. Without a namespace: in any. */
  readonly pod?: { readonly name: string; readonly namespace?: string | undefined } | undefined;
}

/** Reads a cluster as the exporter does, without listening anywhere. All pods are shown, whether or not they belong to a workload. */
export class ClusterReader implements Reader, AsyncDisposable {
  readonly #options;
  readonly #connection: ClusterConnection;
  readonly #source: ClusterSource;
  readonly #collection: Collection;
  readonly #lifetime = new Lifetime();
  #hasRead = false;

  constructor(options: {
    readonly config: Config;
    readonly scope: Scope;
    readonly credentials: Credentials;
    readonly requests: CommandRequests;
    readonly context: Pick<CommandContext, 'clock' | 'random' | 'version' | 'openFileLimit'>;
    readonly subject?: ReadingSubject | undefined;
  }) {
    const { config, scope, credentials, requests, context } = options;
    this.#options = options;
    const log = new EvictionLog(config.evictions, context.clock);
    const { clock, random, version, openFileLimit } = context;
    const onUnexpectedEnd = (error: Error): void => {
      this.#lifetime.failed(error);
    };
    const scheduler = new Scheduler(clock);
    const common = { clock, scheduler, random, version, logger: silentLogger, onUnexpectedEnd };
    const metrics = new SelfMetrics({ version, nodeVersion: process.version });
    this.#connection = new ClusterConnection({ ...common, credentials, metrics, api: requests.client(credentials) });
    this.#source = new ClusterSource({
      ...common,
      config,
      scope,
      credentials,
      connection: this.#connection,
      readsAllNodes: true,
      openFileLimit,
      metrics,
      onPodChange: (change) => {
        const { store, cache } = this.#source;
        recordPodChange(change, { log, config, collection: this.#collection, nodes: store, cache });
      },
    });
    this.#source.activate();
    const { store, cache } = this.#source;
    this.#collection = createCollection({
      config,
      onlyNode: scope.nodeName,
      store,
      cache,
      evictions: log,
      scheduler,
      clock: context.clock,
      showsAllPods: true,
    });
  }

  get hasSynced(): boolean {
    return this.#source.store.hasSynced;
  }

  /** Resolves after the first lists. Throws UserError with a line for each list that is missing, or for the first that exceeds its limit. */
  async synced(signal: AbortSignal): Promise<void> {
    const { timedOut, syncTimeoutMs: timeoutMs } = this.#options.requests;
    const listed = this.#source.synced({ timeoutMs, failsFast: true }, AbortSignal.any([signal, timedOut]));
    await this.#lifetime.during(listed);
  }

  read(durationMs: number, signal: AbortSignal): Promise<ClusterReading> {
    return this.#lifetime.during(this.#read(durationMs, signal));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#connection.kubelets[Symbol.dispose]();
    await this.#source[Symbol.asyncDispose]();
    await this.#connection[Symbol.asyncDispose]();
    this.#lifetime.stopped();
  }

  async #read(durationMs: number, signal: AbortSignal): Promise<ClusterReading> {
    const { clock } = this.#options.context;
    using deadline = startDeadline({
      clock,
      durationMs,
      error: () => new Error('the kubelets took too long'),
      parent: signal,
    });
    const { notes, snapshot } = await this.#ask(deadline.signal);
    if (snapshot === undefined) throw new Error('read before the first lists');
    const knownPods = Array.from(this.#source.store.pods(), (pod) => ({
      pod,
      workloads: this.#collection.resolver.workloadsOf(pod),
    }));
    return {
      scope: this.#options.scope,
      ttlMs: this.#options.config.cache.ttlMs,
      snapshot,
      knownPods,
      knownNodes: [...this.#source.store.nodes()],
      readAtMs: clock.nowMs(),
      failures: this.#failuresOf(snapshot),
      ...noHistory,
      evictions: [],
      notes,
    };
  }

  /** Says which kubelets are waited for, in the first reading: what is shown again and again must not be broken by a line. */
  async #ask(signal: AbortSignal): Promise<Pick<ClusterReading, 'notes'> & { snapshot: ClusterSnapshot | undefined }> {
    const { requests } = this.#options;
    const nodes = this.#nodesOfSubject();
    const waiting = this.#hasRead ? undefined : requests.waitForKubelets(() => this.#namesWithoutResponse(nodes));
    try {
      const notes = await this.#readConfigurations(nodes ?? [], signal);
      return { notes, snapshot: await this.#collect(nodes, signal) };
    } finally {
      this.#hasRead = true;
      waiting?.[Symbol.dispose]();
    }
  }

  /** `asked`: the only nodes that are asked and shown; undefined: all. */
  async #collect(asked: readonly Node[] | undefined, signal: AbortSignal): Promise<ClusterSnapshot | undefined> {
    const { collector } = this.#collection;
    if (asked === undefined) return collector.collect(signal, { waitsForAll: true });
    const only = new Set(asked.map(({ name }) => name));
    const snapshot = await collector.collect(signal, { waitsForAll: true, only, recordsFailures: false });
    return snapshot && { ...snapshot, nodes: snapshot.nodes.filter(({ nodeName }) => only.has(nodeName)) };
  }

  /** Undefined: all. */
  #nodesOfSubject(): readonly Node[] | undefined {
    const { node, pod } = this.#options.subject ?? {};
    const isMeant = ({ name, namespace }: Pod): boolean =>
      name === pod?.name && (pod.namespace === undefined || pod.namespace === namespace);
    const pods = node === undefined && pod !== undefined ? [...this.#source.store.pods()].filter(isMeant) : [];
    const names = new Set([node, ...pods.map(({ nodeName }) => nodeName)]);
    const nodes = this.#targets().filter(({ name }) => names.has(name));
    return nodes.length === 0 ? undefined : nodes;
  }

  /** Nodes that are scraped. */
  #targets(): readonly Node[] {
    const { nodeSelector, skipNodes: skipSelectors } = this.#options.config.cluster;
    return nodesInScope(this.#source.store.nodes(), { nodeSelector, skipSelectors }).targets;
  }

  #namesWithoutResponse(asked: readonly Node[] = this.#targets()): readonly string[] {
    const { cache } = this.#source;
    const isAwaited = (node: Node): boolean =>
      cache.lastSummary(node) === undefined && cache.lastFailure(node.name) === undefined;
    return asked.filter(isAwaited).map(({ name }) => name);
  }

  /** Resolves with the reasons of those that fail. Their summaries are requested at the same time. */
  async #readConfigurations(nodes: readonly Node[], signal: AbortSignal): Promise<readonly string[]> {
    const { cache } = this.#source;
    const failures = await Promise.all(
      nodes.map((node) => {
        void cache.refresh(node);
        return cache.readConfiguration(node, signal);
      }),
    );
    return failures.flatMap((failure) => (failure === undefined ? [] : [failure.message]));
  }

  #failuresOf({ nodes }: ClusterSnapshot): ReadonlyMap<string, NodeFailure> {
    const nowMs = this.#options.context.clock.monotonicMs();
    return new Map(
      nodes.flatMap(({ nodeName }): [string, NodeFailure][] => {
        const failure = this.#source.cache.lastFailure(nodeName);
        return failure === undefined ? [] : [[nodeName, nodeFailure(failure, nowMs)]];
      }),
    );
  }
}
