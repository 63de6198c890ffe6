import type { PodContext, PodRecord } from '../../facts/node/pod-record.js';
import { type Component, components } from '../../facts/node/usage.js';
import { workloadKey } from '../../facts/workload/workload.js';
import type { WorkloadSnapshot } from '../../facts/workload/workload-partial.js';
import type { Lane } from '../../lib/base/lane.js';
import { addWhole } from '../../lib/base/maps.js';
import { largestFirst, type Ranked, Ranking } from '../../lib/base/ranking.js';
import { AffectedWorkloads, type IncompleteWorkloads } from './affected-workloads.js';
import type { ComponentBytes } from './pod-report.js';
import { type WorkloadReport, workloadReport } from './workload-report.js';

export interface RankedWorkloadReport extends WorkloadReport {
  /** Absent when the workload could not be collected. */
  readonly components?: ComponentBytes | undefined;
}

type ComponentSums = Record<Component, number | undefined>;

/** The largest workloads. Their components are sums over pods, which are added one by one. */
export class RankedWorkloads {
  readonly #ranking: Ranking<WorkloadSnapshot>;
  readonly #sums: ReadonlyMap<string, ComponentSums>;
  /** Those whose sums lack something. */
  readonly incomplete: IncompleteWorkloads;
  /** Of them, those that may have pods in namespaces that are not listed. */
  readonly unlisted: AffectedWorkloads;

  private constructor(ranking: Ranking<WorkloadSnapshot>, lacking: readonly WorkloadSnapshot[]) {
    this.#ranking = ranking;
    this.incomplete = new Map(lacking.map(({ workload }) => [workloadKey(workload), workload]));
    this.unlisted = new AffectedWorkloads(this.incomplete);
    this.unlisted.add(lacking.filter(({ mayHaveUnlistedPods }) => mayHaveUnlistedPods).map(({ workload }) => workload));
    this.#sums = new Map(ranking.top().map(({ workload }) => [workloadKey(workload), noBytes()]));
  }

  static async of(workloads: readonly WorkloadSnapshot[], count: number, lane: Lane): Promise<RankedWorkloads> {
    const ranking = new Ranking<WorkloadSnapshot>(
      count,
      largestFirst(
        ({ usage }) => usage?.usedBytes,
        ({ workload }) => [workload.namespace, workload.name, workload.type],
      ),
    );
    const lacking: WorkloadSnapshot[] = [];
    await lane.each(workloads, (workload) => {
      ranking.add(workload);
      if (!workload.complete) lacking.push(workload);
    });
    return new RankedWorkloads(ranking, lacking);
  }

  add(pod: PodRecord, context: PodContext): void {
    const shown = pod.workloads.flatMap((workload) => this.#sums.get(workloadKey(workload)) ?? []);
    if (shown.length === 0) return; // nothing is derived of the pods of all other workloads
    const ofPod = context.usageOf(pod).components;
    for (const sums of shown)
      for (const component of components) sums[component] = addWhole(sums[component], ofPod[component]);
  }

  workloads(): Ranked<RankedWorkloadReport> {
    return this.#ranking.ranked((snapshot) => this.#reportOf(snapshot));
  }

  #reportOf(snapshot: WorkloadSnapshot): RankedWorkloadReport {
    const components = snapshot.usage && this.#sums.get(workloadKey(snapshot.workload));
    return { ...workloadReport(snapshot), components };
  }
}

function noBytes(): ComponentSums {
  return { rootfs: 0, logs: 0, emptydir: 0, configmap: 0, other: 0 };
}
