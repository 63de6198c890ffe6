import { podLimitBytes, podRequestBytes } from '../eviction/limits.js';
import type { Pod } from '../kube/objects.js';
import { type SummedPod, sumPods } from '../workload/aggregate.js';
import type { WorkloadPartials } from '../workload/workload-partial.js';
import type { WorkloadResolver } from '../workload/workload-resolver.js';
import type { NodeSnapshot } from './snapshot.js';

/** The pods that are expected on a node, against those that its summary lists. */
export interface NodeCoverage {
  /** The node's part of the workloads. */
  readonly workloads: WorkloadPartials;
  /** Expected pods that the summary does not list; all of them without a summary. */
  readonly missingPods: number;
  /** Pods that the summary must list and measured ones that are younger; pods that have usage. */
  readonly expectedPods: number;
  readonly measuredPods: number;
}

/** `expected`: the pods that the summary must list. On a node without data (`snapshot` undefined), no pod is measured. */
export function nodeCoverage(
  expected: readonly Pod[],
  snapshot: NodeSnapshot | undefined,
  resolver: WorkloadResolver,
): NodeCoverage {
  const unmeasured = expected.filter(({ uid }) => snapshot?.measuredPodUids.has(uid) !== true);
  const measuredPods = snapshot?.measuredPodUids.size ?? 0;
  return {
    // Pods without detail series belong to no workload.
    workloads: sumPods([...(snapshot?.pods ?? []), ...unmeasured.map((pod) => unmeasuredPod(pod, resolver))]),
    expectedPods: measuredPods + unmeasured.length,
    measuredPods,
    missingPods: unmeasured.filter(({ uid }) => snapshot?.listedPodUids.has(uid) !== true).length,
  };
}

function unmeasuredPod(pod: Pod, resolver: WorkloadResolver): SummedPod {
  return {
    workloads: resolver.workloadsOf(pod),
    usage: undefined,
    limitBytes: podLimitBytes(pod),
    requestBytes: podRequestBytes(pod),
  };
}
