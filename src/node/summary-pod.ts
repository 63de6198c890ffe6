import type { Pod } from '../kube/objects.js';
import type { PodSummary } from '../kubelet/summary.js';
import type { Workload } from '../workload/workload.js';
import { attributePod } from './attribute.js';
import { enforcedRatios, type Enforcement } from './enforced-ratios.js';
import type { LimitRatio } from './limit-ratios.js';
import { isActive } from './limits.js';
import type { BoundPod, ListedPod } from './node-state.js';
import { foldUnknown } from './unknown-items.js';
import type { AttributionMode, PodUsage } from './usage.js';

/** What is the same for all pods of a node. */
export interface PodCircumstances {
  readonly attribution: AttributionMode;
  readonly enforcement: Enforcement;
}

export interface SummaryPodInput {
  readonly summary: PodSummary;
  /** Undefined for a pod that the API server does not know; `workloads` are those of its namespace then. */
  readonly bound: BoundPod | undefined;
  readonly workloads: readonly Workload[];
  readonly isNameless: boolean;
}

interface Derived {
  readonly usage: PodUsage | undefined;
  readonly ratios: readonly LimitRatio[];
}

/**
 * A pod of a summary. Its usage and ratios take three times the memory of all else: they are kept until `release`, and from
 * then on derived again when they are read, and kept as long as memory allows.
 *
 * Not to be spread, which would lose what is derived: {@link withUsage} copies it.
 */
export class SummaryPod implements ListedPod {
  readonly summary: PodSummary;
  readonly workloads: readonly Workload[];
  readonly isNameless: boolean;
  readonly #bound: BoundPod | undefined;
  readonly #circumstances: PodCircumstances;
  #derived: Derived | WeakRef<Derived> | undefined;

  constructor({ summary, bound, workloads, isNameless }: SummaryPodInput, circumstances: PodCircumstances) {
    this.summary = summary;
    this.workloads = workloads;
    this.isNameless = isNameless;
    this.#bound = bound;
    this.#circumstances = circumstances;
    this.#derived = this.#derive();
  }

  get namespace(): string {
    return this.summary.namespace;
  }

  get name(): string {
    return this.summary.name;
  }

  get startTimeMs(): number | undefined {
    return this.summary.startTimeMs;
  }

  get pod(): Pod | undefined {
    return this.#bound?.pod;
  }

  get limitBytes(): number | undefined {
    return this.#bound?.limitBytes;
  }

  get requestBytes(): number | undefined {
    return this.#bound?.requestBytes;
  }

  get usage(): PodUsage | undefined {
    return this.#readDerived().usage;
  }

  get ratios(): readonly LimitRatio[] {
    return this.#readDerived().ratios;
  }

  release(): void {
    this.#derived = undefined;
  }

  #readDerived(): Derived {
    const known = this.#derived instanceof WeakRef ? this.#derived.deref() : this.#derived;
    if (known !== undefined) return known;
    const derived = this.#derive();
    this.#derived = new WeakRef(derived);
    return derived;
  }

  #derive(): Derived {
    const { summary, pod, isNameless } = this;
    const { attribution, enforcement } = this.#circumstances;
    const usage = attributePod({ summary, pod, mode: attribution });
    return {
      usage: usage && foldUnknown(usage, pod, isNameless ? 0 : undefined),
      ratios: pod === undefined || !isActive(pod) ? [] : enforcedRatios(summary, pod, enforcement),
    };
  }
}

/** The pod with another usage. */
export function withUsage<Usage extends PodUsage>(pod: ListedPod, usage: Usage): ListedPod & { readonly usage: Usage } {
  const { namespace, name, summary, startTimeMs, limitBytes, requestBytes, ratios, workloads, isNameless } = pod;
  const fromApi = { pod: pod.pod, limitBytes, requestBytes, workloads };
  return { namespace, name, summary, startTimeMs, ...fromApi, ratios, isNameless, usage };
}
