import { TokenReviewer } from '../access/token-reviewer.js';
import type { Clock } from '../base/clock.js';
import type { Logger } from '../base/logger.js';
import type { Scheduler } from '../base/scheduler.js';
import type { Credentials } from '../credentials/credentials.js';
import { ApiClient, type ApiTransport } from '../http/api-client.js';
import { KubeletCache } from '../kubelet/kubelet-cache.js';
import type { NodeMemory } from '../node/node-memory.js';
import type { SelfMetrics } from '../telemetry/self-metrics.js';
import { ClusterWatches } from '../watch/cluster-watches.js';

export interface ClusterConnectionOptions {
  readonly credentials: Credentials;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  /** From 0 to 1, 1 excluded. */
  readonly random: () => number;
  readonly logger: Logger;
  readonly metrics: SelfMetrics;
  readonly version: string;
  /** Told when a watch, or the background tasks of a source, have ended although nothing stopped them. */
  readonly onUnexpectedEnd: (error: Error) => void;
}

/**
 * An API server with one set of credentials, responses of the kubelets of its nodes, and what is remembered of the nodes. Lives
 * longer than the settings that use it.
 */
export class ClusterConnection implements AsyncDisposable {
  readonly api: ApiTransport & Disposable;
  readonly watches: ClusterWatches;
  /** To be disposed of before a source, whose tasks wait for its requests. */
  readonly kubelets: KubeletCache;
  readonly nodeMemories = new Map<string, NodeMemory>();
  readonly #options: ClusterConnectionOptions;

  /** `nodeLocalSpreadMs`: see {@link ClusterWatches}. `api`: a client of the credentials without it; disposed of here. */
  constructor(
    options: ClusterConnectionOptions & {
      readonly nodeLocalSpreadMs?: number;
      readonly api?: ApiTransport & Disposable;
    },
  ) {
    this.#options = options;
    this.api = options.api ?? new ApiClient(options);
    this.watches = new ClusterWatches({ ...options, api: this.api, observer: options.metrics.watches });
    this.kubelets = new KubeletCache({ ...options, requests: options.scheduler.requests, observer: options.metrics });
  }

  /** With connections of its own: a flood of tokens must not delay the watches. The caller disposes of it. */
  tokenReviewer(audiences: readonly string[]): TokenReviewer {
    return new TokenReviewer({ ...this.#options, api: new ApiClient(this.#options), audiences });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.watches[Symbol.asyncDispose]();
    this.api[Symbol.dispose]();
  }
}
