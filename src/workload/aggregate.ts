import {
  noFigures,
  type WorkloadContainerFigures,
  type WorkloadFigures,
  type WorkloadPartial,
  type WorkloadPartials,
} from './figures.js';
import { type Workload, workloadKey } from './workload.js';

/** What a pod's usage must have to be added up. */
interface SummedUsage {
  readonly usedBytes: number;
  /** Each name once. */
  readonly containers: readonly { readonly name: string; readonly usedBytes: number }[];
  readonly volumesPending: boolean;
}

/** A pod with data. */
export interface SummedPod {
  readonly workloads: readonly Workload[];
  readonly usage: SummedUsage;
  readonly limitBytes: number | undefined;
  readonly requestBytes: number | undefined;
}

/** A pod that its node's summary must have. */
export interface ExpectedPod {
  readonly workloads: readonly Workload[];
  readonly isMeasured: boolean;
}

/** The sums over pods with data, expected or not. */
export function sumPods(pods: Iterable<SummedPod>): WorkloadPartials {
  const accumulator = new Accumulator();
  for (const { workloads, usage, limitBytes, requestBytes } of pods) {
    const figures: WorkloadFigures = {
      usedBytes: usage.usedBytes,
      podMaxUsedBytes: usage.usedBytes,
      limitBytes,
      requestBytes,
      containers: usage.containers.map(({ name, usedBytes }) => ({
        container: name,
        usedBytes,
        maxUsedBytes: usedBytes,
      })),
    };
    const pendingPods = usage.volumesPending ? 1 : 0;
    for (const workload of workloads) {
      accumulator.add({ workload, figures, expectedPods: 0, measuredPods: 0, pendingPods });
    }
  }
  return accumulator.partials();
}

/** The counts of pods that summaries must have, with data or not. */
export function countExpected(pods: Iterable<ExpectedPod>): WorkloadPartials {
  const accumulator = new Accumulator();
  for (const { workloads, isMeasured } of pods) {
    const measuredPods = isMeasured ? 1 : 0;
    for (const workload of workloads) {
      accumulator.add({ workload, figures: noFigures, expectedPods: 1, measuredPods, pendingPods: 0 });
    }
  }
  return accumulator.partials();
}

/** The sums of sums: of the nodes' partials those of the cluster. Neither order nor grouping matters. */
export class Accumulator {
  readonly #sums = new Map<string, Sums>();

  addAll(partials: WorkloadPartials): void {
    for (const [key, partial] of partials) this.#add(key, partial);
  }

  add(partial: WorkloadPartial): void {
    this.#add(workloadKey(partial.workload), partial);
  }

  #add(key: string, partial: WorkloadPartial): void {
    let sums = this.#sums.get(key);
    if (sums === undefined) {
      sums = new Sums(partial.workload);
      this.#sums.set(key, sums);
    }
    sums.add(partial);
  }

  partials(): WorkloadPartials {
    return new Map(this.entries());
  }

  /** Each is put together when it is asked for. */
  *entries(): Iterable<[key: string, partial: WorkloadPartial]> {
    for (const [key, sums] of this.#sums) yield [key, sums.toPartial()];
  }
}

class Sums {
  readonly #workload: Workload;
  readonly #containers = new Map<string, { usedBytes: number; maxUsedBytes: number }>();
  #usedBytes = 0;
  #podMaxUsedBytes: number | undefined;
  #limitBytes: number | undefined;
  #requestBytes: number | undefined;
  #expectedPods = 0;
  #measuredPods = 0;
  #pendingPods = 0;

  constructor(workload: Workload) {
    this.#workload = workload;
  }

  add({ figures, expectedPods, measuredPods, pendingPods }: WorkloadPartial): void {
    this.#usedBytes += figures.usedBytes;
    this.#podMaxUsedBytes = ofKnown(Math.max, this.#podMaxUsedBytes, figures.podMaxUsedBytes);
    this.#limitBytes = ofKnown(sum, this.#limitBytes, figures.limitBytes);
    this.#requestBytes = ofKnown(sum, this.#requestBytes, figures.requestBytes);
    this.#expectedPods += expectedPods;
    this.#measuredPods += measuredPods;
    this.#pendingPods += pendingPods;
    for (const container of figures.containers) this.#addContainer(container);
  }

  #addContainer({ container, usedBytes, maxUsedBytes }: WorkloadContainerFigures): void {
    const known = this.#containers.get(container);
    if (known === undefined) {
      this.#containers.set(container, { usedBytes, maxUsedBytes });
      return;
    }
    known.usedBytes += usedBytes;
    known.maxUsedBytes = Math.max(known.maxUsedBytes, maxUsedBytes);
  }

  toPartial(): WorkloadPartial {
    return {
      workload: this.#workload,
      figures: {
        usedBytes: this.#usedBytes,
        podMaxUsedBytes: this.#podMaxUsedBytes,
        limitBytes: this.#limitBytes,
        requestBytes: this.#requestBytes,
        containers: Array.from(this.#containers, ([container, bytes]) => ({ container, ...bytes })),
      },
      expectedPods: this.#expectedPods,
      measuredPods: this.#measuredPods,
      pendingPods: this.#pendingPods,
    };
  }
}

type Combine = (a: number, b: number) => number;

const sum: Combine = (a, b) => a + b;

/** Undefined when both are, the known one when one is. */
function ofKnown(combine: Combine, a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined) return b;
  return b === undefined ? a : combine(a, b);
}
