import { isActive, podLimitBytes, podRequestBytes } from '../eviction/limits.js';
import type { Node, Pod } from '../kube/objects.js';
import type { NodeSnapshotOptions } from './node-snapshot.js';
import type { BoundPod, NodeObjects, NodeSnapshot } from './snapshot.js';

type ObjectRecordsOptions = Pick<NodeSnapshotOptions, 'pods' | 'resolver' | 'scope' | 'showsAllPods'>;

/** What the API server knows of nodes and their pods, kept for each node while none of its objects changes. */
export class ObjectRecords {
  readonly #options: ObjectRecordsOptions;
  /** By the name of the node. */
  readonly #kept = new Map<string, KeptObjects>();

  constructor(options: ObjectRecordsOptions) {
    this.#options = options;
  }

  /** `node`: undefined when it has left the cluster; `snapshot`: undefined while it has no data. */
  of(nodeName: string, node: Node | undefined, snapshot: NodeSnapshot | undefined): NodeObjects {
    const podsOnNode = this.#options.pods.podsOn(nodeName);
    const ended = endedPods(snapshot);
    const unlistedNamespaces = this.#options.pods.unlistedNamespaces();
    const kept = this.#kept.get(nodeName);
    const isSame =
      kept?.objects.node === node &&
      kept?.podsOnNode === podsOnNode &&
      kept.unlistedNamespaces === unlistedNamespaces &&
      areSame(kept.ended, ended);
    if (isSame) return kept.objects;
    const bound = { podsOnNode, ended, unlistedNamespaces };
    const objects = this.#objectsOf(nodeName, node, bound);
    this.#kept.set(nodeName, { ...bound, objects });
    return objects;
  }

  /** The node without its pods, which are not measured. */
  ofSkipped(node: Node): NodeObjects {
    const kept = this.#kept.get(node.name);
    if (kept?.objects.node === node && kept.podsOnNode.length === 0) return kept.objects;
    const objects = {
      nodeName: node.name,
      node,
      pods: [],
      runningPodCount: undefined,
      runningContainerCount: undefined,
    };
    this.#kept.set(node.name, { podsOnNode: [], ended: [], unlistedNamespaces: [], objects });
    return objects;
  }

  /** Forgets all other nodes. */
  retain(nodeNames: ReadonlySet<string>): void {
    for (const name of this.#kept.keys()) {
      if (!nodeNames.has(name)) this.#kept.delete(name);
    }
  }

  #objectsOf(nodeName: string, node: Node | undefined, bound: BoundPods): NodeObjects {
    const { podsOnNode, ended, unlistedNamespaces } = bound;
    const arePodsKnown = unlistedNamespaces.length === 0;
    const inScope = podsOnNode.filter((pod) => this.#isInScope(pod));
    const shown = [...inScope.filter(isActive), ...ended].map((pod) => this.#boundPod(pod));
    const { showsAllPods } = this.#options;
    return {
      nodeName,
      node,
      pods: shown.filter(({ workloads }) => showsAllPods || workloads.length > 0),
      runningPodCount: arePodsKnown ? inScope.filter(({ phase }) => phase === 'Running').length : undefined,
      runningContainerCount: arePodsKnown
        ? inScope.reduce((sum, { runningContainerCount }) => sum + runningContainerCount, 0)
        : undefined,
    };
  }

  /** The API server is asked for these pods only; recorded objects may be of others. */
  #isInScope({ namespace }: Pod): boolean {
    const { namespaces } = this.#options.scope;
    return namespaces.length === 0 || namespaces.includes(namespace);
  }

  #boundPod(pod: Pod): BoundPod {
    const workloads = this.#options.resolver.workloadsOf(pod);
    return { pod, limitBytes: podLimitBytes(pod), requestBytes: podRequestBytes(pod), workloads };
  }
}

interface BoundPods {
  /** All pods of the node. */
  readonly podsOnNode: readonly Pod[];
  /** Those that have ended and that the kubelet still lists: they have series as long as they have usage. */
  readonly ended: readonly Pod[];
  readonly unlistedNamespaces: readonly string[];
}

interface KeptObjects extends BoundPods {
  readonly objects: NodeObjects;
}

/** Without an object for each pod: every scrape does this for all nodes in one step. */
function endedPods(snapshot: NodeSnapshot | undefined): readonly Pod[] {
  const ended: Pod[] = [];
  for (const { pod } of snapshot?.pods ?? []) if (pod !== undefined && !isActive(pod)) ended.push(pod);
  return ended;
}

function areSame(before: readonly Pod[], after: readonly Pod[]): boolean {
  return before.length === after.length && before.every((pod, index) => pod === after[index]);
}
