import { startDeadline } from '../base/clock.js';
import { UserError } from '../base/errors.js';
import { ClusterSource } from '../cluster-source.js';
import { type Collection, createCollection } from '../collection.js';
import type { Config } from '../config/schema.js';
import type { Credentials } from '../credentials/credentials.js';
import type { Pod } from '../kube/objects.js';
import type { Scope } from '../kube/scope.js';
import { noSuchNode } from '../resolve-scope.js';
import type { ClusterSnapshot } from '../scrape/snapshot.js';
import { SelfMetrics } from '../telemetry/self-metrics.js';
import type { Workload } from '../workload/workload.js';
import type { CommandContext } from './context.js';
import { FaultLog } from './fault-log.js';
import { terminalText } from './text/terminal-text.js';

/** How long the first lists may take. */
const syncTimeoutMs = 30_000;
const syncPollMs = 100;

/** A pod that the API server knows, with the workloads that it belongs to. */
export interface KnownPod {
  readonly pod: Pod;
  readonly workloads: readonly Workload[];
}

/** What a cluster says of itself at one moment. Plain data. */
export interface ClusterReading {
  readonly snapshot: ClusterSnapshot;
  /** All pods in scope, measured or not. */
  readonly knownPods: readonly KnownPod[];
  /** Wall time in milliseconds. */
  readonly readAtMs: number;
  /** The last error of nodes that gave no data, by name. */
  readonly nodeErrors: ReadonlyMap<string, string>;
}

export interface ClusterReaderOptions {
  readonly config: Config;
  readonly scope: Scope;
  readonly credentials: Credentials;
  readonly context: Pick<CommandContext, 'clock' | 'random' | 'version'>;
}

/** Reads a cluster as the exporter does, without listening anywhere. All pods are shown, whether or not they belong to a workload. */
export class ClusterReader implements AsyncDisposable {
  readonly #options: ClusterReaderOptions;
  readonly #faults = new FaultLog();
  readonly #source: ClusterSource;
  readonly #collection: Collection;

  constructor(options: ClusterReaderOptions) {
    const { config, scope, credentials, context } = options;
    this.#options = options;
    this.#source = new ClusterSource({
      config,
      scope,
      credentials,
      clock: context.clock,
      random: context.random,
      version: context.version,
      logger: this.#faults.logger,
      metrics: new SelfMetrics({ version: context.version, nodeVersion: process.version }),
    });
    const { store, cache } = this.#source;
    this.#collection = createCollection({
      config,
      onlyNode: scope.nodeName,
      store,
      cache,
      clock: context.clock,
      showsAllPods: true,
    });
  }

  get hasSynced(): boolean {
    return this.#source.store.hasSynced;
  }

  /** Resolves after the first lists. Throws UserError with a line for each list that is missing. */
  async synced(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options.context;
    const endMs = clock.monotonicMs() + syncTimeoutMs;
    while (!this.hasSynced) {
      const isLate = clock.monotonicMs() >= endMs;
      if (isLate || this.#faults.isListRefused) throw new UserError(this.#missingLists(isLate));
      await clock.sleep(syncPollMs, signal);
    }
  }

  /** Asks the kubelets that are due, for at most `durationMs`; what they have not answered by then is served as it is known. */
  async read(durationMs: number, signal: AbortSignal): Promise<ClusterReading> {
    const { clock } = this.#options.context;
    using deadline = startDeadline({
      clock,
      durationMs,
      error: () => new Error('the kubelets took too long'),
      parent: signal,
    });
    const snapshot = await this.#collection.collector.collect(deadline.signal);
    if (snapshot === undefined) throw new Error('read before the first lists');
    this.#faults.retain(new Set(snapshot.nodes.map(({ nodeName }) => nodeName)));
    const knownPods = Array.from(this.#source.store.pods(), (pod) => ({
      pod,
      workloads: this.#collection.resolver.workloadsOf(pod),
    }));
    return { snapshot, knownPods, readAtMs: clock.nowMs(), nodeErrors: this.#nodeErrors() };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#source[Symbol.asyncDispose]();
  }

  #nodeErrors(): ReadonlyMap<string, string> {
    const { nodeName } = this.#options.scope;
    if (nodeName === undefined || this.#source.store.hasNode(nodeName)) return this.#faults.nodeErrors;
    return new Map([[nodeName, noSuchNode(nodeName)]]);
  }

  #missingLists(isLate: boolean): string {
    const limit = isLate ? ` within ${syncTimeoutMs / 1000} s` : '';
    const lines = this.#source.store
      .unsyncedParts()
      .map(({ name, message }) => `${name} could not be listed${limit}: ${terminalText(message)}`);
    return lines.join('\n');
  }
}
