import type { Labels, Pod } from '../../cluster/kube/objects.js';
import { matchesSelector } from '../../cluster/kube/selector.js';
import { getOrAdd } from '../../lib/base/maps.js';
import { controllerOf, controllerType } from './controller.js';
import { type Workload, type WorkloadDefinition, workloadKey } from './workload.js';

/** Bounds the memory of the memoized results, about 200 bytes each; a cluster has far fewer different label sets. */
const maxMemoizedCount = 65_536;

/**
 * Which workloads a pod belongs to. A workload is one object as long as it is in use. Those that depend on nothing but a pod's
 * namespace and labels, the configured ones and those of label values, are memoized per namespace and set of the labels that
 * any of them uses: tens of thousands of pods share a few label sets.
 */
export class WorkloadResolver {
  /** Also those that no pod matches, in the order of the settings. */
  readonly configured: readonly Workload[];
  readonly #definitions: readonly (WorkloadDefinition & { readonly workload: Workload })[];
  readonly #configuredNames: ReadonlySet<string>;
  readonly #keys: readonly string[];
  readonly #hasControllers: boolean;
  readonly #relevantKeys: ReadonlySet<string>;
  /**
   * By key. Each number is above those of all that were discovered before; `tuple`: the label values in the order of the keys, in
   * a form that no two tuples share; undefined for that of a controller.
   */
  readonly #discovered = new Map<string, { workload: Workload; number: number; tuple: string | undefined }>();
  #discoveredCount = 0;
  readonly #memoized = new Map<string, readonly Workload[]>();
  /** Tuples. */
  readonly #clashes = new Set<string>();
  #generation = 0;

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
    this.#definitions = selectors.map((definition) => ({
      ...definition,
      workload: { namespace: '', name: definition.name, type: 'selector', origin: { source: 'configured' } },
    }));
    this.configured = this.#definitions.map(({ workload }) => workload);
    this.#configuredNames = new Set(selectors.map(({ name }) => name));
    this.#keys = labels;
    this.#hasControllers = controllers;
    this.#relevantKeys = new Set([...selectors.flatMap(({ selector }) => selector.map(({ key }) => key)), ...labels]);
  }

  /** How many workloads were ever discovered, each time that they were. */
  get discoveredCount(): number {
    return this.#discoveredCount;
  }

  /** Another number once a pod may belong to other workloads than before, although it has not changed: names have become free. */
  get generation(): number {
    return this.#generation;
  }

  /** Tuples of label values without a workload, as a configured one or another tuple has their name, since names last became free. */
  get clashCount(): number {
    return this.#clashes.size;
  }

  /** The more specific, the later: configured ones, that of the label keys, that of the controller. */
  workloadsOf(pod: Pod): readonly Workload[] {
    const workloads = this.#ofLabels(pod);
    if (!this.#hasControllers) return workloads;
    const controller = this.#ofController(pod);
    return workloads.length === 0 ? [controller] : [...workloads, controller]; // kept for each pod: a spread leaves room for 16 more
  }

  /** Of a pod whose labels are unknown: it only matches the empty selector, so that no unknown label counts as absent. */
  ofUnknown(namespace: string): readonly Workload[] {
    return this.#definitions
      .filter((definition) => definition.selector.length === 0 && coversNamespace(definition, namespace))
      .map(({ workload }) => workload);
  }

  /** Whether pods in one of the namespaces could belong to the workload; to that of label values, those of all namespaces can. */
  mayHavePodsIn(workload: Workload, namespaces: readonly string[]): boolean {
    if (workload.origin.source === 'controller') return namespaces.includes(workload.namespace);
    const definition = this.#definitions.find((configured) => configured.workload === workload);
    return namespaces.some((namespace) => definition === undefined || coversNamespace(definition, namespace));
  }

  /**
   * Forgets the discovered workloads whose keys are not among `keys`; to be called with those in use, once in a while.
   * `discoveredCount`: what it was when the search for those in use began. Workloads discovered since are kept.
   */
  retain(keys: ReadonlySet<string>, discoveredCount: number): void {
    let isNameFree = false;
    for (const [key, { number, tuple }] of this.#discovered) {
      if (number > discoveredCount || keys.has(key)) continue;
      this.#discovered.delete(key);
      isNameFree ||= tuple !== undefined;
    }
    if (!isNameFree) return;
    this.#memoized.clear();
    if (this.#clashes.size === 0) return; // what is kept of other pods stays right
    this.#clashes.clear();
    this.#generation += 1;
  }

  #ofLabels({ namespace, labels }: Pod): readonly Workload[] {
    const memoKey = this.#memoKeyOf(namespace, labels);
    const known = this.#memoized.get(memoKey);
    if (known !== undefined) return known;
    if (this.#memoized.size >= maxMemoizedCount) this.#memoized.clear();
    const workloads = [...this.#matching(namespace, labels), ...this.#ofValues(labels)];
    this.#memoized.set(memoKey, workloads);
    return workloads;
  }

  #memoKeyOf(namespace: string, labels: Labels): string {
    let memoKey = namespace;
    for (const key of Object.keys(labels)) {
      if (this.#relevantKeys.has(key)) memoKey += `\0${key}\0${labels[key] ?? ''}`;
    }
    return memoKey;
  }

  #matching(namespace: string, labels: Labels): readonly Workload[] {
    return this.#definitions
      .filter((definition) => coversNamespace(definition, namespace) && matchesSelector(definition.selector, labels))
      .map(({ workload }) => workload);
  }

  /** The first tuple that asks for a name has it as long as there are pods of it. */
  #ofValues(labels: Labels): readonly Workload[] {
    const keys = this.#keys.filter((key) => Object.hasOwn(labels, key));
    const values = keys.map((key) => labels[key] ?? '');
    const name = values.join('--');
    if (keys.length < this.#keys.length || name === '') return []; // to Prometheus, a workload without a name is none
    const tuple = values.join('\0');
    const origin = {
      source: 'labels',
      labels: Object.fromEntries(keys.map((key) => [key, labels[key] ?? ''])),
    } as const;
    const workload: Workload = { namespace: '', name, type: 'labels', origin };
    const discovered = this.#configuredNames.has(name) ? undefined : this.#discover(workload, tuple);
    if (discovered?.tuple === tuple) return [discovered.workload];
    this.#clashes.add(tuple);
    return [];
  }

  #ofController(pod: Pod): Workload {
    const { kind, name } = controllerOf(pod);
    const origin = { source: 'controller', kind } as const;
    return this.#discover({ namespace: pod.namespace, name, type: controllerType(kind), origin }).workload;
  }

  /** Returns the one that has the key already. */
  #discover(workload: Workload, tuple?: string) {
    return getOrAdd(this.#discovered, workloadKey(workload), () => {
      this.#discoveredCount += 1;
      return { workload, number: this.#discoveredCount, tuple };
    });
  }
}

function coversNamespace({ namespaces }: WorkloadDefinition, namespace: string): boolean {
  return namespaces.length === 0 || namespaces.includes(namespace);
}
