import { addKnown, addWhole } from '../../lib/base/maps.js';
import { type Workload, workloadKey } from './workload.js';
import type { WorkloadContainerUsage, WorkloadPartial, WorkloadPartials } from './workload-partial.js';

/** Adds partials up: those of nodes to those of the cluster. Neither order nor grouping matters. */
export class Accumulator {
  /** A partial alone is its own sum. */
  readonly #sums = new Map<string, WorkloadPartial | Sums>();

  addAll(partials: WorkloadPartials): void {
    for (const [key, partial] of partials) this.#add(key, partial);
  }

  add(partial: WorkloadPartial): void {
    this.#add(workloadKey(partial.workload), partial);
  }

  #add(key: string, partial: WorkloadPartial): void {
    const known = this.#sums.get(key);
    if (known === undefined) this.#sums.set(key, partial);
    else if (known instanceof Sums) known.add(partial);
    else this.#sums.set(key, new Sums(known).add(partial));
  }

  partials(): WorkloadPartials {
    return new Map(this.entries());
  }

  /** Each partial is created when the iterator reaches it. */
  *entries(): Iterable<[key: string, partial: WorkloadPartial]> {
    for (const [key, sums] of this.#sums) yield [key, sums instanceof Sums ? sums.toPartial() : sums];
  }
}

class Sums {
  readonly #workload: Workload;
  readonly #containers = new Map<string, { usedBytes: number | undefined; maxUsedBytes: number | undefined }>();
  #usedBytes = 0;
  #podMaxUsedBytes: number | undefined;
  #limitBytes: number | undefined;
  #requestBytes: number | undefined;
  #expectedPods = 0;
  #measuredPods = 0;
  #pendingPods = 0;

  constructor(first: WorkloadPartial) {
    this.#workload = first.workload;
    this.add(first);
  }

  add({ usage, limitBytes, requestBytes, expectedPods, measuredPods, pendingPods }: WorkloadPartial): this {
    this.#usedBytes += usage.usedBytes;
    this.#podMaxUsedBytes = mostKnown(this.#podMaxUsedBytes, usage.podMaxUsedBytes);
    this.#limitBytes = addKnown(this.#limitBytes, limitBytes);
    this.#requestBytes = addKnown(this.#requestBytes, requestBytes);
    this.#expectedPods += expectedPods;
    this.#measuredPods += measuredPods;
    this.#pendingPods += pendingPods;
    for (const container of usage.containers) this.#addContainer(container);
    return this;
  }

  #addContainer({ container, usedBytes, maxUsedBytes }: WorkloadContainerUsage): void {
    const known = this.#containers.get(container);
    if (known === undefined) {
      this.#containers.set(container, { usedBytes, maxUsedBytes });
      return;
    }
    known.usedBytes = addWhole(known.usedBytes, usedBytes);
    known.maxUsedBytes = known.usedBytes === undefined ? undefined : mostKnown(known.maxUsedBytes, maxUsedBytes);
  }

  toPartial(): WorkloadPartial {
    return {
      workload: this.#workload,
      usage: {
        usedBytes: this.#usedBytes,
        podMaxUsedBytes: this.#podMaxUsedBytes,
        containers: Array.from(this.#containers, ([container, bytes]) => ({ container, ...bytes })),
      },
      limitBytes: this.#limitBytes,
      requestBytes: this.#requestBytes,
      expectedPods: this.#expectedPods,
      measuredPods: this.#measuredPods,
      pendingPods: this.#pendingPods,
    };
  }
}

/** The larger of what is known; undefined when neither is. */
function mostKnown(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined) return b;
  return b === undefined ? a : Math.max(a, b);
}
