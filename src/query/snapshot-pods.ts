import { isActive } from '../node/limits.js';
import type { BoundPod } from '../node/node-objects.js';
import type { NodeSnapshot } from '../node/node-view.js';

type SnapshotParts = Pick<NodeSnapshot, 'pods' | 'podsWithoutTotal' | 'listedPods' | 'measuredPodUids'>;

/** Looks up what lists ask of the pods of a snapshot. Each thing is derived when it is first asked for. */
export class SnapshotPods {
  readonly #snapshot: SnapshotParts;
  /** Of the last call. */
  #bound: readonly BoundPod[] = [];
  #others: readonly BoundPod[] = [];
  #names: string | undefined;

  constructor(snapshot: SnapshotParts) {
    this.#snapshot = snapshot;
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
    const { pods, podsWithoutTotal, listedPods, measuredPodUids } = this.#snapshot;
    const isAllShown = pods.length + podsWithoutTotal.length === listedPods.length;
    return isAllShown ? measuredPodUids : new Set(pods.map(({ bound }) => bound?.pod.uid));
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
