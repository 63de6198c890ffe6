import { isDeepStrictEqual } from 'node:util';

import { kubeletCredentials } from '../../cluster/credentials/kubelet-credentials.js';
import type { ApiTransport } from '../../cluster/http/api-client.js';
import { KubeletClient } from '../../cluster/kubelet/client.js';
import { directTransport } from '../../cluster/kubelet/direct-transport.js';
import type { KubeletCache } from '../../cluster/kubelet/kubelet-cache.js';
import type { KubeletPolicy } from '../../cluster/kubelet/kubelet-policies.js';
import { proxyTransport } from '../../cluster/kubelet/proxy-transport.js';
import type { KubeletTransport } from '../../cluster/kubelet/transport.js';
import { coversAllPods } from '../../facts/node/join.js';
import { isExpected } from '../../facts/node/node-coverage.js';
import { latestNowMs } from '../../lib/base/clock.js';
import type { ClusterPlace, ProcessParts } from './cluster-place.js';
import { type Core, podScope } from './core.js';

/** The credentials are for direct requests, the API for kubelets behind its proxy. */
interface KubeletConnectionOptions extends ProcessParts {
  readonly api: ApiTransport;
  readonly cache: Pick<KubeletCache, 'configure'>;
}

/** How the kubelets of a cluster are asked. Connections are kept as long as the settings of kubelets are the same. */
export class KubeletConnection implements Disposable {
  readonly #options: KubeletConnectionOptions;
  #core: Core<ClusterPlace> | undefined;
  #transport: (KubeletTransport & Partial<Disposable>) | undefined;

  constructor(options: KubeletConnectionOptions) {
    this.#options = options;
  }

  /** By the settings of this core from now on, for it alone. */
  configure(core: Core<ClusterPlace>): void {
    const { kubelet } = core.config;
    if (!isDeepStrictEqual(this.#core?.config.kubelet, kubelet)) this[Symbol.dispose]();
    this.#core = core;
    const transport = (this.#transport ??= this.#transportFor(core));
    this.#options.cache.configure(kubeletPolicy(core, transport, this.#options));
  }

  /** Connections in use end with their requests. */
  [Symbol.dispose](): void {
    this.#transport?.[Symbol.dispose]?.();
    this.#transport = undefined;
  }

  #transportFor({ config, place }: Core<ClusterPlace>): KubeletTransport & Partial<Disposable> {
    const { credentials, clock } = this.#options;
    const { access, bearerTokenFile, tls } = config.kubelet;
    if (access !== 'direct') return proxyTransport(this.#options.api);
    return directTransport({
      ...this.#options,
      ...config.kubelet,
      credentials: kubeletCredentials({ api: credentials, bearerTokenFile, tls, clock }),
      maxKeptConnections: place.budget.maxKeptConnections,
      isApiServerAway: () => this.#core?.place.store.lists.isServerAway ?? false,
    });
  }
}

function kubeletPolicy(
  { config, place }: Core<ClusterPlace>,
  transport: KubeletTransport,
  { clock, scheduler, metrics }: KubeletConnectionOptions,
): KubeletPolicy {
  const { store, budget } = place;
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
    fetchSummary: (node, signal) => summaries.fetchSummary(node, signal),
    fetchConfiguration: readConfig ? (node, signal) => configurations.fetchConfiguration(node, signal) : undefined,
    expectsPods: (nodeName) => {
      const nowMs = latestNowMs(clock);
      const isAnyExpected = store.podsOn(nodeName).some((pod) => isExpected(pod, nowMs));
      return isAnyExpected || (coversAllPods(podScope(config)) ? false : undefined);
    },
    onNearNode: (nodeName) => {
      place.mayBeDue(nodeName);
    },
    onSummary: (...summary) => {
      place.summaryArrived(...summary);
    },
  };
}
