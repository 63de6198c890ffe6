import type { Shape } from '../shapes.js';
import { PodObjects } from './api-objects.js';
import { type BenchPod, createPod, digits } from './pods.js';

/** As the API server sends it in a watch. */
export interface PodEvent {
  readonly resourceVersion: number;
  readonly line: Buffer;
}

const podAgeMs = 24 * 3_600_000;
/** What a watch may begin from; above it, 410. */
const keptEventCount = 10_000;
/** Coprime to all numbers of nodes here: changed pods are spread over all of them. */
const nodeStride = 7;

/** The pods of the cluster, and what has happened to them. */
export class ClusterState {
  readonly shape: Pick<Shape, 'nodeCount' | 'podsPerNode'>;
  /** In the order of nodes and positions. A pod is a new value whenever it changes. */
  readonly pods: BenchPod[] = [];
  #resourceVersion = 1;
  #sequence = 0;
  #cursor = 0;
  readonly #events: PodEvent[] = [];
  #forgottenVersion = 0;
  readonly #listeners = new Set<(event: PodEvent) => void>();
  readonly #objects = new PodObjects({ kind: 'Pod', apiVersion: 'v1' });

  constructor(shape: Pick<Shape, 'nodeCount' | 'podsPerNode'>, nowMs: number) {
    this.shape = shape;
    for (let nodeIndex = 0; nodeIndex < shape.nodeCount; nodeIndex++) {
      for (let position = 0; position < shape.podsPerNode; position++)
        this.pods.push(this.#create(nodeIndex, position, nowMs - podAgeMs));
    }
  }

  get resourceVersion(): number {
    return this.#resourceVersion;
  }

  podsOn(nodeIndex: number): readonly BenchPod[] {
    const { podsPerNode } = this.shape;
    return this.pods.slice(nodeIndex * podsPerNode, (nodeIndex + 1) * podsPerNode);
  }

  /** Undefined when events after this version have been forgotten. */
  eventsAfter(resourceVersion: number): readonly PodEvent[] | undefined {
    if (resourceVersion < this.#forgottenVersion) return undefined;
    return this.#events.filter((event) => event.resourceVersion > resourceVersion);
  }

  /** Returns how to end it. */
  subscribe(listener: (event: PodEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Another pod in the place of each of `count` pods, spread over the nodes. Returns the new ones. */
  replace(count: number, nowMs: number): readonly BenchPod[] {
    return this.#take(count).map((index) => {
      const former = this.#pod(index);
      this.#publish('DELETED', { ...former, resourceVersion: ++this.#resourceVersion });
      this.#resourceVersion += 1;
      const pod = this.#create(former.nodeIndex, former.position, nowMs);
      this.pods[index] = pod;
      this.#publish('ADDED', pod);
      return pod;
    });
  }

  /** Changes a label of `count` pods, spread over the nodes. */
  modify(count: number): void {
    for (const index of this.#take(count)) {
      const former = this.#pod(index);
      const resourceVersion = ++this.#resourceVersion;
      const pod = { ...former, resourceVersion, revision: digits(resourceVersion, 8) };
      this.pods[index] = pod;
      this.#publish('MODIFIED', pod);
    }
  }

  /** Indexes of the next pods: of another node each time, until all nodes had their turn. */
  #take(count: number): readonly number[] {
    const { nodeCount, podsPerNode } = this.shape;
    return Array.from({ length: count }, () => {
      const turn = this.#cursor++;
      const nodeIndex = (turn * nodeStride) % nodeCount;
      return nodeIndex * podsPerNode + (Math.floor(turn / nodeCount) % podsPerNode);
    });
  }

  #pod(index: number): BenchPod {
    const pod = this.pods[index];
    if (pod === undefined) throw new Error(`pod ${index} does not exist`);
    return pod;
  }

  #create(nodeIndex: number, position: number, startedAtMs: number): BenchPod {
    const { podsPerNode } = this.shape;
    const birth = { sequence: this.#sequence++, startedAtMs, resourceVersion: this.#resourceVersion };
    return createPod({ nodeIndex, position, podsPerNode }, birth);
  }

  #publish(type: string, pod: BenchPod): void {
    const head = Buffer.from(`{"type":"${type}","object":`);
    const line = Buffer.allocUnsafeSlow(head.length + this.#objects.sizeBytes + 2);
    line.set(head);
    this.#objects.write(line, head.length, pod);
    line.write('}\n', line.length - 2, 'latin1');
    const event = { resourceVersion: pod.resourceVersion, line };
    this.#events.push(event);
    if (this.#events.length > keptEventCount)
      this.#forgottenVersion = this.#events.shift()?.resourceVersion ?? this.#forgottenVersion;
    for (const listener of this.#listeners) listener(event);
  }
}
