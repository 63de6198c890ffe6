import { isActive } from '../../facts/node/limits.js';
import type { BoundPod } from '../../facts/node/node-objects.js';
import type { NodeSnapshot } from '../../facts/node/node-view.js';
import type { PodRecord } from '../../facts/node/pod-record.js';
import { getOrAdd } from '../../lib/base/maps.js';

type SnapshotParts = Pick<NodeSnapshot, 'pods' | 'podsWithoutTotal' | 'listedPods' | 'measuredPodUids'>;

/** Looks up what lists ask of the pods of a snapshot. Each thing is derived when it is first asked for. */
export class SnapshotPods {
  /** Those that are listed: all that have figures, but for strangers without a total. */
  readonly all: readonly PodRecord[];
  readonly #snapshot: SnapshotParts;
  /** Of the last call. */
  #bound: readonly BoundPod[] = [];
  #others: readonly BoundPod[] = [];
  #names: PodNames | undefined;
  readonly #first = new Map<string, PodRecord | undefined>();
  readonly #partValues = new Map<string, PartValues>();

  constructor(snapshot: SnapshotParts) {
    this.#snapshot = snapshot;
    const { pods, podsWithoutTotal } = snapshot;
    const known = podsWithoutTotal.filter(({ bound }) => bound !== undefined && isActive(bound.pod));
    this.all = known.length === 0 ? pods : [...pods, ...known];
  }

  /** Returns the pods of the node, `bound`, that are not among those of the snapshot and have not ended. */
  othersOf(bound: readonly BoundPod[]): readonly BoundPod[] {
    if (this.#bound !== bound) {
      const shown = this.#shownUids();
      this.#bound = bound;
      this.#others = bound.filter(({ pod }) => isActive(pod) && !shown.has(pod.uid));
    }
    return this.#others;
  }

  #shownUids(): ReadonlySet<string | undefined> {
    const { pods, listedPods, measuredPodUids } = this.#snapshot;
    return pods.length === listedPods.length ? measuredPodUids : new Set(this.all.map(({ bound }) => bound?.pod.uid));
  }

  /** Returns how many of its pods have each of the words, in lower case, in their namespace and name. */
  matchCount(words: readonly string[]): number {
    return words.length === 0 ? this.all.length : (this.#names ??= new PodNames(this.all)).matchCount(words);
  }

  /** Returns the first of its pods in an order; the one that was found before, of an order of the same name. */
  first(order: string, compare: (a: PodRecord, b: PodRecord) => number): PodRecord | undefined {
    return getOrAdd(this.#first, order, () =>
      this.all.reduce<PodRecord | undefined>(
        (first, pod) => (first === undefined || compare(pod, first) < 0 ? pod : first),
        undefined,
      ),
    );
  }

  /** Returns a value for each part of its pods; those that were found before, of the same name. */
  partValues(name: string, valuesOf: (pod: PodRecord) => readonly (number | undefined)[]): PartValues {
    return getOrAdd(this.#partValues, name, () => {
      const values = this.all.map(valuesOf);
      let end = 0;
      return {
        values: Float64Array.from(values.flat(), (value) => value ?? -1),
        ends: Uint32Array.from(values, ({ length }) => (end += length)),
      };
    });
  }
}

/** Of the parts of pods, pod by pod. In a few bytes for each: a cluster has hundreds of thousands. */
export interface PartValues {
  /** Below 0 without one. */
  readonly values: Float64Array;
  /** Where those of each pod end. */
  readonly ends: Uint32Array;
}

/** The names of pods in one text: to look there takes a part of the time that the pods themselves take. */
class PodNames {
  readonly #text: string;
  /** Where the names of each pod end. */
  readonly #ends: Uint32Array;

  constructor(pods: readonly PodRecord[]) {
    const names = pods.map(({ summary: { namespace, name } }) => `${namespace}/${name}`.toLowerCase());
    let end = -1;
    this.#ends = Uint32Array.from(names, ({ length }) => (end += 1 + length));
    this.#text = names.join('\n'); // in no word
  }

  matchCount(words: readonly string[]): number {
    const [word = '', ...others] = words;
    if (others.some((other) => !this.#text.includes(other))) return 0;
    let count = 0;
    let index = 0;
    for (let at = this.#text.indexOf(word); at >= 0;) {
      while ((this.#ends[index] ?? Infinity) <= at) index += 1;
      const end = this.#ends[index] ?? this.#text.length;
      if (others.length === 0 || this.#hasAll(others, this.#ends[index - 1] ?? 0, end)) count += 1;
      at = this.#text.indexOf(word, end);
    }
    return count;
  }

  #hasAll(words: readonly string[], start: number, end: number): boolean {
    const names = this.#text.slice(start, end);
    return words.every((word) => names.includes(word));
  }
}
