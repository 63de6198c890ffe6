import type { Pod } from '../kube/objects.js';
import { countExpected } from '../workload/aggregate.js';
import type { WorkloadPartials } from '../workload/figures.js';
import type { WorkloadResolver } from '../workload/workload-resolver.js';
import type { NodeSnapshot } from './snapshot.js';

/** How many of the pods that a node's summary must list it does list. */
export interface NodeCoverage {
  readonly workloads: WorkloadPartials;
  /** Expected pods that the summary does not list; all of them without a summary. */
  readonly missingPods: number;
  /** Pods that the summary must list, and those of them that have usage. */
  readonly expectedPods: number;
  readonly measuredPods: number;
}

/** On a node without data (`snapshot` undefined), no pod is measured. */
export function nodeCoverage(
  expected: readonly Pod[],
  snapshot: NodeSnapshot | undefined,
  resolver: WorkloadResolver,
): NodeCoverage {
  const isMeasured = ({ uid }: Pod): boolean => snapshot?.measuredPodUids.has(uid) === true;
  return {
    workloads: countExpected(
      expected.map((pod) => ({
        workloads: resolver.workloadsOf(pod, pod.namespace),
        isMeasured: isMeasured(pod),
      })),
    ),
    expectedPods: expected.length,
    measuredPods: expected.filter(isMeasured).length,
    missingPods: expected.filter(({ uid }) => snapshot?.listedPodUids.has(uid) !== true).length,
  };
}
