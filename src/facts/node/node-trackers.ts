import { getOrAdd, retainKeys } from '../../lib/base/maps.js';
import type { NodeMeasurements } from './node-forecasts.js';
import type { NodeLayout } from './node-layout.js';
import { NodeMemory } from './node-memory.js';
import { NodeTracker, type NodeTrackerOptions } from './node-tracker.js';
import type { NodeSnapshot } from './node-view.js';

/** One tracker for each node, for one set of settings. */
export class NodeTrackers {
  readonly #options: NodeTrackerOptions;
  readonly #trackers = new Map<string, NodeTracker>();

  constructor(options: NodeTrackerOptions) {
    this.#options = options;
  }

  /** The node's tracker; a new one when the node has none. */
  of({ name }: { readonly name: string }): NodeTracker {
    return getOrAdd(this.#trackers, name, () => {
      const memory = getOrAdd(this.#options.memories, name, () => new NodeMemory());
      return new NodeTracker(name, this.#options, memory);
    });
  }

  /** The layout that the node's kubelet goes by; undefined while it is not known. */
  layout(nodeName: string): NodeLayout | undefined {
    return this.#options.memories.get(nodeName)?.layout;
  }

  /** The last one of the node; undefined before the first. */
  snapshot(nodeName: string): NodeSnapshot | undefined {
    return this.#trackers.get(nodeName)?.snapshot;
  }

  /** Undefined before the first summary of the node. */
  measurements(nodeName: string): NodeMeasurements | undefined {
    return this.#options.memories.get(nodeName)?.measurements;
  }

  /** Forgets all other nodes. */
  retain(nodeNames: ReadonlySet<string>): void {
    retainKeys(this.#trackers, nodeNames);
    retainKeys(this.#options.memories, nodeNames);
    this.#options.faults.retain(nodeNames);
  }
}
