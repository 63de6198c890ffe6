import type { Labels, Pod } from '../../cluster/kube/objects.js';
import { matchesSelector } from '../../cluster/kube/selector.js';
import { getOrAdd } from '../../lib/base/maps.js';
import { type Workload, type WorkloadDefinition, workloadKey } from './workload.js';

/** Bounds the memory of the memoized results, about 200 bytes each; a cluster has far fewer different label sets. */
const maxMemoizedCount = 65_536;

/**
 * Workloads that depend on nothing but a pod's namespace and labels: the configured ones, and those discovered from
 * label values. Results are memoized per namespace and set of the labels that any of them uses: tens of thousands of
 * pods share a few label sets.
 */
export class LabelWorkloads {
  readonly configured: readonly Workload[];
  readonly #definitions: readonly (WorkloadDefinition & { readonly workload: Workload })[];
  readonly #configuredNames: ReadonlySet<string>;
  readonly #keys: readonly string[];
  readonly #nextNumber: () => number;
  readonly #relevantKeys: ReadonlySet<string>;
  /** By name. `tuple`: the values in the order of the keys, in a form that no two tuples share. */
  readonly #discovered = new Map<
    string,
    { readonly tuple: string; readonly workload: Workload; readonly number: number }
  >();
  readonly #memoized = new Map<string, readonly Workload[]>();
  /** Tuples. */
  readonly #clashes = new Set<string>();
  #generation = 0;

  constructor({
    definitions,
    keys,
    nextNumber,
  }: {
    /** Names are unique. */
    readonly definitions: readonly WorkloadDefinition[];
    /** Label keys whose values form workloads; empty: none are discovered. */
    readonly keys: readonly string[];
    /** Above that of all workloads discovered before. */
    readonly nextNumber: () => number;
  }) {
    this.#definitions = definitions.map((definition) => ({
      ...definition,
      workload: { namespace: '', name: definition.name, type: 'selector', origin: { source: 'configured' } },
    }));
    this.configured = this.#definitions.map(({ workload }) => workload);
    this.#configuredNames = new Set(definitions.map(({ name }) => name));
    this.#keys = keys;
    this.#nextNumber = nextNumber;
    this.#relevantKeys = new Set([...definitions.flatMap(({ selector }) => selector.map(({ key }) => key)), ...keys]);
  }

  /** Tuples whose name belongs to a configured workload or to another tuple, since names last became free. */
  get clashCount(): number {
    return this.#clashes.size;
  }

  /** Another number once names have become free that other tuples may have asked for. */
  get generation(): number {
    return this.#generation;
  }

  of({ namespace, labels }: Pick<Pod, 'namespace' | 'labels'>): readonly Workload[] {
    const memoKey = this.#memoKeyOf(namespace, labels);
    const known = this.#memoized.get(memoKey);
    if (known !== undefined) return known;
    if (this.#memoized.size >= maxMemoizedCount) this.#memoized.clear();
    const workloads = [...this.#matching(namespace, labels), ...this.#discover(labels)];
    this.#memoized.set(memoKey, workloads);
    return workloads;
  }

  /** Of a pod whose labels are unknown: it only matches the empty selector, so that no unknown label counts as absent. */
  ofUnknown(namespace: string): readonly Workload[] {
    return this.#definitions
      .filter((definition) => definition.selector.length === 0 && coversNamespace(definition, namespace))
      .map(({ workload }) => workload);
  }

  /** Whether a pod in the namespace could belong to the workload; to a discovered one, pods of all namespaces can. */
  mayHavePodsIn(workload: Workload, namespace: string): boolean {
    const definition = this.#definitions.find((configured) => configured.workload === workload);
    return definition === undefined || coversNamespace(definition, namespace);
  }

  /** Forgets the discovered workloads up to this number whose keys are not among `keys`. */
  retain(keys: ReadonlySet<string>, lastNumber: number): void {
    const countBefore = this.#discovered.size;
    for (const { workload, number } of this.#discovered.values()) {
      if (number <= lastNumber && !keys.has(workloadKey(workload))) this.#discovered.delete(workload.name);
    }
    if (this.#discovered.size === countBefore) return;
    this.#memoized.clear();
    if (this.#clashes.size === 0) return; // what is kept of other pods stays right
    this.#clashes.clear();
    this.#generation += 1;
  }

  #memoKeyOf(namespace: string, labels: Labels): string {
    let memoKey = namespace;
    for (const key of Object.keys(labels)) {
      if (this.#relevantKeys.has(key)) memoKey += `\0${key}\0${labels[key] ?? ''}`;
    }
    return memoKey;
  }

  #matching(namespace: string, labels: Labels): Workload[] {
    return this.#definitions
      .filter((definition) => coversNamespace(definition, namespace) && matchesSelector(definition.selector, labels))
      .map(({ workload }) => workload);
  }

  #discover(labels: Labels): readonly Workload[] {
    const values = this.#keys.flatMap((key) => (Object.hasOwn(labels, key) ? [labels[key] ?? ''] : []));
    if (this.#keys.length === 0 || values.length < this.#keys.length) return [];
    const name = values.join('--');
    return name === '' ? [] : this.#named(name, values); // to Prometheus, a workload without a name is none
  }

  /** The first tuple that asks for a name has it as long as there are pods of it. */
  #named(name: string, values: readonly string[]): readonly Workload[] {
    const tuple = values.join('\0');
    if (this.#configuredNames.has(name) || (this.#discovered.get(name)?.tuple ?? tuple) !== tuple) {
      this.#clashes.add(tuple);
      return [];
    }
    const create = () => ({ tuple, workload: this.#workloadOf(name, values), number: this.#nextNumber() });
    return [getOrAdd(this.#discovered, name, create).workload];
  }

  #workloadOf(name: string, values: readonly string[]): Workload {
    const labels = Object.fromEntries(this.#keys.map((key, position) => [key, values[position] ?? '']));
    return { namespace: '', name, type: 'labels', origin: { source: 'labels', labels } };
  }
}

function coversNamespace({ namespaces }: WorkloadDefinition, namespace: string): boolean {
  return namespaces.length === 0 || namespaces.includes(namespace);
}
