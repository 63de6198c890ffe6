import type { Clock } from '../base/clock.js';
import { byNames } from '../base/ranking.js';
import { TimeSlicer } from '../base/time-slicer.js';
import { Accumulator } from '../workload/aggregate.js';
import { noFigures, type WorkloadFigures, type WorkloadPartial, type WorkloadPartials } from '../workload/figures.js';
import { type Workload, workloadKey } from '../workload/workload.js';
import type { WorkloadBackoff } from '../workload/workload-backoff.js';
import type { WorkloadSnapshot } from './snapshot.js';

/** `partial`: a workload is served as far as it was measured; `fail`: not at all while a node of its pods has no data. */
export type MissingNodePolicy = 'partial' | 'fail';

/** What one node gives to the workloads. */
export interface NodePart {
  /** Undefined for a node without data. */
  readonly sums: WorkloadPartials | undefined;
  readonly coverage: WorkloadPartials;
}

export interface WorkloadCollectorOptions {
  /** Shown also without pods. */
  readonly configured: readonly Workload[];
  readonly backoff: WorkloadBackoff;
  readonly onMissingNode: MissingNodePolicy;
  readonly clock: Clock;
}

interface Collected {
  readonly nodes: readonly NodePart[];
  readonly workloads: readonly WorkloadSnapshot[];
}

/** Adds up the workloads of one scrape and lets those rest that could not be collected. */
export class WorkloadCollector {
  readonly #options: WorkloadCollectorOptions;
  readonly #slicer: TimeSlicer;
  #last: Collected | undefined;

  constructor(options: WorkloadCollectorOptions) {
    this.#options = options;
    this.#slicer = new TimeSlicer(options.clock);
  }

  /**
   * The workloads with pods, and the configured ones also without; by namespace, type and name. The same array as long as the nodes, in
   * the same order, give the same and no workload has failed: what is derived from it may be kept by reference.
   *
   * `recordsFailures`: false when the time was up before all nodes had answered, or when this is no scrape. What fails then is
   * absent but does not rest: one impatient client would cost all others their figures.
   */
  async collect(nodes: readonly NodePart[], recordsFailures: boolean): Promise<readonly WorkloadSnapshot[]> {
    const last = this.#last;
    if (last !== undefined && areSame(last.nodes, nodes) && !this.#options.backoff.hasFailed) return last.workloads;
    const workloads = await this.#collect(nodes, recordsFailures);
    const mayBeKept = recordsFailures || workloads.every(({ figures }) => figures !== undefined);
    this.#last = mayBeKept ? { nodes, workloads } : undefined;
    return workloads;
  }

  async #collect(nodes: readonly NodePart[], recordsFailures: boolean): Promise<readonly WorkloadSnapshot[]> {
    const totals = new Accumulator();
    await this.#slicer.forEach(nodes, ({ sums, coverage }) => {
      if (sums !== undefined) totals.addAll(sums);
      totals.addAll(coverage);
    });
    const { configured, backoff } = this.#options;
    const partials = new Map(configured.map((workload) => [workloadKey(workload), emptyPartial(workload)]));
    await this.#slicer.forEach(totals.entries(), ([key, partial]) => partials.set(key, partial));
    backoff.retain(new Set(partials.keys()));
    const missing = new Set(nodes.flatMap(({ sums, coverage }) => (sums === undefined ? [...coverage.keys()] : [])));
    const workloads: WorkloadSnapshot[] = [];
    const sorted = [...partials].sort(byNames(([key]) => [key]));
    await this.#slicer.forEach(sorted, ([key, partial]) => {
      workloads.push(this.#snapshotOf(partial, { key, missesNode: missing.has(key), recordsFailures }));
    });
    return workloads;
  }

  #snapshotOf(partial: WorkloadPartial, circumstances: Circumstances): WorkloadSnapshot {
    const { workload, expectedPods, measuredPods, pendingPods } = partial;
    const figures = this.#figuresOf(partial, circumstances);
    return {
      workload,
      expectedPods,
      measuredPods,
      complete: figures !== undefined && measuredPods === expectedPods && pendingPods === 0,
      backoffMs: this.#options.backoff.restMs(circumstances.key),
      figures,
    };
  }

  /** Undefined when the collection fails or the workload is at rest after one that did. */
  #figuresOf(
    partial: WorkloadPartial,
    { key, missesNode, recordsFailures }: Circumstances,
  ): WorkloadFigures | undefined {
    const { backoff, onMissingNode } = this.#options;
    if (backoff.restMs(key) > 0) return undefined;
    const isUnmeasured = partial.expectedPods > 0 && partial.measuredPods === 0;
    if (isUnmeasured || (onMissingNode === 'fail' && missesNode)) {
      if (recordsFailures) backoff.failed(key);
      return undefined;
    }
    backoff.succeeded(key);
    return partial.figures;
  }
}

interface Circumstances {
  readonly key: string;
  /** Pods that are expected run on a node without data. */
  readonly missesNode: boolean;
  readonly recordsFailures: boolean;
}

function areSame(before: readonly NodePart[], after: readonly NodePart[]): boolean {
  return (
    before.length === after.length &&
    before.every(({ sums, coverage }, index) => sums === after[index]?.sums && coverage === after[index]?.coverage)
  );
}

function emptyPartial(workload: Workload): WorkloadPartial {
  return { workload, figures: noFigures, expectedPods: 0, measuredPods: 0, pendingPods: 0 };
}
