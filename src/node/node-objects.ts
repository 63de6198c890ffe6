import { retainKeys } from '../base/maps.js';
import { haveSameItems } from '../base/memo.js';
import type { Node, Pod } from '../kube/objects.js';
import { type BoundPod, boundPod, BoundPods } from './bound-pods.js';
import { coversAllPods } from './join.js';
import { isActive } from './limits.js';
import type { NodeSnapshotOptions } from './node-snapshot.js';
import type { NodeObjects, NodeSnapshot } from './node-view.js';

/** What the API server knows of nodes and their pods, kept for each node while none of its objects changes. */
export class ObjectRecords {
  readonly #options: NodeSnapshotOptions;
  /** By the name of the node. */
  readonly #kept = new Map<string, KeptObjects>();
  readonly #bound = new Map<string, BoundPods>();

  constructor(options: NodeSnapshotOptions) {
    this.#options = options;
  }

  /** The pods of a node, in the order of the store. */
  boundPods(nodeName: string): readonly BoundPod[] {
    const { pods, resolver } = this.#options;
    let bound = this.#bound.get(nodeName);
    if (bound === undefined) {
      bound = new BoundPods(resolver);
      this.#bound.set(nodeName, bound);
    }
    return bound.of(pods.podsOn(nodeName));
  }

  /** `node`: undefined when it has left the cluster; `snapshot`: undefined while it has no data. */
  of(nodeName: string, node: Node | undefined, snapshot: NodeSnapshot | undefined): NodeObjects {
    const boundPods = this.boundPods(nodeName);
    const ended = snapshot?.endedPods ?? noPods;
    const kept = this.#kept.get(nodeName);
    const isSame =
      kept?.objects.node === node &&
      kept?.boundPods === boundPods &&
      (kept.ended === ended || haveSameItems(kept.ended, ended));
    if (isSame) return kept.objects;
    const bound = { boundPods, ended };
    const objects = this.#objectsOf(nodeName, node, bound);
    this.#kept.set(nodeName, { ...bound, objects });
    return objects;
  }

  /** The node without its pods, which are not measured. */
  ofSkipped(node: Node): NodeObjects {
    const kept = this.#kept.get(node.name);
    if (kept?.objects.node === node && kept.boundPods.length === 0) return kept.objects;
    const objects = {
      nodeName: node.name,
      node,
      pods: [],
      runningPodCount: undefined,
      runningContainerCount: undefined,
    };
    this.#kept.set(node.name, { boundPods: [], ended: noPods, objects });
    return objects;
  }

  /** Forgets all other nodes. */
  retain(nodeNames: ReadonlySet<string>): void {
    retainKeys(this.#kept, nodeNames);
    retainKeys(this.#bound, nodeNames);
  }

  #objectsOf(nodeName: string, node: Node | undefined, bound: Omit<KeptObjects, 'objects'>): NodeObjects {
    const { boundPods, ended } = bound;
    const { showsAllPods, resolver, scope } = this.#options;
    const areAllRead = coversAllPods(scope);
    const inScope = boundPods.filter(({ pod }) => this.#isInScope(pod));
    const shown = [
      ...inScope.filter(({ pod }) => isActive(pod)),
      ...ended.map((pod) => boundPods.find((known) => known.pod === pod) ?? boundPod(pod, resolver)),
    ];
    return {
      nodeName,
      node,
      pods: shown.filter(({ workloads }) => showsAllPods || workloads.length > 0),
      runningPodCount: areAllRead ? inScope.filter(({ pod }) => pod.phase === 'Running').length : undefined,
      runningContainerCount: areAllRead
        ? inScope.reduce((sum, { pod }) => sum + pod.runningContainerCount, 0)
        : undefined,
    };
  }

  /** The API server is asked for these pods only; recorded objects may be of others. */
  #isInScope({ namespace }: Pod): boolean {
    const { namespaces } = this.#options.scope;
    return namespaces.length === 0 || namespaces.includes(namespace);
  }
}

interface KeptObjects {
  /** All pods of the node. */
  readonly boundPods: readonly BoundPod[];
  /** Those that have ended and that the kubelet still lists: they have series as long as they have usage. */
  readonly ended: readonly Pod[];
  readonly objects: NodeObjects;
}

const noPods: readonly Pod[] = [];
