import type { Node, Pod } from '../../cluster/kube/objects.js';
import { haveSameItems, isEqual, Memo } from '../../lib/base/memo.js';
import type { WorkloadResolver } from '../workload/workload-resolver.js';
import { coversAllPods, type PodScope } from './join.js';
import { isActive, podLimitBytes, podRequestBytes } from './limits.js';
import type { NodeObjects } from './node-view.js';
import type { BoundPod } from './pod-record.js';

/** From labels only the workloads follow, which are compared by themselves; from images, what the next summary's snapshot has. */
const keysWithoutEffect: readonly (keyof Pod)[] = ['resourceVersion', 'labels', 'runs', 'runsChangedAtMs', 'images'];

type RenewablePod = BoundPod & { pod: Pod };

export function boundPod(pod: Pod, resolver: WorkloadResolver): RenewablePod {
  return {
    pod,
    limitBytes: podLimitBytes(pod),
    requestBytes: podRequestBytes(pod),
    workloads: resolver.workloadsOf(pod),
  };
}

/** Returns that of `byUid` while its API object is the same. */
export function boundTo(pod: Pod, byUid: ReadonlyMap<string, BoundPod>, resolver: WorkloadResolver): BoundPod {
  const known = byUid.get(pod.kubeletUid);
  return known?.pod === pod ? known : boundPod(pod, resolver);
}

/** What the API server knows of one node and its pods, kept while none of its objects changes. */
export class ObjectRecord {
  readonly #nodeName: string;
  readonly #options: ConstructorParameters<typeof ObjectRecord>[1];
  /** What the bound pods were made of. */
  #podsOnNode: readonly Pod[] | undefined;
  #generation = 0;
  #bound: readonly RenewablePod[] = [];
  readonly #objects = new Memo<NodeObjects>();

  constructor(
    nodeName: string,
    options: {
      readonly pods: { podsOn(nodeName: string): readonly Pod[] };
      readonly resolver: WorkloadResolver;
      readonly scope: PodScope;
      readonly showsAllPods: boolean;
    },
  ) {
    this.#nodeName = nodeName;
    this.#options = options;
  }

  /**
   * The pods of the node, in the order of the store. The same array while none of them changes, and the same item while its pod
   * does not, but for {@link keysWithoutEffect}.
   */
  boundPods(): readonly BoundPod[] {
    const { pods, resolver } = this.#options;
    const podsOnNode = pods.podsOn(this.#nodeName);
    const { generation } = resolver;
    if (podsOnNode === this.#podsOnNode && generation === this.#generation) return this.#bound;
    const former = generation === this.#generation ? this.#bound : [];
    let byUid: ReadonlyMap<string, RenewablePod> | undefined;
    const bound = podsOnNode.map((pod, index) => {
      if (former[index]?.pod.uid === pod.uid) return renewed(former[index], pod, resolver);
      byUid ??= new Map(former.map((known) => [known.pod.uid, known]));
      return renewed(byUid.get(pod.uid), pod, resolver);
    });
    this.#podsOnNode = podsOnNode;
    this.#generation = generation;
    if (!haveSameItems(this.#bound, bound)) this.#bound = bound;
    return this.#bound;
  }

  /**
   * `node`: undefined when it has left the cluster. `endedPods`: those that the kubelet still lists; they have series as long as
   * they have usage.
   */
  of(node: Node | undefined, endedPods: readonly Pod[] = []): NodeObjects {
    const boundPods = this.boundPods();
    return this.#objects.of([node, boundPods, ...endedPods], () => this.#objectsOf(node, boundPods, endedPods));
  }

  /** The node without its pods, which are not measured. */
  ofSkipped(node: Node): NodeObjects {
    const nodeName = this.#nodeName;
    const unknown = { runningPodCount: undefined, runningContainerCount: undefined };
    return this.#objects.of([node], () => ({ nodeName, node, pods: [], formerPods: [], ...unknown }));
  }

  #objectsOf(node: Node | undefined, boundPods: readonly BoundPod[], endedPods: readonly Pod[]): NodeObjects {
    const { showsAllPods, resolver, scope } = this.#options;
    const areAllRead = coversAllPods(scope);
    const inScope = boundPods.filter(({ pod }) => this.#isInScope(pod));
    const isShown = ({ workloads }: BoundPod): boolean => showsAllPods || workloads.length > 0;
    const [active, ended] = [inScope.filter(({ pod }) => isActive(pod)), inScope.filter(({ pod }) => !isActive(pod))];
    const shown = [
      ...active,
      ...endedPods.map((pod) => boundPods.find((known) => known.pod.uid === pod.uid) ?? boundPod(pod, resolver)),
    ];
    return {
      nodeName: this.#nodeName,
      node,
      pods: shown.filter(isShown),
      formerPods: ended.filter((known) => isShown(known) && !endedPods.some(({ uid }) => uid === known.pod.uid)),
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

/** Returns the same bound pod, with the new API object, where nothing that follows from it differs. */
function renewed(known: RenewablePod | undefined, pod: Pod, resolver: WorkloadResolver): RenewablePod {
  if (known === undefined) return boundPod(pod, resolver);
  if (known.pod === pod) return known;
  const isSame =
    isEqual(known.pod, pod, ...keysWithoutEffect) && haveSameItems(known.workloads, resolver.workloadsOf(pod));
  if (!isSame) return boundPod(pod, resolver);
  known.pod = pod;
  return known;
}
