import { KubeletCache } from '../../src/cluster/kubelet/kubelet-cache.js';
import type { KubeletPolicy } from '../../src/cluster/kubelet/kubelet-policies.js';

/** A cache under one policy. */
export function aKubeletCache(options: ConstructorParameters<typeof KubeletCache>[0] & KubeletPolicy): KubeletCache {
  const cache = new KubeletCache(options);
  cache.configure(options);
  return cache;
}
