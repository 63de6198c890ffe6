import { TimeSlicer } from '../base/time-slicer.js';
import { createDedupe } from '../kube/dedupe.js';
import { createInterner } from '../kube/interner.js';
import type { Node, Pod } from '../kube/objects.js';
import { SharedWatches, type SharedWatchesOptions, type WatchLease } from './shared-watches.js';
import { watchedNodes, type WatchedNodesOptions, watchedPods, type WatchedPodsOptions } from './watched-collection.js';

/** Names, label keys and label values of a large cluster: half of them are 30,000 of 30 characters. */
const maxInternedBytes = 8 * 2 ** 20;

export interface ClusterWatchesOptions extends Omit<SharedWatchesOptions, 'slicer'> {
  /** See {@link WatchedPodsOptions}. Default: 0. */
  readonly nodeLocalSpreadMs?: number;
}

/** The watches of nodes and pods of one API server with one set of credentials. Live longer than the settings that use them. */
export class ClusterWatches implements AsyncDisposable {
  readonly #options: ClusterWatchesOptions;
  readonly #nodes: SharedWatches<Node>;
  readonly #pods: SharedWatches<Pod>;
  readonly #values = { intern: createInterner(maxInternedBytes), dedupe: createDedupe() };

  constructor(options: ClusterWatchesOptions) {
    const shared = { ...options, slicer: new TimeSlicer(options.clock) };
    this.#options = options;
    this.#nodes = new SharedWatches(shared);
    this.#pods = new SharedWatches(shared);
  }

  get watchCount(): number {
    return this.#nodes.watchCount + this.#pods.watchCount;
  }

  get subscriptionCount(): number {
    return this.#nodes.subscriptionCount + this.#pods.subscriptionCount;
  }

  /** Equal options give the same watch: see {@link SharedWatches.acquire}. */
  nodes(options: WatchedNodesOptions): WatchLease<Node> {
    return this.#nodes.acquire(watchedNodes(options, this.#values));
  }

  /** As `nodes`. */
  pods(options: Omit<WatchedPodsOptions, 'clock' | 'nodeLocalSpreadMs'>): WatchLease<Pod> {
    const { clock, nodeLocalSpreadMs = 0 } = this.#options;
    return this.#pods.acquire(watchedPods({ ...options, clock, nodeLocalSpreadMs }, this.#values));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#nodes[Symbol.asyncDispose](), this.#pods[Symbol.asyncDispose]()]);
  }
}
