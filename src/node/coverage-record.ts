import { type Clock, latestNowMs } from '../base/clock.js';
import { expectedPods } from '../workload/coverage.js';
import type { BoundPod } from './bound-pods.js';
import { type NodeCoverage, nodeCoverage } from './node-coverage.js';
import type { NodeSnapshot } from './node-state.js';

export interface CoverageRecordOptions {
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

  /** `bound`: all pods of the node; `snapshot`: undefined while the node has no data. */
  of(bound: readonly BoundPod[], snapshot: NodeSnapshot | undefined): NodeCoverage {
    const { clock, graceMs } = this.#options;
    const kept = this.kept(bound, snapshot);
    if (kept !== undefined) return kept;
    const pods = bound.map(({ pod }) => pod);
    const expected = expectedPods({ pods, nowMs: latestNowMs(clock), graceMs });
    const coverage = nodeCoverage({ bound, expected: expected.pods, snapshot });
    this.#kept = { bound, snapshot, validUntilMs: expected.validUntilMs, coverage };
    return coverage;
  }

  /** Undefined when something has changed since. */
  kept(bound: readonly BoundPod[], snapshot: NodeSnapshot | undefined): NodeCoverage | undefined {
    const kept = this.#kept;
    const isSame =
      kept?.bound === bound && kept.snapshot === snapshot && latestNowMs(this.#options.clock) <= kept.validUntilMs;
    return isSame ? kept.coverage : undefined;
  }
}

interface KeptCoverage {
  readonly bound: readonly BoundPod[];
  readonly snapshot: NodeSnapshot | undefined;
  /** See {@link latestNowMs}. */
  readonly validUntilMs: number;
  readonly coverage: NodeCoverage;
}
