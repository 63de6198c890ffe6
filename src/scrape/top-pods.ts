import type { Clock } from '../base/clock.js';
import { largestFirst, Ranking } from '../base/ranking.js';
import { TimeSlicer } from '../base/time-slicer.js';
import { workloadKey } from '../workload/workload.js';
import type { ClusterSnapshot, NodeSnapshot, NodeState, PodSnapshot } from './snapshot.js';

interface SnapshotSource {
  collect(signal: AbortSignal): Promise<ClusterSnapshot | undefined>;
}

export interface TopPodsOptions {
  readonly source: SnapshotSource;
  /** Pods of each workload, above 0. */
  readonly count: number;
  readonly clock: Clock;
}

type PodRanking = Ranking<PodSnapshot>;

/** No workload has this key: the group of the pods without one. */
const withoutWorkload = '';

/**
 * Limits detail series to the largest pods of each workload over all nodes; a pod that is among those of one of its
 * workloads is shown. The sums of the workloads include all pods.
 */
export class TopPods {
  readonly #options: TopPodsOptions;
  readonly #slicer: TimeSlicer;
  /** By the whole snapshot; the same object while the same pods are shown, so that its text is kept too. */
  readonly #trimmed = new WeakMap<NodeSnapshot, NodeSnapshot>();

  constructor(options: TopPodsOptions) {
    this.#options = options;
    this.#slicer = new TimeSlicer(options.clock);
  }

  /** As the source does. Not cut short by `signal`: a response with all pods would not respect the setting. */
  async collect(signal: AbortSignal): Promise<ClusterSnapshot | undefined> {
    const snapshot = await this.#options.source.collect(signal);
    if (snapshot === undefined) return undefined;
    const shown = await this.#shownPods(snapshot.nodes);
    const nodes: NodeState[] = [];
    await this.#slicer.forEach(snapshot.nodes, (node) => {
      nodes.push(this.#trimNode(node, shown));
    });
    return { ...snapshot, nodes };
  }

  async #shownPods(nodes: readonly NodeState[]): Promise<ReadonlySet<PodSnapshot>> {
    const rankings = new Map<string, PodRanking>();
    await this.#slicer.forEach(nodes, (node) => {
      for (const pod of podsOf(node)) this.#rank(pod, rankings);
    });
    const shown = new Set<PodSnapshot>();
    await this.#slicer.forEach(rankings.values(), (ranking) => {
      for (const pod of ranking.top()) shown.add(pod);
    });
    return shown;
  }

  #rank(pod: PodSnapshot, rankings: Map<string, PodRanking>): void {
    if (pod.workloads.length === 0) this.#rankingOf(withoutWorkload, rankings).add(pod);
    for (const workload of pod.workloads) this.#rankingOf(workloadKey(workload), rankings).add(pod);
  }

  #rankingOf(key: string, rankings: Map<string, PodRanking>): PodRanking {
    const known = rankings.get(key);
    if (known !== undefined) return known;
    const ranking = new Ranking(this.#options.count, largestPodFirst);
    rankings.set(key, ranking);
    return ranking;
  }

  #trimNode(node: NodeState, shown: ReadonlySet<PodSnapshot>): NodeState {
    if (node.state === 'absent') return node;
    const snapshot = this.#trim(node.snapshot, shown);
    return snapshot === node.snapshot ? node : { ...node, snapshot };
  }

  #trim(snapshot: NodeSnapshot, shown: ReadonlySet<PodSnapshot>): NodeSnapshot {
    const pods = snapshot.pods.filter((pod) => shown.has(pod));
    const hiddenCount = snapshot.pods.length - pods.length;
    if (hiddenCount === 0) return snapshot;
    const kept = this.#trimmed.get(snapshot);
    if (kept !== undefined && isSame(kept.pods, pods)) return kept;
    const trimmed = { ...snapshot, pods, skippedPods: new Map(snapshot.skippedPods).set('top', hiddenCount) };
    this.#trimmed.set(snapshot, trimmed);
    return trimmed;
  }
}

const largestPodFirst = largestFirst<PodSnapshot>(
  ({ usage }) => usage.usedBytes,
  ({ namespace, name }) => [namespace, name],
);

function podsOf(node: NodeState): readonly PodSnapshot[] {
  return node.state === 'absent' ? [] : node.snapshot.pods;
}

function isSame(a: readonly PodSnapshot[], b: readonly PodSnapshot[]): boolean {
  return a.length === b.length && a.every((pod, index) => pod === b[index]);
}
