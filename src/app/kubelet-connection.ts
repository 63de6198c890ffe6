import { type Clock, latestNowMs } from '../base/clock.js';
import type { Logger } from '../base/logger.js';
import type { Scheduler } from '../base/scheduler.js';
import type { Config } from '../config/schema.js';
import type { Credentials } from '../credentials/credentials.js';
import { KubeletCredentials } from '../credentials/kubelet-credentials.js';
import type { ApiTransport } from '../http/api-client.js';
import { KubeletClient } from '../kubelet/client.js';
import { DirectTransport } from '../kubelet/direct-transport.js';
import type { KubeletPolicy } from '../kubelet/kubelet-policies.js';
import { ProxyTransport } from '../kubelet/proxy-transport.js';
import type { KubeletTransport } from '../kubelet/transport.js';
import { coversAllPods } from '../node/join.js';
import { podGraceMs } from '../node/node-coverage.js';
import { isExpected } from '../node/node-coverage.js';
import type { SelfMetrics } from '../telemetry/self-metrics.js';
import type { ClusterStore } from '../watch/cluster-store.js';
import { podScope } from './collection.js';
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
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  readonly metrics: SelfMetrics;
  readonly version: string;
  readonly onNearNode: Required<KubeletPolicy>['onNearNode'];
  readonly onSummary: Required<KubeletPolicy>['onSummary'];
}

/** How the kubelets of a cluster are asked by one set of settings, with what it needs for that. */
export class KubeletConnection implements Disposable {
  readonly policy: KubeletPolicy;
  /** Undefined where the API server's proxy is the way. */
  readonly #transport: DirectTransport | undefined;

  constructor(options: KubeletConnectionOptions) {
    const { access } = options.config.kubelet;
    this.#transport = access === 'direct' ? directTransport(options) : undefined;
    const transport = this.#transport ?? new ProxyTransport(options.connection);
    this.policy = kubeletPolicy(options, transport);
  }

  [Symbol.dispose](): void {
    this.#transport?.[Symbol.dispose]();
  }
}

function kubeletPolicy(options: KubeletConnectionOptions, transport: KubeletTransport): KubeletPolicy {
  const { config, store, budget, clock, scheduler, metrics, onNearNode, onSummary } = options;
  const { readConfig, requestTimeoutMs, maxBodyBytes } = config.kubelet;
  const limits = { transport, requestTimeoutMs, maxBodyBytes, clock, lane: scheduler.newLane() };
  const summaries = new KubeletClient({ ...limits, observer: metrics });
  const configurations = new KubeletClient({
    ...limits,
    observer: {
      requestFinished: (result) => {
        metrics.counters.kubeletConfigRequests.add({ result });
      },
    },
  });
  return {
    ttlMs: config.cache.ttlMs,
    nearTtlMs: config.cache.nearTtlMs,
    maxConcurrentRequests: budget.maxConcurrentRequests,
    transportKey: transportKeyOf(config),
    fetchSummary: (node, signal) => summaries.fetchSummary(node, signal),
    fetchConfiguration: readConfig ? (node, signal) => configurations.fetchConfiguration(node, signal) : undefined,
    expectsPods: (nodeName) => {
      const nowMs = latestNowMs(clock);
      const isAnyExpected = store.podsOn(nodeName).some((pod) => isExpected({ pod, nowMs, graceMs: podGraceMs }));
      return isAnyExpected || (coversAllPods(podScope(config)) ? false : undefined);
    },
    onNearNode,
    onSummary,
  };
}

/** All settings of kubelets but those that bound requests or say what is requested. */
function transportKeyOf({ kubelet }: Config): object {
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
