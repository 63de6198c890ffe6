import { getOrAdd } from '../base/maps.js';
import { haveSameItems } from '../base/memo.js';
import { largestFirst, Ranking } from '../base/ranking.js';
import type { Lane } from '../base/scheduler.js';
import type { BoundPod, NodeObjects } from '../node/node-objects.js';
import type { NodeSnapshot, NodeView } from '../node/node-view.js';
import type { PodRecord } from '../node/pod-record.js';
import { type Workload, workloadKey } from '../workload/workload.js';
import type { CollectOptions } from './collector.js';
import { allObjects, type ClusterSnapshot } from './snapshot.js';

export interface TopPodsOptions {
  readonly source: {
    collect(signal: AbortSignal, options?: CollectOptions): Promise<ClusterSnapshot | undefined>;
  };
  /** Pods of each workload, above 0. */
  readonly count: number;
  readonly lane: Lane;
}

interface TopPod {
  /** The pod's object in the snapshot. */
  readonly of: PodRecord | BoundPod;
  readonly namespace: string;
  readonly name: string;
  /** Undefined for a pod that is not measured: it comes after all that are. */
  readonly usedBytes: number | undefined;
  readonly workloads: readonly Workload[];
}

interface ShownPods {
  readonly measured: ReadonlySet<PodRecord>;
  /** UIDs of pods that the API server knows, measured or not. */
  readonly uids: ReadonlySet<string>;
}

/** No workload has this key: the group of the pods without one. */
const withoutWorkload = '';

/**
 * Limits detail series to the largest pods of each workload over all nodes; a pod that is among those of one of its
 * workloads is shown. The sums of the workloads include all pods.
 */
export class TopPods {
  readonly #options: TopPodsOptions;
  readonly #lane: Lane;
  /** By the whole snapshot or objects; the same object while the same pods are shown, so that its text is kept too. */
  readonly #trimmed = new WeakMap<NodeSnapshot, NodeSnapshot>();
  readonly #trimmedObjects = new WeakMap<NodeObjects, NodeObjects>();

  constructor(options: TopPodsOptions) {
    this.#options = options;
    this.#lane = options.lane;
  }

  /**
   * As the source does, but `onView` is not passed on: which pods of a node are shown is known once all nodes are. Choosing
   * them is not cut short by `signal`: a response with all pods would not respect the setting.
   */
  async collect(signal: AbortSignal, options: CollectOptions = {}): Promise<ClusterSnapshot | undefined> {
    const ofSource = options.onView === undefined ? options : { ...options, onView: () => undefined };
    const snapshot = await this.#options.source.collect(signal, ofSource);
    if (snapshot === undefined) return undefined;
    const shown = await this.#shownPods(snapshot);
    const nodes: NodeView[] = [];
    await this.#lane.each(snapshot.nodes, (node) => {
      nodes.push(this.#trimNode(node, shown));
    });
    const gone = snapshot.gone.map((node) => ({ ...node, objects: this.#trimObjects(node.objects, shown) }));
    return { ...snapshot, nodes, gone };
  }

  async #shownPods(snapshot: ClusterSnapshot): Promise<ShownPods> {
    const rankings = new Map<string, Ranking<TopPod>>();
    const measuredUids = new Set<string>();
    await this.#lane.each(snapshot.nodes, (node) => {
      for (const pod of podsOf(node)) {
        this.#rank(measured(pod), rankings);
        if (pod.bound !== undefined) measuredUids.add(pod.bound.pod.uid);
      }
    });
    await this.#lane.each(allObjects(snapshot), ({ pods }) => {
      for (const bound of pods) if (!measuredUids.has(bound.pod.uid)) this.#rank(unmeasured(bound), rankings);
    });
    const shown = new Set<PodRecord>();
    const uids = new Set<string>();
    await this.#lane.each(rankings.values(), (ranking) => {
      for (const { of } of ranking.top()) {
        const bound = 'summary' in of ? of.bound : of;
        if ('summary' in of) shown.add(of);
        if (bound !== undefined) uids.add(bound.pod.uid);
      }
    });
    return { measured: shown, uids };
  }

  #rank(pod: TopPod, rankings: Map<string, Ranking<TopPod>>): void {
    if (pod.workloads.length === 0) this.#rankingOf(withoutWorkload, rankings).add(pod);
    for (const workload of pod.workloads) this.#rankingOf(workloadKey(workload), rankings).add(pod);
  }

  #rankingOf(key: string, rankings: Map<string, Ranking<TopPod>>): Ranking<TopPod> {
    return getOrAdd(rankings, key, () => new Ranking(this.#options.count, largestPodFirst));
  }

  #trimNode(node: NodeView, shown: ShownPods): NodeView {
    if (node.objects === undefined) return node;
    const objects = this.#trimObjects(node.objects, shown);
    return node.state === 'absent'
      ? { ...node, objects }
      : { ...node, objects, snapshot: this.#trim(node.snapshot, shown.measured) };
  }

  #trim(snapshot: NodeSnapshot, shown: ReadonlySet<PodRecord>): NodeSnapshot {
    const pods = snapshot.pods.filter((pod) => shown.has(pod));
    const hiddenCount = snapshot.pods.length - pods.length;
    if (hiddenCount === 0) return snapshot;
    const kept = this.#trimmed.get(snapshot);
    if (kept !== undefined && haveSameItems(kept.pods, pods)) return kept;
    const trimmed = { ...snapshot, pods, skippedPods: new Map(snapshot.skippedPods).set('top', hiddenCount) };
    this.#trimmed.set(snapshot, trimmed);
    return trimmed;
  }

  #trimObjects(objects: NodeObjects, shown: ShownPods): NodeObjects {
    const pods = objects.pods.filter(({ pod }) => shown.uids.has(pod.uid));
    if (pods.length === objects.pods.length) return objects;
    const kept = this.#trimmedObjects.get(objects);
    if (kept !== undefined && haveSameItems(kept.pods, pods)) return kept;
    const trimmed = { ...objects, pods };
    this.#trimmedObjects.set(objects, trimmed);
    return trimmed;
  }
}

const largestPodFirst = largestFirst<TopPod>(
  ({ usedBytes }) => usedBytes,
  ({ namespace, name }) => [namespace, name],
);

function measured(record: PodRecord): TopPod {
  const { namespace, name, usedBytes } = record.summary;
  return { of: record, namespace, name, usedBytes, workloads: record.workloads };
}

function unmeasured(bound: BoundPod): TopPod {
  const { pod, workloads } = bound;
  return { of: bound, namespace: pod.namespace, name: pod.name, usedBytes: undefined, workloads };
}

function podsOf(node: NodeView): readonly PodRecord[] {
  return node.state === 'absent' ? [] : node.snapshot.pods;
}
