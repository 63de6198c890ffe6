import type { ClusterConnectionOptions } from '../../src/app/cluster-connection.js';
import { KubeletCache, type KubeletCacheOptions } from '../../src/kubelet/kubelet-cache.js';
import type { KubeletPolicy } from '../../src/kubelet/kubelet-policies.js';

/** That of one process, under no policy yet. */
export function newKubelets(
  options: Pick<ClusterConnectionOptions, 'scheduler' | 'clock' | 'logger' | 'metrics'>,
): KubeletCache {
  return new KubeletCache({ ...options, requests: options.scheduler.requests, observer: options.metrics });
}

/** A cache under one policy. */
export function aKubeletCache(options: KubeletCacheOptions & KubeletPolicy): KubeletCache {
  const cache = new KubeletCache(options);
  cache.configure(options);
  return cache;
}
