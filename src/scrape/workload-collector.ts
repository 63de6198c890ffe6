import { mergePartials } from '../workload/aggregate.js';
import type { WorkloadBackoff } from '../workload/backoff.js';
import { noFigures, type WorkloadFigures, type WorkloadPartial, type WorkloadPartials } from '../workload/figures.js';
import type { Workload } from '../workload/workload.js';
import type { WorkloadSnapshot } from './snapshot.js';

/** `partial`: an identity is served as far as it was measured; `fail`: not at all while a node of its pods has no data. */
export type MissingNodePolicy = 'partial' | 'fail';

/** What one node gives to the identities. */
export interface NodePart {
  /** Undefined for a node without data. */
  readonly sums: WorkloadPartials | undefined;
  readonly coverage: WorkloadPartials;
}

export interface WorkloadCollectorOptions {
  readonly backoff: WorkloadBackoff;
  readonly onMissingNode: MissingNodePolicy;
}

/** Adds up the identities of one scrape and lets those rest that could not be collected. */
export class WorkloadCollector {
  readonly #options: WorkloadCollectorOptions;

  constructor(options: WorkloadCollectorOptions) {
    this.#options = options;
  }

  /** The identities with pods, and the configured ones also without; by name. */
  collect(nodes: readonly NodePart[], configured: readonly Workload[]): readonly WorkloadSnapshot[] {
    const totals = mergePartials(nodes.flatMap(({ sums, coverage }) => (sums ? [sums, coverage] : [coverage])));
    const missing = mergePartials(nodes.filter(({ sums }) => sums === undefined).map(({ coverage }) => coverage));
    const partials = new Map(configured.map((workload) => [workload.name, emptyPartial(workload)]));
    for (const [name, partial] of totals) partials.set(name, partial);
    this.#options.backoff.retain(new Set(partials.keys()));
    return [...partials.values()]
      .sort((a, b) => (a.workload.name < b.workload.name ? -1 : 1))
      .map((partial) => this.#snapshotOf(partial, missing.has(partial.workload.name)));
  }

  #snapshotOf(partial: WorkloadPartial, missesNode: boolean): WorkloadSnapshot {
    const { workload, expectedPods, measuredPods, pendingPods } = partial;
    const figures = this.#figuresOf(partial, missesNode);
    return {
      workload,
      expectedPods,
      measuredPods,
      complete: figures !== undefined && measuredPods === expectedPods && pendingPods === 0,
      backoffMs: this.#options.backoff.restMs(workload.name),
      figures,
    };
  }

  /** Undefined when the collection fails or the identity is at rest after one that did. */
  #figuresOf(partial: WorkloadPartial, missesNode: boolean): WorkloadFigures | undefined {
    const { backoff, onMissingNode } = this.#options;
    const { name } = partial.workload;
    if (backoff.restMs(name) > 0) return undefined;
    const isUnmeasured = partial.expectedPods > 0 && partial.measuredPods === 0;
    if (isUnmeasured || (onMissingNode === 'fail' && missesNode)) {
      backoff.failed(name);
      return undefined;
    }
    backoff.succeeded(name);
    return partial.figures;
  }
}

function emptyPartial(workload: Workload): WorkloadPartial {
  return { workload, figures: noFigures, expectedPods: 0, measuredPods: 0, pendingPods: 0 };
}
