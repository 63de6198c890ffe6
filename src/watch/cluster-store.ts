import { createDedupe } from '../kube/dedupe.js';
import { createInterner } from '../kube/interner.js';
import type { Node, Pod } from '../kube/objects.js';
import { projectNode, projectPod } from '../kube/projection.js';
import { isInScope } from '../kube/scope.js';
import { formatSelector } from '../kube/selector.js';
import type { ClusterStoreOptions } from './cluster-store-options.js';
import { isPodInScope, withPlausibleStart } from './kept-pods.js';
import { ObjectStore, type StoreChange } from './object-store.js';
import { Reflector } from './reflector.js';
import type { Resource } from './resource-path.js';
import { type PodCounts, StoreDoubt } from './store-doubt.js';
import { StoreLists } from './store-lists.js';
import { Tombstones } from './tombstones.js';

/** Names, label keys and label values of a large cluster. */
const maxInternedCount = 200_000;

/** Distinct label sets, container lists and volume lists of a large cluster: some 20 MB. */
const maxDedupedCount = 50_000;

/**
 * How long a node that was removed counts as gone where nodes are selected: it may have left the selector instead. The API
 * server deletes the pods of a gone node within a minute or two.
 * https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-garbage-collection
 */
const rememberGoneMs = 300_000;

const doubtReasons: Readonly<Record<Resource, string>> = {
  nodes: 'many pods run on nodes that are not known',
  pods: 'kubelets report many pods that are not known',
};

/** The nodes of a scope and the pods on them, kept up to date by list and watch. */
export class ClusterStore {
  readonly lists: StoreLists;
  readonly #options: ClusterStoreOptions;
  readonly #nodes: ObjectStore<Node>;
  readonly #pods: ObjectStore<Pod>;
  readonly #deletedPods: Tombstones;
  /** Undefined for all nodes. */
  readonly #nodeSelector: string | undefined;
  readonly #goneNodes: Tombstones;
  /** Whether nodes or pods that exist may have been removed. */
  readonly #doubts: Readonly<Record<Resource, StoreDoubt>>;
  readonly #intern = createInterner(maxInternedCount);
  readonly #dedupe = createDedupe(maxDedupedCount);

  constructor(options: ClusterStoreOptions) {
    const { clock, random, rememberDeletedMs, observer } = options;
    this.#options = options;
    this.#doubts = { nodes: new StoreDoubt(clock, random), pods: new StoreDoubt(clock, random) };
    this.#deletedPods = new Tombstones({ clock, keepMs: rememberDeletedMs });
    const selectsNodes = options.scope.nodeName === undefined && options.nodeSelector.length > 0;
    this.#nodeSelector = selectsNodes ? formatSelector(options.nodeSelector) : undefined;
    this.#goneNodes = new Tombstones({ clock, keepMs: rememberGoneMs });
    this.#nodes = new ObjectStore<Node>({
      keyOf: ({ name }) => name,
      groupOf: () => undefined,
      onChange: ({ type, object }) => {
        if (type === 'removed') this.#goneNodes.add(object.name);
      },
    });
    this.#pods = new ObjectStore<Pod>({
      keyOf: podKey,
      groupOf: ({ nodeName }) => nodeName,
      onChange: (change) => {
        this.#rememberDeleted(change);
        options.onPodChange?.(change);
      },
    });
    observer.trackStore({ resource: 'nodes', scopes: [''], objectCount: () => this.#nodes.size });
    this.lists = new StoreLists({
      ...options,
      nodes: this.#nodesReflector(),
      podsIn: (namespace) => this.#podsReflector(namespace),
      onPodScopes: (scopes) => {
        observer.trackStore({ resource: 'pods', scopes, objectCount: () => this.#pods.size });
      },
    });
  }

  /** See {@link StoreLists.run}. */
  run(signal: AbortSignal): Promise<void> {
    return this.lists.run(signal);
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
    return this.#nodes.get(name) !== undefined;
  }

  findNode(name: string): Node | undefined {
    return this.#nodes.get(name);
  }

  nodes(): Iterable<Node> {
    return this.#nodes.values();
  }

  pods(): Iterable<Pod> {
    return this.#pods.values();
  }

  /** The pods that are scheduled to a node: the same array until one of them changes. */
  podsOn(nodeName: string): readonly Pod[] {
    return this.#pods.group(nodeName);
  }

  /** The names of the nodes that pods are bound to, whether or not the nodes exist; not those that are not selected. */
  boundNodeNames(): Iterable<string> {
    return [...this.#pods.groupNames()].filter((name) => this.hasNode(name) || this.mayBeGone(name));
  }

  /**
   * Whether a node that is not known may be one that has left the cluster. Where nodes are selected, only those may that were
   * removed in the last 5 minutes: the others may exist without the labels.
   */
  mayBeGone(nodeName: string): boolean {
    return this.#nodeSelector === undefined || !this.lists.haveNodes || this.#goneNodes.has(nodeName);
  }

  findPod(namespace: string, name: string): Pod | undefined {
    return this.#pods.get(podKey({ namespace, name }));
  }

  /** Whether the API object of the pod with this kubelet UID was deleted recently. */
  isDeleted(kubeletUid: string): boolean {
    return this.#deletedPods.has(kubeletUid);
  }

  /**
   * To be called at each scrape. Lists pods again when kubelets report many that are unknown, and nodes when many pods run
   * on unknown ones: a wrong list may have removed them. Not while the API server is away: a list follows anyway.
   */
  compare(reported: PodCounts): void {
    this.#relistIfDoubted('pods', reported);
    this.#relistIfDoubted('nodes', this.#podsByNode());
  }

  /** Takes over the recently deleted objects of the store that it replaces, since a list does not contain them. */
  inherit(former: ClusterStore): void {
    this.#deletedPods.inherit(former.#deletedPods);
    this.#goneNodes.inherit(former.#goneNodes);
  }

  #relistIfDoubted(resource: Resource, counts: PodCounts): void {
    const due = this.lists.isServerAway ? undefined : this.#doubts[resource].dueList(counts);
    if (due === undefined) return;
    const log = due === 'first' ? this.#options.logger.warn : this.#options.logger.debug;
    log(`${doubtReasons[resource]}: ${resource} are listed again`, { ...counts });
    this.lists.relist(resource);
  }

  /** Pods on known nodes, and running ones on nodes that are not known and should be. */
  #podsByNode(): PodCounts {
    let [knownCount, unknownCount] = [0, 0];
    for (const name of this.boundNodeNames()) {
      const pods = this.podsOn(name);
      if (this.hasNode(name)) knownCount += pods.length;
      else unknownCount += pods.filter(({ phase }) => phase === 'Running').length;
    }
    return { knownCount, unknownCount };
  }

  #nodesReflector(): Reflector<Node> {
    const { scope, keepsImages = false } = this.#options;
    return new Reflector<Node>({
      ...this.#options,
      resource: 'nodes',
      labelSelector: this.#nodeSelector,
      fieldSelector: scope.nodeName === undefined ? undefined : `metadata.name=${scope.nodeName}`,
      store: this.#nodes,
      project: (object) => {
        const node = projectNode(object, this.#intern, { keepsImages });
        return isInScope(scope, node.name) ? node : undefined;
      },
    });
  }

  #podsReflector(namespace: string | undefined): Reflector<Pod> {
    const { podSelector, scope, clock, namespaces } = this.#options;
    return new Reflector<Pod>({
      ...this.#options,
      resource: 'pods',
      namespace,
      labelSelector: podSelector.length === 0 ? undefined : formatSelector(podSelector),
      fieldSelector: scope.nodeName === undefined ? undefined : `spec.nodeName=${scope.nodeName}`,
      store: this.#pods,
      isInScope: (pod) => namespace === undefined || pod.namespace === namespace,
      project: (object) =>
        isPodInScope(object, { ...scope, namespaces })
          ? withPlausibleStart(projectPod(object, this.#intern, this.#dedupe), clock.steadyNowMs())
          : undefined,
    });
  }

  #rememberDeleted({ type, object }: StoreChange<Pod>): void {
    if (type === 'removed') this.#deletedPods.add(object.kubeletUid);
    else this.#deletedPods.delete(object.kubeletUid);
  }
}

function podKey({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `${namespace}/${name}`;
}
