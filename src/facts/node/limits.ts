import { hasEnded, type Pod } from '../../cluster/kube/objects.js';
import { declaredLimit, declaredRequest, formerDeclaredRequest } from '../../cluster/kube/pod-rest.js';
import { addAmounts, type Amount, roundUp } from '../../cluster/kube/quantity.js';
import { minorVersion } from './kubelet-version.js';

/** https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/ (system classes begin here) */
const leastCriticalPriority = 2_000_000_000;

/**
 * Why the kubelet never evicts the pod, neither for its limits nor for its node; undefined for one that it may evict.
 * The name of the priority class decides nothing.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/kubelet/types/pod_update.go (IsCriticalPod)
 */
export function exemptionOf({ isStatic, priority }: Pod): 'static' | 'critical' | undefined {
  if (isStatic) return 'static';
  return priority >= leastCriticalPriority ? 'critical' : undefined;
}

/** Whether the kubelet looks at the pod when it evicts; a summary may still list one that has ended. */
export function isActive(pod: Pick<Pod, 'phase'>): boolean {
  return !hasEnded(pod);
}

/**
 * The pod's limit of ephemeral storage as the kubelet enforces it; undefined when no container declares one. Overhead
 * is added to a limit above zero but makes none. Resources of the pod as a whole change nothing.
 * https://github.com/kubernetes/kubernetes/blob/master/staging/src/k8s.io/component-helpers/resource/helpers.go (PodLimits)
 */
export function podLimit(pod: Pod): Amount | undefined {
  const limit = declaredLimit(pod);
  return limit === undefined || limit === 0 ? limit : addAmounts(limit, pod.overheadBytes);
}

/** Whether the pod, a container or an emptyDir of it has a limit. */
export function hasLimits({ containers, volumes, rest }: Pod): boolean {
  return (
    rest?.hasLimits === true ||
    containers.some(({ limitBytes }) => limitBytes !== undefined) ||
    volumes.some(({ sizeLimitBytes }) => sizeLimitBytes !== undefined)
  );
}

/** {@link podLimit} in whole bytes, rounded up. */
export function podLimitBytes(pod: Pod): number | undefined {
  const limit = podLimit(pod);
  return limit && roundUp(limit);
}

/**
 * The pod's request of ephemeral storage as the scheduler counts it, in whole bytes, rounded up; undefined when neither a
 * container nor the overhead declares one. Same source, PodRequests.
 */
export function podRequestBytes(pod: Pod): number | undefined {
  const request = declaredRequest(pod);
  if (request === undefined && pod.overheadBytes === 0) return undefined;
  return roundUp(addAmounts(request ?? 0, pod.overheadBytes));
}

/** From here on a kubelet takes the request that its API types compute; before, it had a sum of its own. */
const firstMinorWithSharedSum = 34;

/**
 * The request that a kubelet compares with a pod's usage when its node runs out of disk; 0 when none is declared. Not what
 * the scheduler counts: resources of the pod as a whole hide the requests of its containers (one that sets only cpu or
 * memory requests no storage), and overhead counts only on top of a request. A kubelet of unknown version is taken for a
 * current one.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/api/v1/resource/helpers.go (GetResourceRequestQuantity)
 */
export function evictionRequest(pod: Pod, kubeletVersion: string | undefined): Amount {
  const minor = minorVersion(kubeletVersion) ?? firstMinorWithSharedSum;
  const request = minor < firstMinorWithSharedSum ? formerDeclaredRequest(pod) : sharedSum(pod);
  return request === 0 ? 0 : addAmounts(request, pod.overheadBytes);
}

function sharedSum(pod: Pod): Amount {
  return pod.hasPodLevelResources ? 0 : (declaredRequest(pod) ?? 0);
}
