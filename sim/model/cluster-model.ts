import type { ObjectStore } from '../api-server/versioned-objects.js';
import { type ClusterModelOptions, ensureNamespace } from './namespaces.js';
import { nodeObject, type SimulatedNode } from './node-object.js';
import { podObject } from './pod-object.js';
import {
  cleanedUp,
  completed,
  crashed,
  evicted,
  type Eviction,
  type PodEdit,
  rejected,
  restarted,
  scheduledPod,
  started,
  withEphemeralContainer,
} from './pod-states.js';
import type { Random } from './random.js';
import type { Schedule } from './schedule.js';
import { Services } from './services.js';
import { initialImages } from './simulated-images.js';
import { isExempt, isTerminal, type SimulatedPod } from './simulated-pod.js';
import type { ContainerSpec, ImageSpec, NodeSpec, PodSpec } from './specs.js';

const heartbeatMs = 5 * 60 * 1000;
/** Time from the kubelet's decision to evict a pod until the API server shows it as Failed. */
const killMs = 2_500;
/** Time for which the kubelet still lists an evicted pod that is Failed. */
const cleanUpMs = 1_000;
/** Share of the containers that kubelets do not find after they have killed them: 9 of 29 in recordings. */
const lostContainerShare = 0.3;

/** Nodes and pods of the simulated cluster. Every change becomes an object and an event in the store. */
export class ClusterModel {
  readonly #options: ClusterModelOptions;
  readonly #store: ObjectStore;
  readonly #schedule: Schedule;
  readonly #random: Random;
  readonly #nodes = new Map<string, SimulatedNode>();
  readonly #pods = new Map<string, SimulatedPod>();
  /** By UID: a kubelet still lists an evicted pod for a moment after its controller has deleted it. */
  readonly #podsByNode = new Map<string, Map<string, SimulatedPod>>();
  readonly #ownerUids = new Map<string, string>();
  readonly #failureListeners: ((pod: SimulatedPod) => void)[] = [];
  readonly services: Services;

  constructor(options: ClusterModelOptions) {
    this.#options = options;
    this.#store = options.store;
    this.#schedule = options.schedule;
    this.#random = options.random;
    this.services = new Services(options);
    for (const name of ['default', 'kube-system']) ensureNamespace(options, name);
  }

  get nodes(): readonly SimulatedNode[] {
    return [...this.#nodes.values()];
  }

  get pods(): readonly SimulatedPod[] {
    return [...this.#pods.values()];
  }

  node(name: string): SimulatedNode | undefined {
    return this.#nodes.get(name);
  }

  pod(namespace: string, name: string): SimulatedPod | undefined {
    return this.#pods.get(podKey(namespace, name));
  }

  podsOn(nodeName: string): readonly SimulatedPod[] {
    return [...(this.#podsByNode.get(nodeName)?.values() ?? [])];
  }

  /** Whether this very pod still exists, not only one of its name. */
  hasPod({ spec, uid }: SimulatedPod): boolean {
    return this.#pods.get(podKey(spec.namespace, spec.name))?.uid === uid;
  }

  /** Adds a ready node whose kubelet already listens. */
  addNode(spec: NodeSpec, kubeletPort: number): void {
    if (this.#nodes.has(spec.name)) throw new Error(`node ${spec.name} already exists`);
    const nowMs = this.#schedule.nowMs;
    this.#putNode({
      spec,
      kubeletPort,
      uid: this.#random.uuid(),
      isReady: true,
      images: initialImages(spec),
      hasDiskPressure: false,
      diskPressureChangedAtMs: nowMs,
      createdAtMs: nowMs,
      transitionAtMs: nowMs,
      heartbeatAtMs: nowMs,
    });
    this.#schedule.after(heartbeatMs, () => {
      this.#beat(spec.name);
    });
  }

  /** Removes the node and its pods. */
  removeNode(name: string): void {
    for (const pod of this.podsOn(name)) {
      if (this.hasPod(pod)) this.deletePod(pod.spec.namespace, pod.spec.name);
    }
    this.#nodes.delete(name);
    this.#store.remove('nodes', name);
  }

  setReady(name: string, isReady: boolean): void {
    const nowMs = this.#schedule.nowMs;
    this.#putNode({ ...this.#node(name), isReady, transitionAtMs: nowMs, heartbeatAtMs: nowMs });
  }

  /** Replaces the images on the node's disk: a kubelet has pulled or deleted some. */
  setImages(name: string, images: readonly ImageSpec[]): void {
    this.#putNode({ ...this.#node(name), images });
  }

  /** Sets the condition and the taint of the node. While it is set, the kubelet starts no pods but exempt ones. */
  setDiskPressure(name: string, hasDiskPressure: boolean): void {
    const node = this.#node(name);
    if (node.hasDiskPressure === hasDiskPressure) return;
    const nowMs = this.#schedule.nowMs;
    this.#putNode({ ...node, hasDiskPressure, diskPressureChangedAtMs: nowMs, heartbeatAtMs: nowMs });
  }

  /** Adds a pod, and its namespace if it does not exist. Names are unique in a namespace. */
  addPod(spec: PodSpec): SimulatedPod {
    const key = podKey(spec.namespace, spec.name);
    if (this.#pods.has(key)) throw new Error(`pod ${key} already exists`);
    ensureNamespace(this.#options, spec.namespace);
    const uid = spec.uid ?? this.#random.uuid();
    const pod = scheduledPod(spec, {
      uid,
      kubeletUid: spec.isStatic === true ? this.#random.hex(32) : uid,
      ownerUid: this.#ownerUid(spec),
      nowMs: this.#schedule.nowMs - (spec.hasRunMs ?? 0),
      pace: this.#random.between(0.8, 1.2),
      firstVolumePassMs: Math.round(this.#random.between(5_000, 20_000)),
    });
    if (spec.nodeName === undefined) return this.#putPod(pod);
    if (spec.startAfterMs === undefined) return this.#start(pod);
    this.#editLater(pod, spec.startAfterMs, (current) => (isTerminal(current) ? current : this.#start(current)));
    return this.#putPod(pod);
  }

  /** Binds a pending pod to a node, as the scheduler does, and starts it. */
  bindPod(namespace: string, name: string, nodeName: string): SimulatedPod {
    const pod = this.#pod(namespace, name);
    return this.#start({ ...pod, spec: { ...pod.spec, nodeName } });
  }

  /** Replaces the labels or the annotations of a pod. */
  updatePod(namespace: string, name: string, change: Pick<PodSpec, 'labels' | 'annotations'>): SimulatedPod {
    const pod = this.#pod(namespace, name);
    return this.#putPod({ ...pod, spec: { ...pod.spec, ...change } });
  }

  /** Adds an ephemeral container to a running pod: it cannot be removed. */
  addEphemeralContainer(namespace: string, name: string, container: ContainerSpec): SimulatedPod {
    return this.#putPod(withEphemeralContainer(this.#pod(namespace, name), container, this.#schedule.nowMs));
  }

  /** Deletes the pod, or marks it as terminating and deletes it after `graceMs`. */
  deletePod(namespace: string, name: string, graceMs = 0): void {
    const pod = this.#pod(namespace, name);
    if (isTerminal(pod) && pod.failure !== undefined) this.#putPod({ ...pod, deletedAtMs: this.#schedule.nowMs });
    if (graceMs === 0 || isTerminal(pod)) {
      this.#pods.delete(podKey(namespace, name));
      this.#store.remove('pods', podKey(namespace, name));
      this.#leaveNode(pod);
      return;
    }
    this.#putPod({ ...pod, deletedAtMs: this.#schedule.nowMs + graceMs });
    this.#editLater(pod, graceMs, () => {
      this.deletePod(namespace, name);
    });
  }

  /** Completes a pod: the kubelet no longer reports it, the API server does until it is deleted. */
  completePod(namespace: string, name: string): SimulatedPod {
    return this.#putPod(completed(this.#pod(namespace, name), this.#schedule.nowMs));
  }

  /**
   * Kills the pod as a kubelet that evicts it: soon it is Failed, then its kubelet no longer lists it. It stays until its
   * controller deletes it.
   */
  evictPod(pod: SimulatedPod, eviction: Pick<Eviction, 'message' | 'isForNode'>): void {
    this.#putPod(pod); // kubelets update the status once more before the pod is Failed
    this.#editLater(pod, killMs, (current) => {
      if (isTerminal(current)) return;
      const nowMs = this.#schedule.nowMs;
      const isLost = (): boolean => this.#random.next() < lostContainerShare;
      this.#editLater(pod, cleanUpMs, (failed) => this.#putPod(cleanedUp(failed)));
      this.#fail(evicted(current, { ...eviction, nowMs, measuredUntilMs: nowMs + cleanUpMs, isLost }));
    });
  }

  /** Called with each pod that becomes Failed. */
  onPodFailed(listener: (pod: SimulatedPod) => void): void {
    this.#failureListeners.push(listener);
  }

  #fail(pod: SimulatedPod): void {
    this.#putPod(pod);
    for (const listener of this.#failureListeners) listener(pod);
  }

  #start(pod: SimulatedPod): SimulatedPod {
    if (this.#nodes.get(pod.spec.nodeName ?? '')?.hasDiskPressure === true && !isExempt(pod)) {
      const refused = rejected(pod, 'Pod was rejected: The node had condition: [DiskPressure]. ', this.#schedule.nowMs);
      this.#fail(refused);
      return refused;
    }
    const { runMs, containers, hasRunMs = 0 } = pod.spec;
    if (runMs !== undefined) {
      this.#editLater(pod, runMs, ({ spec, phase }) => {
        if (phase === 'Running') this.completePod(spec.namespace, spec.name);
      });
    }
    for (const { name, crashLoop } of containers) {
      if (crashLoop !== undefined) this.#crashLater(pod, name, crashLoop);
    }
    return this.#putPod(started(pod, this.#schedule.nowMs - hasRunMs));
  }

  #crashLater(pod: SimulatedPod, containerName: string, loop: { runMs: number; backoffMs: number }): void {
    this.#editLater(pod, loop.runMs, (running) => {
      if (running.phase !== 'Running') return;
      this.#putPod(crashed(running, containerName, this.#schedule.nowMs));
      this.#editLater(pod, loop.backoffMs, (waiting) => {
        if (waiting.phase !== 'Running') return;
        this.#putPod(restarted(waiting, containerName, this.#schedule.nowMs));
        this.#crashLater(pod, containerName, loop);
      });
    });
  }

  /** Runs the edit on the pod as of then, unless it has been deleted. */
  #editLater({ spec, uid }: SimulatedPod, delayMs: number, edit: PodEdit): void {
    this.#schedule.after(delayMs, () => {
      const current = this.#pods.get(podKey(spec.namespace, spec.name));
      if (current?.uid === uid) edit(current);
    });
  }

  #node(name: string): SimulatedNode {
    const node = this.#nodes.get(name);
    if (node === undefined) throw new Error(`unknown node ${name}`);
    return node;
  }

  #pod(namespace: string, name: string): SimulatedPod {
    const pod = this.#pods.get(podKey(namespace, name));
    if (pod === undefined) throw new Error(`unknown pod ${namespace}/${name}`);
    return pod;
  }

  #putPod(pod: SimulatedPod): SimulatedPod {
    const { namespace, name, nodeName } = pod.spec;
    this.#pods.set(podKey(namespace, name), pod);
    if (nodeName !== undefined) {
      const onNode = this.#podsByNode.get(nodeName) ?? new Map<string, SimulatedPod>();
      this.#podsByNode.set(nodeName, onNode.set(pod.uid, pod));
    }
    this.#store.put(podObject(pod));
    return pod;
  }

  #leaveNode({ spec, uid, failure }: SimulatedPod): void {
    const leave = (): unknown => this.#podsByNode.get(spec.nodeName ?? '')?.delete(uid);
    const listedMs = failure?.kind === 'evicted' ? failure.measuredUntilMs - this.#schedule.nowMs : 0;
    if (listedMs > 0) this.#schedule.after(listedMs, leave);
    else leave();
  }

  #putNode(node: SimulatedNode): void {
    this.#nodes.set(node.spec.name, node);
    this.#store.put(nodeObject(node));
  }

  #beat(name: string): void {
    const node = this.#nodes.get(name);
    if (node === undefined) return;
    this.#putNode({ ...node, heartbeatAtMs: this.#schedule.nowMs });
    this.#schedule.after(heartbeatMs, () => {
      this.#beat(name);
    });
  }

  #ownerUid({ isStatic, nodeName, namespace, owner }: PodSpec): string | undefined {
    if (isStatic === true) return this.#nodes.get(nodeName ?? '')?.uid;
    if (owner === undefined) return undefined;
    const key = `${namespace}/${owner.kind}/${owner.name}`;
    const uid = this.#ownerUids.get(key) ?? this.#random.uuid();
    this.#ownerUids.set(key, uid);
    return uid;
  }
}

function podKey(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}
