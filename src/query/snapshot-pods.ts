import { type LimitRatio, nearestRatio } from '../node/limit-ratios.js';
import { hasLimits, isActive } from '../node/limits.js';
import type { BoundPod } from '../node/node-objects.js';
import type { NodeSnapshot } from '../node/node-view.js';

/** Empty for a pod without a limit that the kubelet enforces. */
export type NearestLimit = Partial<Pick<LimitRatio, 'rule' | 'ratio'>>;

const noLimit: NearestLimit = {};

/** Looks up what lists ask of the pods of a snapshot. Each thing is derived when it is first asked for. */
export class SnapshotPods {
  readonly #snapshot: Pick<NodeSnapshot, 'pods' | 'context'>;
  /** By the position of the pod. */
  readonly #nearest: NearestLimit[] = [];
  /** Of the last call. */
  #bound: readonly BoundPod[] = [];
  #others: readonly BoundPod[] = [];
  #names: string | undefined;

  constructor(snapshot: Pick<NodeSnapshot, 'pods' | 'context'>) {
    this.#snapshot = snapshot;
  }

  /** Returns the pods of the node, `bound`, that are not among those of the snapshot and have not ended. */
  othersOf(bound: readonly BoundPod[]): readonly BoundPod[] {
    if (this.#bound !== bound) {
      const shown = new Set(this.#snapshot.pods.map((record) => record.bound?.pod.uid));
      this.#bound = bound;
      this.#others = bound.filter(({ pod }) => isActive(pod) && !shown.has(pod.uid));
    }
    return this.#others;
  }

  /** Returns false when one of the words, in lower case, is in no name of its pods. */
  mayMatch(words: readonly string[]): boolean {
    if (words.length === 0) return true;
    const names = (this.#names ??= this.#snapshot.pods
      .map(({ summary }) => `${summary.namespace}/${summary.name}`)
      .join('\n')
      .toLowerCase());
    return words.every((word) => names.includes(word));
  }

  /** Returns the limit that the pod at this position is nearest to. */
  nearest(position: number): NearestLimit {
    return (this.#nearest[position] ??= this.#derived(position));
  }

  #derived(position: number): NearestLimit {
    const { pods, context } = this.#snapshot;
    const record = pods[position];
    if (record?.bound === undefined || !hasLimits(record.bound.pod)) return noLimit;
    const nearest = nearestRatio(context.ratiosOf(record));
    return nearest === undefined ? noLimit : { rule: nearest.rule, ratio: nearest.ratio };
  }
}

/** Keeps {@link SnapshotPods} as long as their snapshots. */
export class KnownSnapshots {
  readonly #known = new WeakMap<NodeSnapshot, SnapshotPods>();

  podsOf(snapshot: NodeSnapshot): SnapshotPods {
    const known = this.#known.get(snapshot);
    if (known !== undefined) return known;
    const made = new SnapshotPods(snapshot);
    this.#known.set(snapshot, made);
    return made;
  }
}
