import type { Node, Pod } from '../kube/objects.js';
import { identityKey, type PodIdentity } from '../kube/pod-identity.js';
import type { ClusterWatches } from './cluster-watches.js';
import type { SharedWatch } from './shared-watch.js';
import { StoreLists } from './store-lists.js';
import type { Subscriber, Subscription } from './subscription.js';
import type { WatchedNodesOptions, WatchedPodsOptions } from './watched-collection.js';

/**
 * How long a node that was removed counts as gone where nodes are selected: it may have left the selector instead. The API
 * server deletes the pods of a gone node within a minute or two.
 * https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-garbage-collection
 */
const rememberGoneMs = 300_000;

/** The nodes of a scope and the pods on them, kept up to date by watches that others may use too. Released by disposal. */
export class ClusterStore implements Disposable {
  readonly lists: StoreLists;
  readonly #leases: readonly Disposable[];
  readonly #nodes: SharedWatch<Node>;
  readonly #pods: SharedWatch<Pod>;
  readonly #selectsNodes: boolean;

  constructor(
    options: WatchedNodesOptions &
      Omit<WatchedPodsOptions, 'nodeLocalSpreadMs'> & {
        readonly watches: Pick<ClusterWatches, 'nodes' | 'pods'>;
        /** How long a deleted pod is remembered at least, in milliseconds: as long as a cached summary may list it. */
        readonly rememberDeletedMs: number;
      },
  ) {
    const { watches, scope, nodeSelector, namespaces, rememberDeletedMs, clock } = options;
    const nodes = watches.nodes(options);
    const pods = watches.pods(options);
    nodes.watch.removed.keepAtLeast(rememberGoneMs);
    pods.watch.removed.keepAtLeast(rememberDeletedMs);
    this.#leases = [nodes, pods];
    this.#nodes = nodes.watch;
    this.#pods = pods.watch;
    this.#selectsNodes = scope.nodeName === undefined && nodeSelector.length > 0;
    this.lists = new StoreLists({ clock, namespaces, nodes: this.#nodes, pods: this.#pods });
  }

  /** The watches go on while others use them. The objects can still be read. */
  [Symbol.dispose](): void {
    for (const lease of this.#leases) lease[Symbol.dispose]();
  }

  /** See {@link SharedWatch.subscribe}. */
  subscribeToPods(subscriber: Subscriber<Pod>): Subscription<Pod> {
    return this.#pods.subscribe(subscriber);
  }

  subscribeToNodes(subscriber: Subscriber<Node>): Subscription<Node> {
    return this.#nodes.subscribe(subscriber);
  }

  /** See {@link StoreLists.hasSynced}. */
  get hasSynced(): boolean {
    return this.lists.hasSynced;
  }

  /** See {@link StoreLists.unlistedNamespaces}. */
  unlistedNamespaces(): readonly string[] {
    return this.lists.unlistedNamespaces();
  }

  hasNode(name: string): boolean {
    return this.#nodes.objects.get(name) !== undefined;
  }

  findNode(name: string): Node | undefined {
    return this.#nodes.objects.get(name);
  }

  nodes(): Iterable<Node> {
    return this.#nodes.objects.values();
  }

  pods(): Iterable<Pod> {
    return this.#pods.objects.values();
  }

  /** Returns the pods that are scheduled to a node: the same array until one of them changes. */
  podsOn(nodeName: string): readonly Pod[] {
    return this.#pods.objects.group(nodeName);
  }

  /** Returns the names of the nodes that pods are bound to, whether or not the nodes exist; not those that are not selected. */
  boundNodeNames(): Iterable<string> {
    return [...this.#pods.objects.groupNames()].filter((name) => this.hasNode(name) || this.mayBeGone(name));
  }

  /**
   * Returns whether a node that is not known may be one that has left the cluster. Where nodes are selected, only those may that were
   * removed in the last 5 minutes: the others may exist without the labels.
   */
  mayBeGone(nodeName: string): boolean {
    return !this.#selectsNodes || !this.lists.haveNodes || this.#nodes.removed.has(nodeName);
  }

  findPod(namespace: string, name: string): Pod | undefined {
    return this.#pods.objects.get(name, namespace);
  }

  /** Returns whether the API object of the pod was deleted recently. */
  isDeleted(pod: PodIdentity): boolean {
    return this.#pods.removed.has(identityKey(pod));
  }

  /**
   * Has the store checked: see {@link Reflector.doubt}. To be called at each scrape, with whether kubelets report other pods
   * than those that are known. Nodes that are not known while pods run on them are doubted too. Nothing is while the API server is away.
   */
  doubt(isContradicted: boolean): void {
    if (this.lists.isServerAway) return;
    const hasUnknownNodes = [...this.boundNodeNames()].some(
      (name) => !this.hasNode(name) && this.podsOn(name).some(({ phase }) => phase === 'Running'),
    );
    for (const scope of this.#pods.scopes) scope.doubt(isContradicted);
    for (const scope of this.#nodes.scopes) scope.doubt(hasUnknownNodes);
  }
}
