import type { Lane } from '../../lib/base/lane.js';
import { byNames } from '../../lib/base/ranking.js';
import { type Workload, workloadKey } from './workload.js';
import type { WorkloadBackoff } from './workload-backoff.js';
import { Accumulator } from './workload-partial.js';
import {
  emptyPartial,
  type NodePart,
  type WorkloadPartial,
  type WorkloadPartials,
  type WorkloadSnapshot,
} from './workload-partial.js';
import type { WorkloadResolver } from './workload-resolver.js';

/** Sums the workloads of one scrape. Those that cannot be collected back off. */
export class WorkloadCollector {
  readonly #options;
  /** The last ones, and what they were collected from. */
  #last:
    | {
        readonly parts: readonly CollectedPart[];
        readonly unlistedNamespaces: readonly string[];
        readonly workloads: readonly WorkloadSnapshot[];
      }
    | undefined;

  constructor(options: {
    /** Served also without pods. */
    readonly configured: readonly Workload[];
    readonly backoff: WorkloadBackoff;
    readonly pods: { unlistedNamespaces(): readonly string[] };
    readonly resolver: Pick<WorkloadResolver, 'mayHavePodsIn'>;
    readonly lane: Lane;
  }) {
    this.#options = options;
  }

  /**
   * The workloads with pods, and the configured ones also without, by namespace, type and name. The same array as long
   * as the nodes' parts, in the same order, and the known namespaces are the same and no workload has failed: whatever is
   * derived from it may be kept by reference.
   *
   * `recordsFailures`: false when the deadline came before all nodes had responded, or when the caller is not a scrape.
   * Workloads that fail then are absent but do not back off: one impatient client would cost all others their data.
   */
  async collect(parts: readonly NodePart[], recordsFailures: boolean): Promise<readonly WorkloadSnapshot[]> {
    const last = this.#last;
    const unlistedNamespaces = this.#options.pods.unlistedNamespaces();
    const isSame = last?.unlistedNamespaces === unlistedNamespaces && areSame(last.parts, parts);
    if (isSame && !this.#options.backoff.hasFailed) return last.workloads;
    const workloads = await this.#collect(parts, recordsFailures);
    const mayBeKept = recordsFailures || workloads.every(({ usage }) => usage !== undefined);
    this.#last = mayBeKept ? { parts: parts.map(collectedPart), unlistedNamespaces, workloads } : undefined;
    return workloads;
  }

  async #collect(parts: readonly NodePart[], recordsFailures: boolean): Promise<readonly WorkloadSnapshot[]> {
    const { configured, backoff } = this.#options;
    const totals = new Accumulator();
    await this.#options.lane.each(parts, (part) => {
      totals.addAll(part.workloads);
    });
    const partials = new Map(configured.map((workload) => [workloadKey(workload), emptyPartial(workload)]));
    await this.#options.lane.each(totals.entries(), ([key, partial]) => partials.set(key, partial));
    backoff.retain(new Set(partials.keys()));
    const onAbsentNodes = await this.#onAbsentNodes(parts);
    const failing = new Set<string>();
    await this.#options.lane.each(partials, ([key, { expectedPods, measuredPods }]) => {
      if (expectedPods > 0 && measuredPods === 0) failing.add(key);
    });
    const evidence = await this.#evidence(parts, new Set([...failing, ...backoff.failedKeys()]));
    const sorted = [...partials].sort(byNames(([key]) => [key]));
    const workloads: WorkloadSnapshot[] = [];
    await this.#options.lane.each(sorted, ([key, partial]) => {
      const state = {
        isFailing: failing.has(key),
        evidence: evidence.get(key),
        recordsFailures,
        podsOnAbsentNodes: onAbsentNodes.get(key) ?? 0,
      };
      workloads.push(this.#snapshotOf(key, partial, state));
    });
    return workloads;
  }

  /** By the workload's key: its expected pods on nodes of the cluster without data. */
  async #onAbsentNodes(parts: readonly NodePart[]): Promise<ReadonlyMap<string, number>> {
    const counts = new Map<string, number>();
    const absent = parts.filter(({ hasData, isInCluster }) => isInCluster && !hasData);
    await this.#options.lane.each(absent, ({ workloads }) => {
      for (const [key, { expectedPods }] of workloads) counts.set(key, (counts.get(key) ?? 0) + expectedPods);
    });
    return counts;
  }

  /** What is known of the pods of these workloads: as a rule they are few. See {@link WorkloadBackoff}. */
  async #evidence(
    parts: readonly NodePart[],
    keys: ReadonlySet<string>,
  ): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
    const evidence = new Map(Array.from(keys, (key) => [key, new Set<string>()]));
    if (keys.size === 0) return evidence;
    await this.#options.lane.each(parts, ({ nodeName, hasData, workloads }) => {
      if (!hasData) return;
      for (const [key, { measuredPods }] of workloads) {
        const known = evidence.get(key);
        known?.add(`data of ${nodeName}`);
        if (measuredPods > 0) known?.add(`pods on ${nodeName}`);
      }
    });
    return evidence;
  }

  #snapshotOf(key: string, partial: WorkloadPartial, state: CollectionState): WorkloadSnapshot {
    const { workload, limitBytes, requestBytes, expectedPods, measuredPods, pendingPods } = partial;
    const isCollected = this.#isCollected(key, state);
    const { pods, resolver } = this.#options;
    const mayHaveUnlistedPods = resolver.mayHavePodsIn(workload, pods.unlistedNamespaces());
    return {
      workload,
      expectedPods,
      measuredPods,
      podsOnAbsentNodes: state.podsOnAbsentNodes,
      complete: isCollected && !mayHaveUnlistedPods && measuredPods === expectedPods && pendingPods === 0,
      mayHaveUnlistedPods,
      backoffMs: this.#options.backoff.remainingMs(key),
      limitBytes,
      requestBytes,
      usage: isCollected ? partial.usage : undefined,
    };
  }

  /** False when the collection fails or the workload is backing off after one that did. */
  #isCollected(key: string, { isFailing, evidence = new Set(), recordsFailures }: CollectionState): boolean {
    const { backoff } = this.#options;
    backoff.update(key, evidence);
    if (backoff.remainingMs(key) > 0) return false;
    if (isFailing && recordsFailures) backoff.failed(key, evidence);
    if (!isFailing) backoff.succeeded(key);
    return !isFailing;
  }
}

interface CollectionState {
  /** None of its expected pods is measured. */
  readonly isFailing: boolean;
  /** What is known of its pods; undefined when it neither fails nor has failed. */
  readonly evidence: ReadonlySet<string> | undefined;
  readonly recordsFailures: boolean;
  readonly podsOnAbsentNodes: number;
}

/** What shows whether a part is the same. Its sums would be a second copy of all nodes' sums, until the next scrape. */
interface CollectedPart extends Pick<NodePart, 'hasData' | 'isInCluster'> {
  readonly workloads: WeakRef<WorkloadPartials>;
}

function collectedPart({ hasData, isInCluster, workloads }: NodePart): CollectedPart {
  return { hasData, isInCluster, workloads: new WeakRef(workloads) };
}

function areSame(before: readonly CollectedPart[], after: readonly NodePart[]): boolean {
  return (
    before.length === after.length &&
    before.every(
      ({ hasData, isInCluster, workloads }, index) =>
        hasData === after[index]?.hasData &&
        isInCluster === after[index].isInCluster &&
        workloads.deref() === after[index].workloads,
    )
  );
}
