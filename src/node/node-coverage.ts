import type { Pod } from '../kube/objects.js';
import { Accumulator } from '../workload/aggregate.js';
import type { Workload } from '../workload/workload.js';
import { noUsage, type WorkloadPartials } from '../workload/workload-partial.js';
import type { BoundPod } from './bound-pods.js';
import { isActive } from './limits.js';
import type { NodeSnapshot } from './node-state.js';
import type { PodRecord } from './pod-record.js';

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
  readonly unmeasured: readonly BoundPod[];
  /** The workloads of pods that are neither expected nor measured yet, and have not ended. */
  readonly youngWorkloads: readonly Workload[];
  /** The workloads of pods that have ended and are not measured. */
  readonly endedWorkloads: readonly Workload[];
}

export interface NodeCoverageInput {
  /** All pods of the node. */
  readonly bound: readonly BoundPod[];
  /** Those that the summary must list. */
  readonly expected: readonly Pod[];
  /** Undefined for a node without data: no pod is measured. */
  readonly snapshot: NodeSnapshot | undefined;
}

export function nodeCoverage({ bound, expected, snapshot }: NodeCoverageInput): NodeCoverage {
  const expectedPods = new Set(expected);
  const measured = snapshot?.measuredPodUids ?? new Set();
  const others = bound.filter(({ pod }) => !measured.has(pod.uid));
  const unmeasured = others.filter(({ pod }) => expectedPods.has(pod));
  const uncounted = others.filter(({ pod }) => !expectedPods.has(pod));
  return {
    // Pods without detail series belong to no workload.
    workloads: sumPods(snapshot?.pods ?? [], unmeasured),
    expectedPods: measured.size + unmeasured.length,
    measuredPods: measured.size,
    unmeasured,
    missingPods: unmeasured.filter(({ pod }) => snapshot?.listedPodUids.has(pod.uid) !== true).length,
    youngWorkloads: uncounted.filter(({ pod }) => isActive(pod)).flatMap(({ workloads }) => workloads),
    endedWorkloads: uncounted.filter(({ pod }) => !isActive(pod)).flatMap(({ workloads }) => workloads),
  };
}

/**
 * The sums over pods with a total and pods that should have one, by workload. Each pod counts as expected: a measured pod
 * is an expected one, however young.
 */
export function sumPods(measured: Iterable<PodRecord>, unmeasured: Iterable<BoundPod>): WorkloadPartials {
  const sums = new Accumulator();
  for (const { summary, bound, workloads, containers, isPending } of measured) {
    const { usedBytes = 0 } = summary;
    const usage = { usedBytes, podMaxUsedBytes: usedBytes, containers };
    for (const workload of workloads) {
      sums.add({
        workload,
        usage,
        limitBytes: bound?.limitBytes,
        requestBytes: bound?.requestBytes,
        expectedPods: 1,
        measuredPods: 1,
        pendingPods: isPending ? 1 : 0,
      });
    }
  }
  for (const { limitBytes, requestBytes, workloads } of unmeasured) {
    const counts = { expectedPods: 1, measuredPods: 0, pendingPods: 0 };
    for (const workload of workloads) sums.add({ workload, usage: noUsage, limitBytes, requestBytes, ...counts });
  }
  return sums.partials();
}
