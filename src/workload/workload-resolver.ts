import type { Pod } from '../kube/objects.js';
import { controllerOf } from './controller.js';
import { LabelWorkloads, type WorkloadDefinition } from './label-workloads.js';
import type { Workload } from './workload.js';

export interface WorkloadResolverOptions {
  /** Configured workloads; names are unique. */
  readonly selectors: readonly WorkloadDefinition[];
  /** Label keys: one workload for every distinct tuple of values among pods that carry all of them. */
  readonly labels: readonly string[];
  /** One workload per controlling owner. */
  readonly controllers: boolean;
}

/**
 * Which workloads a pod belongs to. Names are unique over all sources, and a workload is one object as long as it is
 * in use. A discovered workload whose name is taken is not served: bytes of different things must not mix.
 */
export class WorkloadResolver {
  readonly #labels: LabelWorkloads;
  readonly #hasControllers: boolean;
  readonly #controllers = new Map<string, Workload>();
  readonly #clashes = new Set<string>();

  constructor({ selectors, labels, controllers }: WorkloadResolverOptions) {
    this.#labels = new LabelWorkloads({ definitions: selectors, keys: labels });
    this.#hasControllers = controllers;
  }

  /** Also those that no pod matches, in the order of the settings. */
  configured(): readonly Workload[] {
    return this.#labels.configured;
  }

  /** Discovered workloads that lost their name to a configured one, or to another that was there first. */
  get clashCount(): number {
    return this.#labels.clashCount + this.#clashes.size;
  }

  /** For a pod that the API server does not know, `pod` is undefined and the namespace is the summary's. */
  workloadsOf(pod: Pod): readonly Workload[];
  workloadsOf(pod: Pod | undefined, namespace: string): readonly Workload[];
  workloadsOf(pod: Pod | undefined, namespace = ''): readonly Workload[] {
    if (pod === undefined) return this.#labels.ofUnknown(namespace);
    const workloads = this.#labels.of(pod);
    if (!this.#hasControllers) return workloads;
    const ofController = this.#ofController(pod);
    return ofController === undefined ? workloads : [...workloads, ofController];
  }

  /** Forgets the discovered workloads that are not among `names`; to be called with those in use, once in a while. */
  retain(names: ReadonlySet<string>): void {
    this.#labels.retain(names);
    for (const name of this.#controllers.keys()) {
      if (!names.has(name)) this.#controllers.delete(name);
    }
  }

  #ofController(pod: Pod): Workload | undefined {
    const { namespace } = pod;
    const controller = controllerOf(pod);
    const name = `${namespace}/${controller.kind}/${controller.name}`;
    if (this.#labels.isConfigured(name)) {
      this.#clashes.add(name);
      return undefined;
    }
    const workload = this.#controllers.get(name) ?? { name, origin: { source: 'controller', namespace, controller } };
    this.#controllers.set(name, workload);
    return workload;
  }
}
