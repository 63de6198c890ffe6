import type { Container, Pod } from '../kube/objects.js';
import { addAmounts, type Amount } from '../kube/quantity.js';
import { minorVersion } from './kubelet-version.js';
import { aggregate, larger } from './limits.js';

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
  const request =
    minor < firstMinorWithSharedSum ? formerSum(pod.containers) : pod.hasPodLevelResources ? 0 : sum(pod.containers);
  return request === 0 ? 0 : addAmounts(request, pod.overheadBytes);
}

function sum(containers: readonly Container[]): Amount {
  return aggregate(containers, ({ requestBytes }) => requestBytes) ?? 0;
}

/** The app containers together, or the largest init container; a sidecar is an init container like any other here. */
function formerSum(containers: readonly Container[]): Amount {
  const requestsOf = (isOfKind: (kind: Container['kind']) => boolean): readonly Amount[] =>
    containers.filter(({ kind }) => isOfKind(kind)).map(({ requestBytes }) => requestBytes ?? 0);
  const apps = requestsOf((kind) => kind === 'app').reduce(addAmounts, 0);
  return requestsOf((kind) => kind === 'init' || kind === 'sidecar').reduce(larger, apps);
}
