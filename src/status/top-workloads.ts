import { components } from '../attribution/usage.js';
import { Ranking } from '../base/ranking.js';
import type { TimeSlicer } from '../base/time-slicer.js';
import type { PodSnapshot, WorkloadSnapshot } from '../scrape/snapshot.js';
import { biggestFirst } from './order.js';
import type { ComponentBytes, Top, WorkloadStatus } from './status.js';

type Sums = { -readonly [K in keyof ComponentBytes]: number };

/** The biggest workloads; their components are added up from the pods, which come one by one. */
export class TopWorkloads {
  readonly #top: readonly WorkloadSnapshot[];
  readonly #sums: ReadonlyMap<string, Sums>;
  readonly #totalCount: number;
  readonly incompleteCount: number;

  private constructor(top: readonly WorkloadSnapshot[], totalCount: number, incompleteCount: number) {
    this.#top = top;
    this.#totalCount = totalCount;
    this.incompleteCount = incompleteCount;
    this.#sums = new Map(top.map(({ workload }) => [workload.name, noBytes()]));
  }

  static async of(workloads: readonly WorkloadSnapshot[], count: number, slicer: TimeSlicer): Promise<TopWorkloads> {
    const ranking = new Ranking<WorkloadSnapshot>(
      count,
      biggestFirst(
        ({ figures }) => figures?.usedBytes,
        ({ workload }) => [workload.name],
      ),
    );
    let incompleteCount = 0;
    await slicer.forEach(workloads, (workload) => {
      ranking.add(workload);
      if (!workload.complete) incompleteCount += 1;
    });
    return new TopWorkloads(ranking.top(), workloads.length, incompleteCount);
  }

  add({ usage, workloads }: PodSnapshot): void {
    for (const { name } of workloads) {
      const sums = this.#sums.get(name);
      if (sums === undefined) continue;
      for (const component of components) sums[component] += usage.components[component];
    }
  }

  status(): Top<WorkloadStatus> {
    return { items: this.#top.map((snapshot) => this.#statusOf(snapshot)), totalCount: this.#totalCount };
  }

  #statusOf({ workload, figures, complete, backoffMs, expectedPods, measuredPods }: WorkloadSnapshot): WorkloadStatus {
    return {
      workload: workload.name,
      source: workload.origin.source,
      expectedPodCount: expectedPods,
      measuredPodCount: measuredPods,
      isComplete: complete,
      backoffMs: Math.ceil(backoffMs),
      usedBytes: figures?.usedBytes,
      components: figures && this.#sums.get(workload.name),
      podMaxUsedBytes: figures?.podMaxUsedBytes,
      limitBytes: figures?.limitBytes,
      requestBytes: figures?.requestBytes,
    };
  }
}

function noBytes(): Sums {
  return { rootfs: 0, logs: 0, emptydir: 0, configmap: 0, gitrepo: 0, other: 0 };
}
