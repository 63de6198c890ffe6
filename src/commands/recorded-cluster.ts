import type { CorePlace } from '../app/core.js';
import { UserError } from '../base/errors.js';
import { getOrAdd } from '../base/maps.js';
import type { Node, Pod } from '../kube/objects.js';
import type { CacheLookup, FoundLookup } from '../kubelet/lookup.js';
import { type FsStats, hasStorage, type NodeSummary, type PodSummary } from '../kubelet/summary.js';
import type { RecordedObjects, RecordedSummary } from './recordings.js';

/** A cluster that stands still: recorded summaries, all fresh, and the API objects that were recorded with them. */
export class RecordedCluster implements CorePlace {
  readonly store = this;
  readonly cache = this;
  readonly lists = { nodesSeenAtMs: -Infinity, isServerAway: false };
  readonly hasSynced = true;
  readonly #summaries: ReadonlyMap<string, NodeSummary>;
  readonly #nodes: ReadonlyMap<string, Node>;
  readonly #pods: ReadonlyMap<string, Pod>;
  readonly #podsByNode: ReadonlyMap<string, readonly Pod[]>;
  readonly #noNamespaces: readonly string[] = [];

  /** Throws UserError when two summaries are of one node. */
  constructor(recorded: readonly RecordedSummary[], { nodes, pods }: RecordedObjects) {
    this.#summaries = summariesByNode(recorded);
    const named = [...this.#summaries.keys()].map((name) => [name, bareNode(name)] as const);
    this.#nodes = new Map([...named, ...nodes.map((node) => [node.name, node] as const)]);
    this.#pods = new Map(pods.map((pod) => [`${pod.namespace}/${pod.name}`, pod]));
    this.#podsByNode = podsByNode(pods);
  }

  /** The newest time at which a kubelet measured a node's filesystem, in milliseconds since the epoch; 0 without any. */
  get newestTimeMs(): number {
    const filesystems = [...this.#summaries.values()].flatMap(({ nodefs, imagefs }): (FsStats | undefined)[] => [
      nodefs,
      imagefs,
    ]);
    return Math.max(0, ...filesystems.map((filesystem) => filesystem?.timeMs ?? 0));
  }

  findNode(name: string): Node | undefined {
    return this.#nodes.get(name);
  }

  pods(): Iterable<Pod> {
    return this.#pods.values();
  }

  nodes(): Iterable<Node> {
    return this.#nodes.values();
  }

  podsOn(nodeName: string): readonly Pod[] {
    return this.#podsByNode.get(nodeName) ?? [];
  }

  mayBeGone(): boolean {
    return true;
  }

  boundNodeNames(): Iterable<string> {
    return this.#podsByNode.keys();
  }

  unlistedNamespaces(): readonly string[] {
    return this.#noNamespaces;
  }

  findPod(namespace: string, name: string): Pod | undefined {
    return this.#pods.get(`${namespace}/${name}`);
  }

  isDeleted(): boolean {
    return false;
  }

  getFresh({ name }: Node): FoundLookup | undefined {
    const summary = this.#summaries.get(name);
    const fetchedAtMs = this.newestTimeMs;
    if (summary === undefined || !hasStorage(summary)) return undefined;
    return { state: 'fresh', summary, arrivedAtMs: 0, fetchedAtMs, configuration: undefined };
  }

  get(node: Node): Promise<CacheLookup> {
    const reason = this.#summaries.has(node.name) ? 'no_storage_stats' : 'never';
    return Promise.resolve(this.getFresh(node) ?? { state: 'absent', reason });
  }

  refresh(): Promise<void> {
    return Promise.resolve();
  }

  lastFailure(): undefined {
    return undefined;
  }

  lastSummary(): undefined {
    return undefined;
  }

  history(): undefined {
    return undefined;
  }

  inFlightMs(): number {
    return 0;
  }

  lastDurationMs(): undefined {
    return undefined;
  }

  growth(): ReadonlyMap<PodSummary, number> {
    return new Map();
  }

  /** A recording has nothing to refresh. */
  setNearNodes(): void {
    return undefined;
  }

  /** A recording has nothing to forget. */
  retain(): void {
    return undefined;
  }
}

function summariesByNode(recorded: readonly RecordedSummary[]): ReadonlyMap<string, NodeSummary> {
  const files = new Map<string, string>();
  const summaries = new Map<string, NodeSummary>();
  for (const { file, summary } of recorded) {
    const other = files.get(summary.nodeName);
    if (other !== undefined) {
      throw new UserError(
        `${other} and ${file} are both summaries of node ${summary.nodeName}; keep one of them in --summaries`,
      );
    }
    files.set(summary.nodeName, file);
    summaries.set(summary.nodeName, summary);
  }
  return summaries;
}

function podsByNode(pods: readonly Pod[]): ReadonlyMap<string, readonly Pod[]> {
  const byNode = new Map<string, Pod[]>();
  for (const pod of pods) {
    if (pod.nodeName !== undefined) getOrAdd(byNode, pod.nodeName, (): Pod[] => []).push(pod);
  }
  return byNode;
}

function bareNode(name: string): Node {
  return {
    uid: name,
    name,
    resourceVersion: '0',
    labels: {},
    ready: true,
    readyChangedAtMs: undefined,
    addresses: [],
    kubeletPort: undefined,
    capacityBytes: undefined,
    allocatableBytes: undefined,
    kubeletVersion: undefined,
    operatingSystem: undefined,
    enforcesStorageLimits: true,
    diskPressure: undefined,
    containerRuntime: undefined,
    images: [],
  };
}
