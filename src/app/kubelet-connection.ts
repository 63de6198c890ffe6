import { type Clock, latestNowMs } from '../base/clock.js';
import type { Logger } from '../base/logger.js';
import type { Precedence } from '../base/precedence.js';
import { TimeSlicer } from '../base/time-slicer.js';
import type { Config } from '../config/schema.js';
import type { Credentials } from '../credentials/credentials.js';
import { KubeletCredentials } from '../credentials/kubelet-credentials.js';
import type { ApiTransport } from '../http/api-client.js';
import { KubeletClient } from '../kubelet/client.js';
import { DirectTransport } from '../kubelet/direct-transport.js';
import { KubeletCache, type KubeletCacheOptions } from '../kubelet/kubelet-cache.js';
import { ProxyTransport } from '../kubelet/proxy-transport.js';
import type { KubeletTransport } from '../kubelet/transport.js';
import { coversAllPods } from '../node/join.js';
import type { SelfMetrics } from '../telemetry/self-metrics.js';
import type { ClusterStore } from '../watch/cluster-store.js';
import { isExpected } from '../workload/coverage.js';
import { podGraceMs, podScope } from './collection.js';
import type { ConnectionBudget } from './connection-budget.js';

export interface KubeletConnectionOptions {
  readonly config: Config;
  /** For kubelets behind the API server's proxy. */
  readonly connection: { readonly api: ApiTransport };
  /** For direct requests. */
  readonly credentials: Credentials;
  readonly store: ClusterStore;
  readonly budget: ConnectionBudget;
  readonly clock: Clock;
  readonly precedence: Precedence;
  readonly logger: Logger;
  readonly metrics: SelfMetrics;
  readonly version: string;
  readonly onNearNode: Required<KubeletCacheOptions>['onNearNode'];
  readonly onSummary: Required<KubeletCacheOptions>['onSummary'];
}

/** The kubelets of a cluster as the settings say how to reach them, and what they said last. */
export class KubeletConnection implements Disposable {
  readonly cache: KubeletCache;
  /** Undefined where the API server's proxy is the way. */
  readonly #transport: DirectTransport | undefined;

  constructor(options: KubeletConnectionOptions) {
    const { access } = options.config.kubelet;
    this.#transport = access === 'direct' ? directTransport(options) : undefined;
    const transport = this.#transport ?? new ProxyTransport(options.connection);
    this.cache = kubeletCache(options, transport);
  }

  [Symbol.dispose](): void {
    this.cache[Symbol.dispose]();
    this.#transport?.[Symbol.dispose]();
  }
}

function kubeletCache(options: KubeletConnectionOptions, transport: KubeletTransport): KubeletCache {
  const { config, store, budget, clock, precedence, metrics, logger, onNearNode, onSummary } = options;
  const { readConfig, requestTimeoutMs, maxBodyBytes } = config.kubelet;
  const limits = { transport, requestTimeoutMs, maxBodyBytes, clock, slicer: new TimeSlicer(clock) };
  const summaries = new KubeletClient({ ...limits, observer: metrics });
  const configurations = new KubeletClient({
    ...limits,
    observer: {
      requestFinished: (result) => {
        metrics.counters.kubeletConfigRequests.add({ result });
      },
    },
  });
  return new KubeletCache({
    ttlMs: config.cache.ttlMs,
    nearTtlMs: config.cache.nearTtlMs,
    maxConcurrentRequests: budget.maxConcurrentRequests,
    requestGate: precedence.requests,
    reach: reachOf(config),
    fetchSummary: (node, signal) => summaries.fetchSummary(node, signal),
    fetchConfiguration: readConfig ? (node, signal) => configurations.fetchConfiguration(node, signal) : undefined,
    expectsPods: (nodeName) => {
      const nowMs = latestNowMs(clock);
      const isAnyExpected = store.podsOn(nodeName).some((pod) => isExpected({ pod, nowMs, graceMs: podGraceMs }));
      return isAnyExpected || (coversAllPods(podScope(config)) ? false : undefined);
    },
    clock,
    observer: metrics,
    onNearNode,
    onSummary,
    logger,
  });
}

/** All settings of kubelets but those that bound requests or say what is requested. */
function reachOf({ kubelet }: Config): object {
  const bounds = { requestTimeoutMs: undefined, maxBodyBytes: undefined, maxConcurrentRequests: undefined };
  return { ...kubelet, ...bounds, readConfig: undefined };
}

function directTransport(options: KubeletConnectionOptions): DirectTransport {
  const { config, credentials, store, budget, clock } = options;
  const { bearerTokenFile, tls } = config.kubelet;
  return new DirectTransport({
    ...options,
    ...config.kubelet,
    credentials: new KubeletCredentials({ api: credentials, bearerTokenFile, tls, clock }),
    maxKeptConnections: budget.maxKeptConnections,
    isApiServerAway: () => store.lists.isServerAway,
  });
}
