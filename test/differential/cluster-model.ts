/** A cluster as plain data: what its API server and its kubelets say at this moment. */
import type { FailureReason } from '../../src/lib/base/errors.js';
import { type Labels, layouts, nodeObject, podObject } from './model-objects.js';

export interface ModelPod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly nodeName: string | undefined;
  readonly labels: Labels;
  /** Selects one of the specs of {@link podObject}. */
  readonly shape: number;
  readonly owner: { readonly kind: string; readonly name: string } | undefined;
  /** Of the mirror of a static pod: the UID that the kubelet reports. */
  readonly staticUid?: string;
  readonly phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed';
  readonly startedAtMs: number;
  readonly debuggedCount: number;
  readonly evicted?: { readonly message: string; readonly atMs: number };
}

export interface ModelNode {
  readonly name: string;
  readonly uid: string;
  readonly labels: Labels;
  readonly version: string;
  readonly allocatable: string;
  readonly enforcesLimits: boolean;
}

/** A pod that a kubelet lists and the API server never knew, or no longer knows. */
export interface KubeletPod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly shape: number;
  readonly startedAtMs: number;
  /** Until then it is listed. */
  readonly untilMs: number;
}

/** What a kubelet does when it is asked. */
export type Behaviour = 'responds' | 'hangs' | 'garbage' | 'empty' | 'other-node' | FailureReason;

export interface ModelKubelet {
  behaviour: Behaviour;
  /** Other figures with each number. */
  usage: number;
  layout: number;
  /** At its start: it goes by that one. */
  layoutOfStart: number;
  startedAtMs: number | undefined;
  configuration: number;
  /** It answers, and measures no longer. */
  frozenAtMs: number | undefined;
  /** Free inodes are negative to it. */
  isNegative: boolean;
  /** Pods that it lists besides those of the API server. */
  strangers: KubeletPod[];
  /** Kubelet UIDs of pods that it does not list, and of those that it lists without a total, without their volumes, or with negative parts. */
  readonly unlisted: Set<string>;
  readonly withoutTotal: Set<string>;
  readonly withoutVolumes: Set<string>;
  readonly withNegativeParts: Set<string>;
}

export type Resource = 'nodes' | 'pods';
export type ApiObject = ReturnType<typeof nodeObject> | ReturnType<typeof podObject>;

/** A change of one object, as watches report it. */
export interface ModelEvent {
  readonly resource: Resource;
  readonly version: number;
  readonly before: ApiObject | undefined;
  readonly after: ApiObject | undefined;
}

export function newKubelet(startedAtMs: number | undefined, layout = 0): ModelKubelet {
  return {
    behaviour: 'responds',
    usage: 1,
    layout,
    layoutOfStart: layout,
    startedAtMs,
    configuration: 0,
    frozenAtMs: undefined,
    isNegative: false,
    strangers: [],
    unlisted: new Set(),
    withoutTotal: new Set(),
    withoutVolumes: new Set(),
    withNegativeParts: new Set(),
  };
}

interface Stored<Item> {
  readonly item: Item;
  readonly object: ApiObject;
}

/** The objects in the order in which watches have reported them: a list has them in the same order. */
export class ClusterModel {
  readonly kubelets = new Map<string, ModelKubelet>();
  readonly events: ModelEvent[] = [];
  readonly forbiddenNamespaces = new Set<string>();
  /** Monotonic time at which there were none any longer. */
  allowedAtMs = -Infinity;
  readonly #onEvent: (event: ModelEvent) => void;
  readonly #nodes = new Map<string, Stored<ModelNode>>();
  readonly #pods = new Map<string, Stored<ModelPod>>();
  /** By which kubelets report pods. */
  readonly #everKnownUids = new Set<string>();
  #version = 100;
  #uidCount = 0;

  constructor(onEvent: (event: ModelEvent) => void) {
    this.#onEvent = onEvent;
  }

  get version(): number {
    return this.#version;
  }

  get nodes(): readonly ModelNode[] {
    return Array.from(this.#nodes.values(), ({ item }) => item);
  }

  get pods(): readonly ModelPod[] {
    return Array.from(this.#pods.values(), ({ item }) => item);
  }

  objects(resource: Resource): readonly ApiObject[] {
    const stored: Iterable<Stored<ModelNode | ModelPod>> = (resource === 'nodes' ? this.#nodes : this.#pods).values();
    return Array.from(stored, ({ object }) => object);
  }

  newUid(): string {
    this.#uidCount += 1;
    return `uid-${this.#uidCount}`;
  }

  kubelet(nodeName: string): ModelKubelet {
    const known = this.kubelets.get(nodeName) ?? newKubelet(undefined);
    this.kubelets.set(nodeName, known);
    return known;
  }

  /** Whether all that matters of it shows in what it says now. */
  isWithoutPast({ behaviour, strangers, layout, layoutOfStart, frozenAtMs }: ModelKubelet): boolean {
    const hangs = behaviour === 'hangs' || behaviour === 'timeout';
    const listsDeleted = strangers.some(({ uid }) => this.#everKnownUids.has(uid));
    const isDecidedAtOnce = layout === layoutOfStart && layout % layouts.length < layouts.indexOf('unknown');
    return !hangs && !listsDeleted && isDecidedAtOnce && frozenAtMs === undefined;
  }

  /** Whether the summary of the node has a pod. */
  listsPods(nodeName: string): boolean {
    const { strangers, unlisted } = this.kubelet(nodeName);
    const isListed = (pod: ModelPod): boolean => pod.nodeName === nodeName && !unlisted.has(pod.staticUid ?? pod.uid);
    return strangers.length > 0 || this.pods.some(isListed);
  }

  podNamed(namespace: string, name: string): ModelPod | undefined {
    return this.#pods.get(`${namespace}/${name}`)?.item;
  }

  setNode(node: ModelNode): void {
    this.#set('nodes', this.#nodes, { key: node.name, item: node, object: nodeObject(node, this.#next()) });
  }

  removeNode(name: string): void {
    this.#remove('nodes', this.#nodes, name);
  }

  /** A pod that becomes bound is the last one of its node. */
  setPod(pod: ModelPod): void {
    const key = `${pod.namespace}/${pod.name}`;
    const before = this.#pods.get(key);
    this.#everKnownUids.add(pod.staticUid ?? pod.uid);
    const object = podObject(pod, this.#next());
    const isBound = before !== undefined && before.item.nodeName === undefined && pod.nodeName !== undefined;
    this.#set('pods', this.#pods, { key, item: pod, object });
    if (!isBound) return;
    this.#pods.delete(key);
    this.#pods.set(key, { item: pod, object });
  }

  removePod({ namespace, name }: Pick<ModelPod, 'namespace' | 'name'>): void {
    this.#remove('pods', this.#pods, `${namespace}/${name}`);
  }

  #next(): number {
    this.#version += 1;
    return this.#version;
  }

  #set<Item>(
    resource: Resource,
    objects: Map<string, Stored<Item>>,
    { key, ...stored }: Stored<Item> & { readonly key: string },
  ): void {
    const before = objects.get(key)?.object;
    objects.set(key, stored);
    this.#emit({ resource, version: this.#version, before, after: stored.object });
  }

  #remove<Item>(resource: Resource, objects: Map<string, Stored<Item>>, key: string): void {
    const before = objects.get(key)?.object;
    if (before === undefined) return;
    objects.delete(key);
    this.#emit({ resource, version: this.#next(), before, after: undefined });
  }

  #emit(event: ModelEvent): void {
    this.events.push(event);
    this.#onEvent(event);
  }
}
