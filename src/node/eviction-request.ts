import { declaredRequest, formerDeclaredRequest } from '../kube/declared-amounts.js';
import type { Pod } from '../kube/objects.js';
import { addAmounts, type Amount } from '../kube/quantity.js';
import { minorVersion } from './kubelet-version.js';

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
