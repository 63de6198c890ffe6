import { hasEnded, type Labels, type Pod } from '../../cluster/kube/objects.js';
import { type LabelSelector, matchesSelector } from '../../cluster/kube/selector.js';
import { type Workload, workloadKey } from './workload.js';

export interface WorkloadDefinition {
  readonly name: string;
  /** Empty: every pod. */
  readonly selector: LabelSelector;
  /** Empty: all. */
  readonly namespaces: readonly string[];
}

interface DiscoveredTuple {
  /** The values in the order of the keys, in a form that no two tuples share. */
  readonly tuple: string;
  readonly workload: Workload;
  readonly number: number;
  /** Without one, it gives its name up to a tuple that has one. */
  hasRunningPod: boolean;
}

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
  readonly #discovered = new Map<string, DiscoveredTuple>();
  readonly #memoized = new Map<string, readonly Workload[]>();
  /** By tuple: the name that it asked for. */
  readonly #clashes = new Map<string, string>();
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

  of(pod: Pod): readonly Workload[] {
    const { namespace, labels } = pod;
    const isRunning = !hasEnded(pod);
    const memoKey = this.#memoKeyOf(isRunning ? namespace : `\0${namespace}`, labels);
    const known = this.#memoized.get(memoKey);
    if (known !== undefined) return known;
    if (this.#memoized.size >= maxMemoizedCount) this.#memoized.clear();
    const workloads = [...this.#matching(namespace, labels), ...this.#discover(labels, isRunning)];
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

  /**
   * Forgets the discovered workloads up to this number whose keys are neither among `keys` nor among `endedKeys`: of workloads
   * that may have ended pods alone.
   */
  retain(keys: ReadonlySet<string>, endedKeys: ReadonlySet<string>, lastNumber: number): void {
    const askedNames = new Set(this.#clashes.values());
    let isFree = false;
    for (const tuple of this.#discovered.values()) {
      const { workload, number, hasRunningPod } = tuple;
      const key = workloadKey(workload);
      const isGone = !endedKeys.has(key);
      if (number > lastNumber || keys.has(key) || (!isGone && !hasRunningPod)) continue;
      tuple.hasRunningPod = false;
      if (isGone) this.#discovered.delete(workload.name);
      this.#memoized.clear();
      isFree ||= isGone ? askedNames.size > 0 : askedNames.has(workload.name);
    }
    if (!isFree) return; // what is kept of other pods stays right
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

  #discover(labels: Labels, isRunning: boolean): readonly Workload[] {
    const values = this.#keys.flatMap((key) => (Object.hasOwn(labels, key) ? [labels[key] ?? ''] : []));
    if (this.#keys.length === 0 || values.length < this.#keys.length) return [];
    const name = values.join('--');
    return name === '' ? [] : this.#named(name, values, isRunning); // to Prometheus, a workload without a name is none
  }

  #named(name: string, values: readonly string[], isRunning: boolean): readonly Workload[] {
    const tuple = values.join('\0');
    const known = this.#discovered.get(name);
    const isOther = known !== undefined && known.tuple !== tuple;
    if (this.#configuredNames.has(name) || (isOther && (known.hasRunningPod || !isRunning))) {
      this.#clashes.set(tuple, name);
      return [];
    }
    if (isOther) this.#giveUp(tuple);
    const holder = isOther || known === undefined ? this.#register(tuple, this.#workloadOf(name, values)) : known;
    holder.hasRunningPod ||= isRunning;
    return [holder.workload];
  }

  /** The pods of the former holder, which have ended, ask again; those of the tuple have the name from now on. */
  #giveUp(tuple: string): void {
    this.#memoized.clear();
    this.#clashes.delete(tuple);
    this.#generation += 1;
  }

  #register(tuple: string, workload: Workload): DiscoveredTuple {
    const discovered = { tuple, workload, number: this.#nextNumber(), hasRunningPod: false };
    this.#discovered.set(workload.name, discovered);
    return discovered;
  }

  #workloadOf(name: string, values: readonly string[]): Workload {
    const labels = Object.fromEntries(this.#keys.map((key, position) => [key, values[position] ?? '']));
    return { namespace: '', name, type: 'labels', origin: { source: 'labels', labels } };
  }
}

function coversNamespace({ namespaces }: WorkloadDefinition, namespace: string): boolean {
  return namespaces.length === 0 || namespaces.includes(namespace);
}
