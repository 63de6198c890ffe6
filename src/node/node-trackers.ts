import { getOrAdd, retainKeys } from '../base/maps.js';
import type { Node } from '../kube/objects.js';
import type { LastSummary } from '../kubelet/lookup.js';
import type { PodSummary } from '../kubelet/summary.js';
import type { NodeLayout } from './node-layout.js';
import { ObjectRecords } from './node-objects.js';
import { createNodeSnapshot } from './node-snapshot.js';
import { NodeTracker, type NodeTrackerOptions } from './node-tracker.js';
import type { NodeObjects, NodeSnapshot } from './node-view.js';
import type { PodRecord } from './pod-record.js';

/** One tracker for each node that is scraped, for one set of settings. */
export class NodeTrackers {
  readonly #options: NodeTrackerOptions;
  readonly #trackers = new Map<string, NodeTracker>();
  readonly #objects: ObjectRecords;

  constructor(options: NodeTrackerOptions) {
    this.#options = options;
    this.#objects = new ObjectRecords(options);
  }

  /** Of a node that is never scraped. */
  skippedObjects(node: Node): NodeObjects {
    return this.#objects.ofSkipped(node);
  }

  /** The node's tracker; a new one when the node has none. */
  of({ name }: Pick<Node, 'name'>): NodeTracker {
    return getOrAdd(this.#trackers, name, () => {
      const memory = getOrAdd(this.#options.memories, name, () => ({ layout: undefined, danglingSinceMs: new Map() }));
      return new NodeTracker(this.#options, this.#objects, memory);
    });
  }

  /** The layout that the node's kubelet goes by; undefined while it is not known. */
  layout(nodeName: string): NodeLayout | undefined {
    return this.#trackers.get(nodeName)?.layout ?? this.#options.memories.get(nodeName)?.layout?.layout;
  }

  /** What was last known of a node without data, for people: never part of a sum. Undefined when it cannot be derived. */
  lastKnown(node: Node, last: LastSummary): NodeSnapshot | undefined {
    try {
      return this.of(node).lastKnown(node, last);
    } catch (error) {
      this.#options.faults.add(node.name, error);
      return undefined;
    }
  }

  /** Pods of an earlier summary of the node of `snapshot`, by the API objects of today, for people: never part of a sum. */
  formerPods(of: NodeSnapshot, pods: readonly PodSummary[]): readonly PodRecord[] {
    const { node, layout, context } = of;
    const summary = { ...of.summary, pods };
    const input = { node, layout, summary, configuration: undefined, context, derived: new Map() };
    return createNodeSnapshot(input, this.#objects.boundPods(node.name), this.#options).pods;
  }

  /** Forgets all other nodes. */
  retain(nodeNames: ReadonlySet<string>): void {
    retainKeys(this.#trackers, nodeNames);
    retainKeys(this.#options.memories, nodeNames);
    this.#objects.retain(nodeNames);
    this.#options.faults.retain(nodeNames);
  }
}
