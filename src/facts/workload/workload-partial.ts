import { addKnown, addWhole } from '../../lib/base/maps.js';
import { type Workload, workloadKey } from './workload.js';

/** The usage of a workload's measured pods. Sums are exact up to 2^53, beyond that rounded. */
export interface WorkloadUsage {
  readonly usedBytes: number;
  /** Undefined without measured pods. */
  readonly podMaxUsedBytes: number | undefined;
  readonly containers: readonly WorkloadContainerUsage[];
}

export interface WorkloadContainerUsage {
  readonly container: string;
  /** Undefined where that of one of them is unknown. */
  readonly usedBytes: number | undefined;
  readonly maxUsedBytes: number | undefined;
}

/** The part of a workload that some of its pods make up, those of one node for example. Immutable. */
export interface WorkloadPartial {
  readonly workload: Workload;
  readonly usage: WorkloadUsage;
  /** Sums over all pods that declare one, measured or not; undefined where none does. */
  readonly limitBytes: number | undefined;
  readonly requestBytes: number | undefined;
  /** Pods that summaries must list, and measured ones that are younger. */
  readonly expectedPods: number;
  /** Pods whose usage is in the sums. */
  readonly measuredPods: number;
  /** Measured pods whose volumes the kubelet has not measured yet. */
  readonly pendingPods: number;
}

/** By the workload's key. */
export type WorkloadPartials = ReadonlyMap<string, WorkloadPartial>;

/** A node's part of the workloads. */
export interface NodePart {
  readonly nodeName: string;
  readonly hasData: boolean;
  /** False when it has left the cluster and its pods have not. */
  readonly isInCluster: boolean;
  /** The same object as long as nothing in it changes. */
  readonly workloads: WorkloadPartials;
}

export interface WorkloadSnapshot extends Omit<WorkloadPartial, 'usage' | 'pendingPods'> {
  /** Expected pods on nodes of the cluster without data. */
  readonly podsOnAbsentNodes: number;
  readonly complete: boolean;
  /** It may have pods in namespaces whose pods are not known: it is not complete. */
  readonly mayHaveUnlistedPods: boolean;
  /** Time until the workload is collected again, in milliseconds; 0 when it is not backing off. */
  readonly backoffMs: number;
  /** Undefined when the collection failed or the workload is backing off. */
  readonly usage: WorkloadUsage | undefined;
}

/** A workload without pods. */
export function emptyPartial(workload: Workload): WorkloadPartial {
  return {
    workload,
    usage: noUsage,
    limitBytes: undefined,
    requestBytes: undefined,
    expectedPods: 0,
    measuredPods: 0,
    pendingPods: 0,
  };
}

/** The usage of no pod. */
export const noUsage: WorkloadUsage = { usedBytes: 0, podMaxUsedBytes: undefined, containers: [] };

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
  /** Without the containers. */
  readonly #total: { -readonly [K in keyof WorkloadPartial]: WorkloadPartial[K] };
  readonly #containers = new Map<string, { usedBytes: number | undefined; maxUsedBytes: number | undefined }>();

  constructor(first: WorkloadPartial) {
    this.#total = { ...first };
    for (const container of first.usage.containers) this.#addContainer(container);
  }

  add({ usage, limitBytes, requestBytes, expectedPods, measuredPods, pendingPods }: WorkloadPartial): this {
    const total = this.#total;
    const podMaxUsedBytes = mostKnown(total.usage.podMaxUsedBytes, usage.podMaxUsedBytes);
    total.usage = { usedBytes: total.usage.usedBytes + usage.usedBytes, podMaxUsedBytes, containers: [] };
    total.limitBytes = addKnown(total.limitBytes, limitBytes);
    total.requestBytes = addKnown(total.requestBytes, requestBytes);
    total.expectedPods += expectedPods;
    total.measuredPods += measuredPods;
    total.pendingPods += pendingPods;
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
    const containers = Array.from(this.#containers, ([container, bytes]) => ({ container, ...bytes }));
    return { ...this.#total, usage: { ...this.#total.usage, containers } };
  }
}

/** The larger of what is known; undefined when neither is. */
function mostKnown(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined) return b;
  return b === undefined ? a : Math.max(a, b);
}
