import type { Clock } from '../base/clock.js';
import type { Pod } from '../kube/objects.js';
import { countExpected } from '../workload/aggregate.js';
import { expectedPods } from '../workload/coverage.js';
import type { WorkloadPartials } from '../workload/figures.js';
import type { WorkloadResolver } from '../workload/workload-resolver.js';
import type { MeasuredNode, PodLister } from './node-snapshots.js';

export interface NodeCoveragesOptions {
  readonly pods: PodLister;
  readonly resolver: WorkloadResolver;
  readonly clock: Clock;
  /** How long a pod may run before its node's summary must have it, in milliseconds. */
  readonly graceMs: number;
}

export interface NodeCoverage {
  readonly workloads: WorkloadPartials;
  /** Pods that the summary must have and does not list; all of them without a summary. */
  readonly missingPods: number;
  /** Pods that the summary must have, and those of them that have figures. */
  readonly expectedPods: number;
  readonly measuredPods: number;
}

interface Kept {
  readonly podsOnNode: readonly Pod[];
  readonly measured: MeasuredNode | undefined;
  readonly validUntilMs: number;
  readonly coverage: NodeCoverage;
}

/**
 * How many pods of each workload the summary of a node must have and has. Kept per node while its pods and its summary
 * are the same and no pod's grace period has ended.
 */
export class NodeCoverages {
  readonly #options: NodeCoveragesOptions;
  readonly #kept = new Map<string, Kept>();

  constructor(options: NodeCoveragesOptions) {
    this.#options = options;
  }

  /** Of a node without data (`measured` undefined), no pod is measured. */
  of(nodeName: string, measured: MeasuredNode | undefined): NodeCoverage {
    const { pods, clock, graceMs } = this.#options;
    const podsOnNode = pods.podsOn(nodeName);
    const nowMs = clock.nowMs();
    const kept = this.#kept.get(nodeName);
    if (kept?.podsOnNode === podsOnNode && kept.measured === measured && nowMs <= kept.validUntilMs) {
      return kept.coverage;
    }
    const expected = expectedPods({ pods: podsOnNode, nowMs, graceMs });
    const coverage = {
      workloads: countExpected(
        expected.pods.map((pod) => ({
          workloads: this.#options.resolver.workloadsOf(pod, pod.namespace),
          isMeasured: measured?.measuredPodUids.has(pod.uid) === true,
        })),
      ),
      expectedPods: expected.pods.length,
      measuredPods: expected.pods.filter(({ uid }) => measured?.measuredPodUids.has(uid) === true).length,
      missingPods: expected.pods.filter(({ uid }) => measured?.listedPodUids.has(uid) !== true).length,
    };
    this.#kept.set(nodeName, { podsOnNode, measured, validUntilMs: expected.validUntilMs, coverage });
    return coverage;
  }

  /** Forgets the nodes that are not among `nodeNames`. */
  retain(nodeNames: ReadonlySet<string>): void {
    for (const nodeName of this.#kept.keys()) {
      if (!nodeNames.has(nodeName)) this.#kept.delete(nodeName);
    }
  }
}
