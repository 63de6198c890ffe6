import type { Pod } from '../kube/objects.js';
import { type SummedPod, sumPods } from '../workload/aggregate.js';
import type { Workload } from '../workload/workload.js';
import type { WorkloadPartials } from '../workload/workload-partial.js';
import type { WorkloadResolver } from '../workload/workload-resolver.js';
import { isActive, podLimitBytes, podRequestBytes } from './limits.js';
import type { NodeSnapshot, UnmeasuredPodState } from './node-state.js';

/** The pods that are expected on a node, against those that its summary lists. */
export interface NodeCoverage {
  /** The node's part of the workloads. */
  readonly workloads: WorkloadPartials;
  /** Expected pods that the summary does not list; all of them without a summary. */
  readonly missingPods: number;
  /** Pods that the summary must list and measured ones that are younger; pods that have usage. */
  readonly expectedPods: number;
  readonly measuredPods: number;
  /** Expected pods without usage. */
  readonly unmeasured: readonly UnmeasuredPodState[];
  /** The workloads of pods that are neither expected nor measured yet, and have not ended. */
  readonly youngWorkloads: readonly Workload[];
  /** The workloads of pods that have ended and are not measured. */
  readonly endedWorkloads: readonly Workload[];
}

export interface NodeCoverageInput {
  /** All pods of the node. */
  readonly pods: readonly Pod[];
  /** Those that the summary must list. */
  readonly expected: readonly Pod[];
  /** Undefined for a node without data: no pod is measured. */
  readonly snapshot: NodeSnapshot | undefined;
}

export function nodeCoverage(input: NodeCoverageInput, resolver: WorkloadResolver): NodeCoverage {
  const { expected, snapshot } = input;
  const unmeasured = expected
    .filter(({ uid }) => snapshot?.measuredPodUids.has(uid) !== true)
    .map((pod) => ({ pod, workloads: resolver.workloadsOf(pod) }));
  const measuredPods = snapshot?.measuredPodUids.size ?? 0;
  const uncounted = uncountedPods(input);
  return {
    // Pods without detail series belong to no workload.
    workloads: sumPods([...(snapshot?.pods ?? []), ...unmeasured.map(unmeasuredPod)]),
    expectedPods: measuredPods + unmeasured.length,
    measuredPods,
    unmeasured,
    missingPods: unmeasured.filter(({ pod }) => snapshot?.listedPodUids.has(pod.uid) !== true).length,
    youngWorkloads: uncounted.filter(isActive).flatMap((pod) => resolver.workloadsOf(pod)),
    endedWorkloads: uncounted.filter((pod) => !isActive(pod)).flatMap((pod) => resolver.workloadsOf(pod)),
  };
}

/** Neither expected nor measured. */
function uncountedPods({ pods, expected, snapshot }: NodeCoverageInput): readonly Pod[] {
  if (expected.length === pods.length) return [];
  const expectedPods = new Set(expected);
  return pods.filter((pod) => !expectedPods.has(pod) && snapshot?.measuredPodUids.has(pod.uid) !== true);
}

function unmeasuredPod({ pod, workloads }: UnmeasuredPodState): SummedPod {
  return {
    workloads,
    usage: undefined,
    limitBytes: podLimitBytes(pod),
    requestBytes: podRequestBytes(pod),
  };
}
