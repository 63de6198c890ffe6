import { Memo } from '../base/memo.js';
import type { Pod } from '../kube/objects.js';
import type { Workload } from '../workload/workload.js';
import type { WorkloadResolver } from '../workload/workload-resolver.js';
import { podLimitBytes, podRequestBytes } from './limits.js';

/** A pod that is bound to a node: what follows from its API object alone. It outlives summaries. */
export interface BoundPod {
  readonly pod: Pod;
  /** Aggregated over the containers as the kubelet does; undefined where none declares one. */
  readonly limitBytes: number | undefined;
  readonly requestBytes: number | undefined;
  readonly workloads: readonly Workload[];
}

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
  readonly #bound = new Memo<readonly BoundPod[]>();
  #generation = 0;

  constructor(resolver: WorkloadResolver) {
    this.#resolver = resolver;
  }

  /** In the order of the pods. The same array for the same one, and the same item for the same object. */
  of(podsOnNode: readonly Pod[]): readonly BoundPod[] {
    const { generation } = this.#resolver;
    return this.#bound.of([podsOnNode, generation], () => {
      const former = generation === this.#generation ? (this.#bound.last ?? []) : [];
      const known = new Map(former.map((bound) => [bound.pod, bound]));
      this.#generation = generation;
      return podsOnNode.map((pod) => known.get(pod) ?? boundPod(pod, this.#resolver));
    });
  }
}
