import type { Pod } from '../../cluster/kube/objects.js';
import { getOrAdd } from '../../lib/base/maps.js';
import { controllerOf, controllerType } from './controller.js';
import { LabelWorkloads } from './label-workloads.js';
import { type Workload, type WorkloadDefinition, workloadKey } from './workload.js';

/** Which workloads a pod belongs to. A workload is one object as long as it is in use. */
export class WorkloadResolver {
  readonly #labels: LabelWorkloads;
  readonly #hasControllers: boolean;
  /** By key; each number is above those of all that were discovered before. */
  readonly #controllers = new Map<string, { readonly workload: Workload; readonly number: number }>();
  #discoveredCount = 0;

  constructor({
    selectors,
    labels,
    controllers,
  }: {
    /** Configured workloads; names are unique. */
    readonly selectors: readonly WorkloadDefinition[];
    /** Label keys: one workload for every distinct tuple of values among pods that carry all of them. */
    readonly labels: readonly string[];
    /** One workload per controlling owner. */
    readonly controllers: boolean;
  }) {
    this.#labels = new LabelWorkloads({ definitions: selectors, keys: labels, nextNumber: this.#nextNumber });
    this.#hasControllers = controllers;
  }

  /** Also those that no pod matches, in the order of the settings. */
  configured(): readonly Workload[] {
    return this.#labels.configured;
  }

  /** How many workloads were ever discovered, each time that they were. */
  get discoveredCount(): number {
    return this.#discoveredCount;
  }

  /** Another number once a pod may belong to other workloads than before, although it has not changed. */
  get generation(): number {
    return this.#labels.generation;
  }

  /** Tuples of label values that form no workload, because a configured workload or another tuple has their name. */
  get clashCount(): number {
    return this.#labels.clashCount;
  }

  /**
   * The more specific, the later: configured ones, that of the label keys, that of the controller. For a pod that the API server
   * does not know, `pod` is undefined and the namespace is the summary's.
   */
  workloadsOf(pod: Pod): readonly Workload[];
  workloadsOf(pod: Pod | undefined, namespace: string): readonly Workload[];
  workloadsOf(pod: Pod | undefined, namespace = ''): readonly Workload[] {
    if (pod === undefined) return this.#labels.ofUnknown(namespace);
    const workloads = this.#labels.of(pod);
    if (!this.#hasControllers) return workloads;
    const controller = this.#ofController(pod);
    return workloads.length === 0 ? [controller] : [...workloads, controller]; // kept for each pod: a spread leaves room for 16 more
  }

  /** Whether pods in one of the namespaces could belong to the workload. */
  mayHavePodsIn(workload: Workload, namespaces: readonly string[]): boolean {
    if (workload.origin.source === 'controller') return namespaces.includes(workload.namespace);
    return namespaces.some((namespace) => this.#labels.mayHavePodsIn(workload, namespace));
  }

  /**
   * Forgets the discovered workloads whose keys are not among `keys`; to be called with those in use, once in a while.
   * `discoveredCount`: what it was when the search for those in use began. Workloads discovered since are kept.
   */
  retain(keys: ReadonlySet<string>, discoveredCount: number): void {
    this.#labels.retain(keys, discoveredCount);
    for (const [key, { number }] of this.#controllers) {
      if (number <= discoveredCount && !keys.has(key)) this.#controllers.delete(key);
    }
  }

  readonly #nextNumber = (): number => {
    this.#discoveredCount += 1;
    return this.#discoveredCount;
  };

  #ofController(pod: Pod): Workload {
    const { kind, name } = controllerOf(pod);
    const origin = { source: 'controller', kind } as const;
    const workload: Workload = { namespace: pod.namespace, name, type: controllerType(kind), origin };
    const key = workloadKey(workload);
    return getOrAdd(this.#controllers, key, () => ({ workload, number: this.#nextNumber() })).workload;
  }
}
