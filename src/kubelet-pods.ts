import { abortable } from './base/abortable.js';
import { RequestError } from './base/errors.js';
import type { Config } from './config/schema.js';
import { apiFormOf } from './kube/kubelet-pod.js';
import type { Scope } from './kube/scope.js';
import type { KubeletConnection } from './kubelet-connection.js';
import { noSuchNode } from './resolve-scope.js';
import type { ClusterStore } from './watch/cluster-store.js';
import type { PolledSource } from './watch/object-feed.js';

/** Without a cache, summaries are requested by each scrape, and pods this often. */
const uncachedMs = 10_000;

export interface KubeletPodsOptions {
  readonly config: Pick<Config, 'kubelet' | 'cache'>;
  readonly scope: Pick<Scope, 'nodeName'>;
  /** Both exist before the first request. */
  readonly store: () => Pick<ClusterStore, 'lists' | 'findNode'>;
  readonly kubelets: () => Pick<KubeletConnection, 'cache' | 'fetchPods'>;
}

/**
 * The pods of a node from its kubelet; undefined where the settings say the API server. It is asked as often as for its
 * summary, and once in `cache.ttl` when it fails.
 */
export function kubeletPods({ config, scope, store, kubelets }: KubeletPodsOptions): PolledSource | undefined {
  const { nodeName } = scope;
  const { ttlMs, nearTtlMs } = config.cache;
  if (config.kubelet.podsSource !== 'kubelet' || nodeName === undefined) return undefined;
  const usualMs = ttlMs === 0 ? uncachedMs : ttlMs;
  return {
    what: `pods of the kubelet of node ${nodeName}`,
    request: async (read, signal) => {
      await abortable(store().lists.listedNodes(), signal);
      const node = store().findNode(nodeName);
      if (node === undefined) throw new RequestError('not_found', noSuchNode(nodeName));
      return kubelets().fetchPods(node, read, signal);
    },
    translate: (item) => apiFormOf(item, nodeName),
    pauseMs: (hasFailed) =>
      hasFailed || !kubelets().cache.hasShortTtl(nodeName) ? usualMs : Math.min(nearTtlMs, usualMs),
    // A kubelet that starts while the API server is away learns of no pod but the static ones.
    mayBePartial: () => store().lists.isServerAway,
  };
}
