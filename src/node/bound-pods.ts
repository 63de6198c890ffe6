import type { Pod } from '../kube/objects.js';
import type { WorkloadResolver } from '../workload/workload-resolver.js';
import { podLimitBytes, podRequestBytes } from './limits.js';
import type { BoundPod } from './node-state.js';

/** What follows from the API object of a pod alone. */
export function boundPod(pod: Pod, resolver: WorkloadResolver): BoundPod {
  return {
    pod,
    limitBytes: podLimitBytes(pod),
    requestBytes: podRequestBytes(pod),
    workloads: resolver.workloadsOf(pod),
  };
}

/** The pods of one node: what follows from their API objects, derived once for each object. */
export class BoundPods {
  readonly #resolver: WorkloadResolver;
  #podsOnNode: readonly Pod[] = [];
  #generation = 0;
  #bound: readonly BoundPod[] = [];

  constructor(resolver: WorkloadResolver) {
    this.#resolver = resolver;
  }

  /** In the order of the pods. The same array for the same one, and the same item for the same object. */
  of(podsOnNode: readonly Pod[]): readonly BoundPod[] {
    const { generation } = this.#resolver;
    const isSameGeneration = generation === this.#generation;
    if (podsOnNode === this.#podsOnNode && isSameGeneration) return this.#bound;
    const known = new Map(isSameGeneration ? this.#bound.map((bound) => [bound.pod, bound]) : []);
    this.#bound = podsOnNode.map((pod) => known.get(pod) ?? boundPod(pod, this.#resolver));
    this.#podsOnNode = podsOnNode;
    this.#generation = generation;
    return this.#bound;
  }
}
