import { objectOf, textOf } from '../kube/json.js';
import type { Pod } from '../kube/objects.js';
import { isInScope, type Scope } from '../kube/scope.js';

/**
 * Checked before the projection, so that nothing of the pods of other shards is kept, not even a shared label set. A pod
 * without a node is out of scope until it is bound to one, which never changes again. The whole cluster includes all pods of
 * the namespaces, or all pods.
 */
export function isPodInScope(object: unknown, scope: Scope & { readonly namespaces: readonly string[] }): boolean {
  const namespace = textOf(objectOf(objectOf(object)['metadata'])['namespace']) ?? '';
  if (scope.namespaces.length > 0 && !scope.namespaces.includes(namespace)) return false;
  if (scope.totalShards === 1 && scope.nodeName === undefined) return true;
  const nodeName = textOf(objectOf(objectOf(object)['spec'])['nodeName']);
  return nodeName !== undefined && isInScope(scope, nodeName);
}

/** The clocks of a cluster differ by less: credentials would not be valid. */
const maxClockSkewMs = 3_600_000;

/**
 * A pod that starts later than any clock may be ahead has been running for an unknown time: since this machine's clock is
 * behind, it might otherwise be too young to be expected for days.
 */
export function withPlausibleStart(pod: Pod, nowMs: number): Pod {
  return (pod.runningSinceMs ?? 0) - nowMs < maxClockSkewMs ? pod : { ...pod, runningSinceMs: 0 };
}
