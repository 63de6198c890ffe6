import { setMaxListeners } from 'node:events';

import { createDedupe } from '../kube/dedupe.js';
import { createInterner } from '../kube/interner.js';
import type { Node, Pod } from '../kube/objects.js';
import { projectNode, projectPod } from '../kube/projection.js';
import { isInScope } from '../kube/scope.js';
import { formatSelector } from '../kube/selector.js';
import type { ClusterStoreOptions } from './cluster-store-options.js';
import { watchesAllNamespaces } from './cluster-wide-pods.js';
import { isPodInScope, withPlausibleStart } from './kept-pods.js';
import { ObjectStore, type StoreChange } from './object-store.js';
import { Reflector } from './reflector.js';
import type { Resource } from './resource-path.js';
import { type PodCounts, StoreDoubt } from './store-doubt.js';
import { Tombstones } from './tombstones.js';

/** Names, label keys and label values of a large cluster. */
const maxInternedCount = 200_000;

/** Distinct label sets, container lists and volume lists of a large cluster: some 20 MB. */
const maxDedupedCount = 50_000;

/** One list and watch. */
interface Part {
  readonly name: string;
  readonly resource: Resource;
  /** '' for all namespaces. */
  readonly namespace: string;
  readonly reflector: Reflector<Node> | Reflector<Pod>;
}

export interface UnsyncedPart extends Pick<Part, 'name' | 'resource' | 'namespace'> {
  /** Of the last failure; undefined while the first list is under way. */
  readonly reason: string | undefined;
  /** The last error, or that the first list is under way. */
  readonly message: string;
  /** Since the store has tried to list it, in milliseconds. */
  readonly forMs: number;
}

/** After this time, namespaces whose pods cannot be listed do not hold back the others. */
const partialAfterMs = 30_000;

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
  readonly #options: ClusterStoreOptions;
  readonly #nodes: ObjectStore<Node>;
  readonly #pods: ObjectStore<Pod>;
  readonly #deletedPods: Tombstones;
  /** Undefined for all nodes. */
  readonly #nodeSelector: string | undefined;
  readonly #goneNodes: Tombstones;
  /** Whether nodes or pods that exist may have been removed. */
  readonly #doubts: Readonly<Record<Resource, StoreDoubt>>;
  #parts: readonly Part[];
  /** Resolves when it is known how pods are watched. */
  readonly #chosen: Promise<void>;
  #resolveChosen: () => void = () => undefined;
  readonly #startedAtMs: number;
  #unlistedNamespaces: readonly string[];
  readonly #intern = createInterner(maxInternedCount);
  readonly #dedupe = createDedupe(maxDedupedCount);

  constructor(options: ClusterStoreOptions) {
    const { clock, random, rememberDeletedMs, namespaces, observer } = options;
    this.#options = options;
    this.#chosen = new Promise((resolve) => {
      this.#resolveChosen = resolve;
    });
    this.#startedAtMs = clock.monotonicMs();
    this.#doubts = { nodes: new StoreDoubt(clock, random), pods: new StoreDoubt(clock, random) };
    this.#unlistedNamespaces = namespaces;
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
    this.#parts = [this.#nodesPart()];
    observer.trackStore({ resource: 'nodes', scopes: [''], objectCount: () => this.#nodes.size });
    this.#watchPods(namespaces.length === 0 ? [undefined] : namespaces);
  }

  /** Resolves when all reflectors have ended after the signal; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    setMaxListeners(0, signal); // each watch has one
    const [nodes] = this.#parts;
    await Promise.all([nodes?.reflector.run(signal), this.#runPods(signal)]);
  }

  /** Resolves when the nodes in scope have been listed once. */
  async listedNodes(): Promise<void> {
    await this.#parts[0]?.reflector.firstList.synced;
  }

  /** Resolves when all nodes and pods in scope have been listed once. */
  async synced(): Promise<void> {
    await this.#chosen;
    await Promise.all(this.#parts.map(({ reflector }) => reflector.firstList.synced));
  }

  /** Resolves when each list has succeeded once, or failed for a reason that does not go away by itself. */
  async settled(): Promise<void> {
    await this.#chosen;
    await Promise.all(this.#parts.map(({ reflector }) => reflector.firstList.settled));
  }

  /** Whether all nodes and pods in scope have been listed once. */
  get isComplete(): boolean {
    return this.#parts.every(({ reflector }) => reflector.hasSynced);
  }

  /**
   * Whether there is something to serve: all nodes and pods in scope have been listed once, or, 30 s after the start, the
   * nodes and the pods of at least one namespace. Never false again.
   */
  get hasSynced(): boolean {
    const [nodes, ...pods] = this.#parts.map(({ reflector }) => reflector.hasSynced);
    if (nodes !== true) return false;
    return pods.every(Boolean) || (this.#ageMs >= partialAfterMs && pods.some(Boolean));
  }

  /** The namespaces in scope whose pods have not been listed yet: the same array until one of them is. */
  unlistedNamespaces(): readonly string[] {
    const unlisted = this.#unlistedNamespaces.filter((namespace) =>
      this.#parts.some((part) => part.namespace === namespace && !part.reflector.hasSynced),
    );
    if (unlisted.length < this.#unlistedNamespaces.length) this.#unlistedNamespaces = unlisted;
    return this.#unlistedNamespaces;
  }

  /** The lists of the store: `nodes`, and `pods` or `pods in NAMESPACE`. */
  get partNames(): readonly string[] {
    return this.#parts.map(({ name }) => name);
  }

  /** Whether the API server cannot be reached, as far as lists and watches show. */
  get isServerAway(): boolean {
    return this.#parts.some(({ reflector }) => reflector.isServerAway);
  }

  unsyncedParts(): readonly UnsyncedPart[] {
    return this.#parts
      .filter(({ reflector }) => !reflector.hasSynced)
      .map(({ reflector: { lastFailure }, ...part }) => ({
        ...part,
        reason: lastFailure?.reason,
        message: lastFailure?.message ?? 'the first list is under way',
        forMs: this.#ageMs,
      }));
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
    return (
      this.#nodeSelector === undefined || this.#parts[0]?.reflector.hasSynced !== true || this.#goneNodes.has(nodeName)
    );
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
    const due = this.isServerAway ? undefined : this.#doubts[resource].dueList(counts);
    if (due === undefined) return;
    const log = due === 'first' ? this.#options.logger.warn : this.#options.logger.debug;
    log(`${doubtReasons[resource]}: ${resource} are listed again`, { ...counts });
    for (const part of this.#parts) if (part.resource === resource) part.reflector.relist();
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

  /** One list and watch for each of the namespaces; undefined stands for all. Replaces the former ones. */
  #watchPods(namespaces: readonly (string | undefined)[]): void {
    this.#parts = [...this.#parts.slice(0, 1), ...namespaces.map((namespace) => this.#podsPart(namespace))];
    this.#options.observer.trackStore({
      resource: 'pods',
      scopes: namespaces.map((namespace) => namespace ?? ''),
      objectCount: () => this.#pods.size,
    });
  }

  async #runPods(signal: AbortSignal): Promise<void> {
    const isAtOnce = await watchesAllNamespaces(this.#options, signal).catch(() => false);
    if (isAtOnce) this.#watchPods([undefined]);
    this.#resolveChosen();
    await Promise.all(this.#parts.slice(1).map(({ reflector }) => reflector.run(signal)));
  }

  get #ageMs(): number {
    return this.#options.clock.monotonicMs() - this.#startedAtMs;
  }

  #nodesPart(): Part {
    const { scope, keepsImages = false } = this.#options;
    const reflector = new Reflector<Node>({
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
    return { name: 'nodes', resource: 'nodes', namespace: '', reflector };
  }

  #podsPart(namespace: string | undefined): Part {
    const { podSelector, scope, clock, namespaces } = this.#options;
    const reflector = new Reflector<Pod>({
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
    const name = namespace === undefined ? 'pods' : `pods in ${namespace}`;
    return { name, resource: 'pods', namespace: namespace ?? '', reflector };
  }

  #rememberDeleted({ type, object }: StoreChange<Pod>): void {
    if (type === 'removed') this.#deletedPods.add(object.kubeletUid);
    else this.#deletedPods.delete(object.kubeletUid);
  }
}

function podKey({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `${namespace}/${name}`;
}
