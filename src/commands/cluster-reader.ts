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
import type { Scope } from '../kube/scope.js';
import { type ClusterReading, noHistory } from '../query/cluster-reading.js';
import { type NodeFailure, nodeFailure } from '../report/node-report.js';
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

/** Reads a cluster as the exporter does, without listening anywhere. All pods are shown, whether or not they belong to a workload. */
export class ClusterReader implements Reader, AsyncDisposable {
  readonly #options;
  readonly #connection: ClusterConnection;
  readonly #source: ClusterSource;
  readonly #collection: Collection;
  readonly #lifetime = new Lifetime();

  constructor(options: {
    readonly config: Config;
    readonly scope: Scope;
    readonly credentials: Credentials;
    readonly requests: CommandRequests;
    readonly context: Pick<CommandContext, 'clock' | 'random' | 'version' | 'openFileLimit'>;
    /** The node that is shown in detail: readings wait for the configuration of its kubelet, where the settings have it read. */
    readonly detailsOf?: string | undefined;
    /** Readings wait for the configurations of the kubelets that have a pod of this name. */
    readonly podName?: string | undefined;
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
    const notes = await this.#readConfigurations(deadline.signal);
    const snapshot = await this.#collection.collector.collect(deadline.signal, { waitsForAll: true });
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

  /** Resolves with the reasons of those that fail. */
  async #readConfigurations(signal: AbortSignal): Promise<readonly string[]> {
    const { store, cache } = this.#source;
    const { detailsOf, podName } = this.#options;
    const pods = podName === undefined ? [] : [...store.pods()].filter(({ name }) => name === podName);
    const names = new Set([detailsOf, ...pods.map(({ nodeName }) => nodeName)]);
    const failures = await Promise.all(
      [...names].map(async (name) => {
        const node = name === undefined ? undefined : store.findNode(name);
        return node && (await cache.readConfiguration(node, signal));
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
