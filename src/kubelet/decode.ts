import { type JsonCursor, noMember } from '../base/json-cursor.js';
import type {
  ContainerFsStats,
  ContainerSummary,
  IoPressure,
  NodeSummary,
  PodSummary,
  VolumeSummary,
} from './summary.js';
import { containerShape, fsShape, nodeShape, podRefShape, podShape, runtimeShape } from './summary-shapes.js';
import { type SaturatedCounts, SummaryValues } from './summary-values.js';

type NodeStats = Omit<NodeSummary, 'pods' | 'saturatedCount'>;
type Writable<T> = { -readonly [K in keyof T]: T[K] };
type PodRef = Pick<PodSummary, 'namespace' | 'name' | 'uid'>;
type Usage = Pick<PodSummary, 'usedBytes' | 'inodesUsed'>;

const noUsage: Usage = { usedBytes: undefined, inodesUsed: undefined };

const ofNode = nodeShape.bits;
const ofRuntime = runtimeShape.bits;
const ofContainer = containerShape.bits;
const ofPod = podShape.bits;
const ofPodRef = podRefShape.bits;
const ofFs = fsShape.bits;

/**
 * Decodes the parts of one summary at a cursor and counts the values that were too large.
 *
 * Whatever is missing or malformed is left out: a value that is not a whole number of at least 0, a time that is not
 * RFC 3339 or is Go's zero time, a container or volume without a name, a pod without namespace, name or UID. A name of more
 * than 253 characters is none; one with half a surrogate pair, which no exposition can hold, is made well-formed.
 * Containers of the same name are all kept.
 *
 * All methods throw as the cursor does.
 */
export class SummaryDecoder {
  readonly #cursor: JsonCursor;
  readonly #values: SummaryValues;

  constructor(cursor: JsonCursor) {
    this.#cursor = cursor;
    this.#values = new SummaryValues(cursor);
  }

  /** Of the values so far. May be set to what it was when values that were read since are not kept. */
  get counts(): SaturatedCounts {
    return this.#values.counts;
  }

  set counts(counts: SaturatedCounts) {
    this.#values.counts = counts;
  }

  /** Undefined without a nodeName. */
  node(): NodeStats | undefined {
    const cursor = this.#cursor;
    const values = this.#values;
    let nodeName: string | undefined;
    const stats: Writable<Omit<NodeStats, 'nodeName'>> = {
      ioPressure: undefined,
      nodefs: undefined,
      imagefs: undefined,
      containerfs: undefined,
      kubeletStartedAtMs: undefined,
    };
    let seen = 0;
    let member = cursor.firstMember(nodeShape);
    for (; member !== noMember; member = cursor.nextMember(nodeShape, seen)) {
      seen |= member;
      if (member === ofNode.nodeName) nodeName = values.name();
      else if (member === ofNode.systemContainers) stats.kubeletStartedAtMs = this.#kubeletStartMs();
      else if (member === ofNode.io) stats.ioPressure = values.ioPressure();
      else if (member === ofNode.fs) stats.nodefs = values.fs();
      else if (member === ofNode.runtime) this.#readRuntime(stats);
      else cursor.skip();
    }
    return nodeName === undefined ? undefined : { nodeName, ...stats };
  }

  #readRuntime(stats: Writable<Pick<NodeStats, 'imagefs' | 'containerfs'>>): void {
    const cursor = this.#cursor;
    let seen = 0;
    let member = cursor.firstMember(runtimeShape);
    for (; member !== noMember; member = cursor.nextMember(runtimeShape, seen)) {
      seen |= member;
      if (member === ofRuntime.imageFs) stats.imagefs = this.#values.fs();
      else if (member === ofRuntime.containerFs) stats.containerfs = this.#values.fs();
      else cursor.skip();
    }
  }

  /** Of the first system container that is the kubelet. */
  #kubeletStartMs(): number | undefined {
    const cursor = this.#cursor;
    let startMs: number | undefined;
    let isKnown = false;
    for (let more = cursor.firstItem(); more; more = cursor.nextItem()) {
      const { name, startTimeMs } = this.#systemContainer();
      if (!isKnown && name === 'kubelet') {
        isKnown = true;
        startMs = startTimeMs;
      }
    }
    return startMs;
  }

  #systemContainer(): { readonly name: string | undefined; readonly startTimeMs: number | undefined } {
    const cursor = this.#cursor;
    let name: string | undefined;
    let startTimeMs: number | undefined;
    let seen = 0;
    let member = cursor.firstMember(containerShape);
    for (; member !== noMember; member = cursor.nextMember(containerShape, seen)) {
      seen |= member;
      if (member === ofContainer.name) name = cursor.name();
      else if (member === ofContainer.startTime) startTimeMs = this.#values.timeMs();
      else cursor.skip();
    }
    return { name, startTimeMs };
  }

  /** Undefined without namespace, name or UID. */
  pod(): PodSummary | undefined {
    const cursor = this.#cursor;
    const values = this.#values;
    const before = this.counts;
    let podRef: PodRef | undefined;
    let startTimeMs: number | undefined;
    let containers: readonly ContainerSummary[] = [];
    let ioPressure: IoPressure | undefined;
    let volumes: readonly VolumeSummary[] | undefined;
    let usage = noUsage;
    let seen = 0;
    let member = cursor.firstMember(podShape);
    for (; member !== noMember; member = cursor.nextMember(podShape, seen)) {
      seen |= member;
      if (member === ofPod.podRef) podRef = this.#podRef();
      else if (member === ofPod.startTime) startTimeMs = values.timeMs();
      else if (member === ofPod.containers) containers = this.#containers();
      else if (member === ofPod.io) ioPressure = values.ioPressure();
      else if (member === ofPod.volume) volumes = this.#volumes();
      else if (member === ofPod['ephemeral-storage']) usage = this.#usage();
      else cursor.skip();
    }
    if (podRef === undefined) {
      this.counts = before;
      return undefined;
    }
    const { namespace, name, uid } = podRef;
    const { usedBytes, inodesUsed } = usage;
    return { namespace, name, uid, startTimeMs, usedBytes, inodesUsed, ioPressure, containers, volumes };
  }

  #podRef(): PodRef | undefined {
    const cursor = this.#cursor;
    let name: string | undefined;
    let namespace: string | undefined;
    let uid: string | undefined;
    let seen = 0;
    let member = cursor.firstMember(podRefShape);
    for (; member !== noMember; member = cursor.nextMember(podRefShape, seen)) {
      seen |= member;
      if (member === ofPodRef.name) name = this.#values.name();
      else if (member === ofPodRef.namespace) namespace = this.#values.name();
      else if (member === ofPodRef.uid) uid = this.#values.name();
      else cursor.skip();
    }
    return namespace === undefined || name === undefined || uid === undefined ? undefined : { namespace, name, uid };
  }

  #usage(): Usage {
    const cursor = this.#cursor;
    let usedBytes: number | undefined;
    let inodesUsed: number | undefined;
    let seen = 0;
    let member = cursor.firstMember(fsShape);
    for (; member !== noMember; member = cursor.nextMember(fsShape, seen)) {
      seen |= member;
      if (member === ofFs.usedBytes) usedBytes = this.#values.bytesOrCount();
      else if (member === ofFs.inodesUsed) inodesUsed = this.#values.bytesOrCount();
      else cursor.skip();
    }
    return { usedBytes, inodesUsed };
  }

  #containers(): readonly ContainerSummary[] {
    const cursor = this.#cursor;
    const containers: ContainerSummary[] = [];
    for (let more = cursor.firstItem(); more; more = cursor.nextItem()) {
      const container = this.#container();
      if (container !== undefined) containers.push(container);
    }
    return containers;
  }

  #container(): ContainerSummary | undefined {
    const cursor = this.#cursor;
    const before = this.counts;
    let name: string | undefined;
    let rootfs: ContainerFsStats | undefined;
    let logs: ContainerFsStats | undefined;
    let seen = 0;
    let member = cursor.firstMember(containerShape);
    for (; member !== noMember; member = cursor.nextMember(containerShape, seen)) {
      seen |= member;
      if (member === ofContainer.name) name = this.#values.name();
      else if (member === ofContainer.rootfs) rootfs = this.#values.containerFs();
      else if (member === ofContainer.logs) logs = this.#values.containerFs();
      else cursor.skip();
    }
    if (name !== undefined) return { name, rootfs, logs };
    this.counts = before;
    return undefined;
  }

  /** Undefined without any. */
  #volumes(): readonly VolumeSummary[] | undefined {
    const cursor = this.#cursor;
    let volumes: VolumeSummary[] | undefined;
    for (let more = cursor.firstItem(); more; more = cursor.nextItem()) {
      const volume = this.#values.volume();
      if (volume !== undefined) (volumes ??= []).push(volume);
    }
    return volumes;
  }
}
