import { type Clock, latestNowMs } from '../base/clock.js';
import type { Pod } from '../kube/objects.js';
import { expectedPods } from '../workload/coverage.js';
import { type NodeCoverage, nodeCoverage } from './node-coverage.js';
import type { NodeSnapshotOptions } from './node-snapshot.js';
import type { NodeSnapshot } from './node-state.js';

export interface CoverageRecordOptions extends Pick<NodeSnapshotOptions, 'pods' | 'resolver'> {
  readonly clock: Clock;
  /** How long a pod may run before its node's summary must list it, in milliseconds. */
  readonly graceMs: number;
}

/** The coverage of one node, kept while its pods and their workloads, its snapshot and the expected pods stay the same. */
export class CoverageRecord {
  readonly #options: CoverageRecordOptions;
  #kept: KeptCoverage | undefined;

  constructor(options: CoverageRecordOptions) {
    this.#options = options;
  }

  /** `snapshot`: undefined while the node has no data. */
  of(nodeName: string, snapshot: NodeSnapshot | undefined): NodeCoverage {
    const { pods, resolver, clock, graceMs } = this.#options;
    const kept = this.kept(nodeName, snapshot);
    if (kept !== undefined) return kept;
    const podsOnNode = pods.podsOn(nodeName);
    const expected = expectedPods({ pods: podsOnNode, nowMs: latestNowMs(clock), graceMs });
    const coverage = nodeCoverage({ pods: podsOnNode, expected: expected.pods, snapshot }, resolver);
    const { generation } = resolver;
    this.#kept = { podsOnNode, snapshot, generation, validUntilMs: expected.validUntilMs, coverage };
    return coverage;
  }

  /** Undefined when something has changed since. */
  kept(nodeName: string, snapshot: NodeSnapshot | undefined): NodeCoverage | undefined {
    const { pods, resolver, clock } = this.#options;
    const kept = this.#kept;
    const isSame =
      kept?.podsOnNode === pods.podsOn(nodeName) &&
      kept.snapshot === snapshot &&
      kept.generation === resolver.generation &&
      latestNowMs(clock) <= kept.validUntilMs;
    return isSame ? kept.coverage : undefined;
  }
}

interface KeptCoverage {
  readonly podsOnNode: readonly Pod[];
  readonly snapshot: NodeSnapshot | undefined;
  /** Of the resolver. */
  readonly generation: number;
  /** See {@link latestNowMs}. */
  readonly validUntilMs: number;
  readonly coverage: NodeCoverage;
}
