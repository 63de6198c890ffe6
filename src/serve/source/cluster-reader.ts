import type { Credentials } from '../../cluster/credentials/credentials.js';
import type { Node, Pod } from '../../cluster/kube/objects.js';
import type { Scope } from '../../cluster/kube/scope.js';
import type { Config } from '../../config/schema.js';
import { EvictionLog } from '../../facts/history/eviction-log.js';
import type { ClusterSnapshot } from '../../facts/scrape/snapshot.js';
import { startDeadline } from '../../lib/base/abortable.js';
import { Lifetime } from '../../lib/base/lifetime.js';
import { silentLogger } from '../../lib/base/logger.js';
import { Scheduler } from '../../lib/base/scheduler.js';
import { SelfMetrics } from '../../metrics/telemetry/self-metrics.js';
import type { ClusterReading } from '../../people/query/cluster-reading.js';
import type { ClusterPlace } from '../app/cluster-place.js';
import { CoreHost } from '../app/core-host.js';
import { clusterReading } from '../app/core-reading.js';
import { maxScrapeMs } from '../server/scrape-budget.js';
import type { CommandRequests, ReadingProcess } from './command-requests.js';

/** What a question is about. */
export interface AskedPlace {
  /** The only node. */
  readonly node?: string | undefined;
  /** The nodes that have a pod of this name. Without a namespace: in any. */
  readonly pod?: { readonly name: string; readonly namespace?: string | undefined } | undefined;
}

/** Reads a cluster as the exporter does, without listening anywhere. All pods are shown, whether or not they belong to a workload. */
export class ClusterReader implements AsyncDisposable {
  readonly #options;
  readonly #host: CoreHost;
  readonly #lifetime = new Lifetime();

  constructor(options: {
    readonly config: Config;
    readonly scope: Scope;
    readonly credentials: Credentials;
    readonly requests: CommandRequests;
    readonly context: Pick<ReadingProcess, 'clock' | 'random' | 'version' | 'openFileLimit'>;
    /**
     * Readings are of its nodes alone, unless there are none, and wait for the configurations of their kubelets, where the settings have
     * them read.
     */
    readonly place?: AskedPlace | undefined;
  }) {
    const { config, scope, credentials, requests, context } = options;
    const { clock, random, version, openFileLimit } = context;
    this.#options = options;
    this.#host = new CoreHost(
      {
        ...{ clock, random, version, openFileLimit, credentials, logger: silentLogger, showsAll: true },
        api: requests.client(credentials),
        scheduler: new Scheduler(clock),
        metrics: new SelfMetrics({ version, nodeVersion: process.version }),
        evictions: new EvictionLog(config.evictions, clock),
        observer: { capped: () => undefined },
        onUnexpectedEnd: (error) => {
          this.#lifetime.failed(error);
        },
      },
      config,
      scope,
    );
  }

  /** Resolves after the first lists. Throws UserError with a line for each list that is missing, or for the first that exceeds its limit. */
  async synced(signal: AbortSignal): Promise<void> {
    const { timedOut, syncTimeoutMs: timeoutMs } = this.#options.requests;
    const listed = this.#place.synced({ timeoutMs, failsFast: true }, AbortSignal.any([signal, timedOut]));
    await this.#lifetime.during(listed);
  }

  /** Scrapes the kubelets that are due, as long as a scrape may take. Those that have not answered by then are served from the cache. */
  read(signal: AbortSignal): Promise<ClusterReading> {
    return this.#lifetime.during(this.#read(signal));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#host[Symbol.asyncDispose]();
    this.#lifetime.stopped();
  }

  get #place(): ClusterPlace {
    return this.#host.core.place;
  }

  async #read(signal: AbortSignal): Promise<ClusterReading> {
    const { clock } = this.#options.context;
    const askedAtMs = clock.monotonicMs();
    using deadline = startDeadline({
      clock,
      durationMs: maxScrapeMs,
      error: () => new Error('the kubelets took too long'),
      parent: signal,
    });
    const nodes = this.#nodesOfSubject();
    const notes = await this.#readConfigurations(nodes ?? [], deadline.signal);
    const snapshot = await this.#collect(nodes, deadline.signal);
    if (snapshot === undefined) throw new Error('read before the first lists');
    return clusterReading(this.#host.core, { snapshot, evictions: [], askedAtMs, notes });
  }

  /** `asked`: the only nodes that are asked and shown; undefined: all. */
  async #collect(asked: readonly Node[] | undefined, signal: AbortSignal): Promise<ClusterSnapshot | undefined> {
    const { collector } = this.#host.core;
    if (asked === undefined) return collector.collect(signal, { waitsForAll: true });
    const only = new Set(asked.map(({ name }) => name));
    const snapshot = await collector.collect(signal, { waitsForAll: true, only, recordsFailures: false });
    return snapshot && { ...snapshot, nodes: snapshot.nodes.filter(({ nodeName }) => only.has(nodeName)) };
  }

  /** Undefined: all. */
  #nodesOfSubject(): readonly Node[] | undefined {
    const { node, pod } = this.#options.place ?? {};
    const isMeant = ({ name, namespace }: Pod): boolean =>
      name === pod?.name && (pod.namespace === undefined || pod.namespace === namespace);
    const pods = node === undefined && pod !== undefined ? [...this.#place.store.pods()].filter(isMeant) : [];
    const names = new Set([node, ...pods.map(({ nodeName }) => nodeName)]);
    const nodes = this.#place.targets().filter(({ name }) => names.has(name));
    return nodes.length === 0 ? undefined : nodes;
  }

  /** Resolves with the reasons of those that fail. Their summaries are requested at the same time. */
  async #readConfigurations(nodes: readonly Node[], signal: AbortSignal): Promise<readonly string[]> {
    const { cache } = this.#place;
    const failures = await Promise.all(
      nodes.map((node) => {
        void cache.refresh(node);
        return cache.readConfiguration(node, signal);
      }),
    );
    return failures.flatMap((failure) => (failure === undefined ? [] : [failure.message]));
  }
}
