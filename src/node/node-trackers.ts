import { retainKeys } from '../base/merge.js';
import type { Node } from '../kube/objects.js';
import type { LastSummary } from '../kubelet/lookup.js';
import type { PodSummary } from '../kubelet/summary.js';
import type { NodeLayout } from './node-layout.js';
import { ObjectRecords } from './node-objects.js';
import { NodeRecord, type NodeRecordsOptions } from './node-record.js';
import { createNodeSnapshot } from './node-snapshot.js';
import type { NodeObjects, NodeSnapshot } from './node-state.js';
import type { PodRecord } from './pod-record.js';

/** One record for each node that is scraped. */
export class NodeRecords {
  readonly #options: NodeRecordsOptions;
  readonly #records = new Map<string, NodeRecord>();
  readonly #objects: ObjectRecords;

  constructor(options: NodeRecordsOptions) {
    this.#options = options;
    this.#objects = new ObjectRecords(options);
  }

  /** Of a node that is never scraped. */
  skippedObjects(node: Node): NodeObjects {
    return this.#objects.ofSkipped(node);
  }

  /** The node's record; a new one when the node has none. */
  of({ name }: Pick<Node, 'name'>): NodeRecord {
    const known = this.#records.get(name);
    if (known !== undefined) return known;
    const record = new NodeRecord(this.#options, this.#objects);
    this.#records.set(name, record);
    return record;
  }

  /** The layout that the node's kubelet goes by; undefined while it is not known. */
  layout(nodeName: string): NodeLayout | undefined {
    return this.#records.get(nodeName)?.layout;
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

  /** Takes over the grace periods of pods and the layouts of nodes from records that these replace. */
  inherit(former: NodeRecords): void {
    for (const [name, record] of former.#records) {
      this.#records.set(name, new NodeRecord(this.#options, this.#objects, record));
    }
  }

  /** Forgets all other nodes. */
  retain(nodeNames: ReadonlySet<string>): void {
    retainKeys(this.#records, nodeNames);
    this.#objects.retain(nodeNames);
    this.#options.faults.retain(nodeNames);
  }
}
