import { largestKept } from '../../lib/base/text.js';
import { isObject, type JsonObject, objectOf, objectsOf, textOf } from '../../lib/json/json.js';
import { maxNameLength } from '../kube/pod-bounds.js';
import type { Figure } from './summary.js';
import type {
  ContainerFsStats,
  ContainerSummary,
  FilesystemSize,
  FsStats,
  IoPressure,
  NodeSummary,
  PodSummary,
  VolumeSummary,
} from './summary.js';

const noFilesystem: FilesystemSize = {
  availableBytes: undefined,
  capacityBytes: undefined,
  inodes: undefined,
  inodesFree: undefined,
};

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/** The first value that is negative to the kubelet, which compares them as int64. */
const firstNegative = 2 ** 63;

/**
 * Decodes the parts of one summary and counts the values that no disk has: those above 2^53 are read as 2^53, from 2^63 on
 * they are left out, or impossible parts of pods, see {@link Figure}. Those of more free than there is are left out.
 *
 * Whatever is missing or malformed is left out: a value that is not a whole number of at least 0, a time that is not
 * RFC 3339 or is Go's zero time, a container or volume without a name, a pod without namespace, name or UID. A name of more
 * than 253 characters is none; one with half a surrogate pair, which no exposition can hold, is made well-formed.
 * Containers of the same name are all kept.
 */
export class SummaryDecoder {
  /**
   * How many of the values so far no disk has, and how many of those are times of pressure. May be set to what it was when
   * values that were read since are not kept.
   */
  saturated: { readonly all: number; readonly ofPressure: number } = { all: 0, ofPressure: 0 };
  readonly #names = new Map<string, string>();
  #lastTime: { readonly text: unknown; readonly timeMs: number | undefined } = { text: undefined, timeMs: undefined };
  /** Of the container before: kubelets write the same values for all of a node. */
  readonly #lastFilesystems = { rootfs: noFilesystem, logs: noFilesystem };

  /** Returns undefined without a nodeName. */
  node(value: unknown): Omit<NodeSummary, 'pods' | 'saturatedCount'> | undefined {
    const node = objectOf(value);
    const nodeName = nameOf(node['nodeName']);
    if (nodeName === undefined) return undefined;
    const { imageFs, containerFs } = objectOf(node['runtime']);
    const kubelet = objectsOf(node['systemContainers']).find(({ name }) => name === 'kubelet');
    return {
      nodeName,
      ioPressure: this.#ioPressure(node['io']),
      nodefs: this.#fs(node['fs']),
      imagefs: this.#fs(imageFs),
      containerfs: this.#fs(containerFs),
      kubeletStartedAtMs: this.#timeMs(kubelet?.['startTime']),
    };
  }

  /** Returns undefined without namespace, name or UID. */
  pod(value: unknown): PodSummary | undefined {
    const pod = objectOf(value);
    const podRef = objectOf(pod['podRef']);
    const namespace = this.#sharedName(podRef['namespace']);
    const name = nameOf(podRef['name']);
    const uid = nameOf(podRef['uid']);
    if (namespace === undefined || name === undefined || uid === undefined) return undefined;
    const usage = objectOf(pod['ephemeral-storage']);
    const volumes = decoded(pod['volume'], (volume) => this.volume(volume));
    return {
      namespace,
      name,
      uid,
      startTimeMs: this.#timeMs(pod['startTime']),
      usedBytes: this.#bytesOrCount(usage['usedBytes']),
      inodesUsed: this.#bytesOrCount(usage['inodesUsed']),
      ioPressure: this.#ioPressure(pod['io']),
      containers: decoded(pod['containers'], (container) => this.container(container)),
      volumes: volumes.length === 0 ? undefined : volumes,
    };
  }

  /** Returns undefined without a name. */
  container(value: unknown): ContainerSummary | undefined {
    const container = objectOf(value);
    const name = this.#sharedName(container['name']);
    if (name === undefined) return undefined;
    return {
      name,
      timeMs: this.#timeMs(objectOf(container['rootfs'])['time']) ?? this.#timeMs(objectOf(container['logs'])['time']),
      rootfs: this.#containerFs(container, 'rootfs'),
      logs: this.#containerFs(container, 'logs'),
    };
  }

  /** Returns undefined without a name. */
  volume(value: unknown): VolumeSummary | undefined {
    const volume = objectOf(value);
    const name = this.#sharedName(volume['name']);
    if (name === undefined) return undefined;
    const capacityBytes = this.#bytesOrCount(volume['capacityBytes']);
    return {
      name,
      hasClaim: isObject(volume['pvcRef']),
      timeMs: this.#timeMs(volume['time']),
      availableBytes: this.#availableBytes(capacityBytes, volume),
      capacityBytes: bound(capacityBytes),
      usedBytes: this.#figure(volume['usedBytes']),
      inodesUsed: this.#figure(volume['inodesUsed']),
    };
  }

  /** Names of namespaces, containers and volumes recur: one string for all pods takes a tenth less memory. */
  #sharedName(value: unknown): string | undefined {
    const name = nameOf(value);
    const known = name === undefined ? undefined : this.#names.get(name);
    if (name !== undefined && known === undefined) this.#names.set(name, name);
    return known ?? name;
  }

  /** No disk has no size: zeros are what a kubelet writes for figures that it does not have. */
  #fs(value: unknown): FsStats | undefined {
    if (!isObject(value)) return undefined;
    const figures = value['capacityBytes'] === 0 ? {} : value;
    return {
      timeMs: this.#timeMs(value['time']),
      ...this.#filesystem(figures),
      usedBytes: this.#bytesOrCount(figures['usedBytes']),
      inodesUsed: this.#bytesOrCount(figures['inodesUsed']),
    };
  }

  #containerFs(container: JsonObject, part: 'rootfs' | 'logs'): ContainerFsStats | undefined {
    const value = container[part];
    if (!isObject(value)) return undefined;
    const filesystem = this.#filesystem(value);
    const last = this.#lastFilesystems[part];
    return new ContainerFs(
      this.#figure(value['usedBytes']),
      this.#figure(value['inodesUsed']),
      isSame(last, filesystem) ? last : (this.#lastFilesystems[part] = filesystem),
    );
  }

  #figure(value: unknown): Figure {
    const figure = this.#bytesOrCount(value);
    return typeof value === 'number' && value >= firstNegative ? 'impossible' : figure;
  }

  #filesystem(fs: JsonObject): FilesystemSize {
    const capacityBytes = this.#bytesOrCount(fs['capacityBytes']);
    const inodes = this.#bytesOrCount(fs['inodes']);
    return {
      availableBytes: this.#availableBytes(capacityBytes, fs),
      capacityBytes: bound(capacityBytes),
      inodes,
      inodesFree: this.#partOf(inodes, fs['inodesFree']),
    };
  }

  /** Without a bound nothing is said of what is available. */
  #availableBytes(capacityBytes: number | undefined, fs: JsonObject): number | undefined {
    return capacityBytes === 0 ? undefined : this.#partOf(capacityBytes, fs['availableBytes']);
  }

  #partOf(total: number | undefined, value: unknown): number | undefined {
    const part = this.#bytesOrCount(value);
    if (part === undefined || total === undefined || part <= total) return part;
    this.#countImpossible();
    return undefined;
  }

  /** Kubelets measure the volumes of a pod within a second: most times are the last one again. */
  #timeMs(text: unknown): number | undefined {
    if (text !== this.#lastTime.text) this.#lastTime = { text, timeMs: rfc3339Ms(text) };
    return this.#lastTime.timeMs;
  }

  #ioPressure(io: unknown): IoPressure | undefined {
    const { some, full } = objectOf(objectOf(io)['psi']);
    const before = this.saturated.all;
    const waitingUs = this.#bytesOrCount(objectOf(some)['total']);
    const stalledUs = this.#bytesOrCount(objectOf(full)['total']);
    const { all, ofPressure } = this.saturated;
    if (all !== before) this.saturated = { all, ofPressure: ofPressure + all - before };
    return waitingUs === undefined && stalledUs === undefined ? undefined : { waitingUs, stalledUs };
  }

  /** The API's values are uint64. One above 2^53 is no real size, and must not invalidate the data of the whole node. */
  #bytesOrCount(value: unknown): number | undefined {
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 0) return undefined;
    if (value <= largestKept) return Math.abs(value); // no negative zero
    this.#countImpossible();
    return value < firstNegative ? largestKept : undefined;
  }

  #countImpossible(): void {
    this.saturated = { ...this.saturated, all: this.saturated.all + 1 };
  }
}

/**
 * No literal: once a size has outgrown a small integer, V8 goes on to make those in their former shape, and moves each to the
 * new one when it is read first, in two microseconds.
 */
class ContainerFs implements ContainerFsStats {
  readonly usedBytes: Figure;
  readonly inodesUsed: Figure;
  readonly filesystem: FilesystemSize;

  constructor(usedBytes: Figure, inodesUsed: Figure, filesystem: FilesystemSize) {
    this.usedBytes = usedBytes;
    this.inodesUsed = inodesUsed;
    this.filesystem = filesystem;
  }
}

/** Decodes the items of a list. The result is exactly as long as its items: that of `push` and `filter` has room for more. */
function decoded<T>(list: unknown, decode: (item: unknown) => T | undefined): readonly T[] {
  if (!Array.isArray(list)) return [];
  const items = list.map(decode);
  return items.every((item) => item !== undefined) ? items : items.filter((item) => item !== undefined);
}

/** Returns undefined for a capacity of 0: a tmpfs without a size has no bound. */
function bound(capacityBytes: number | undefined): number | undefined {
  return capacityBytes === 0 ? undefined : capacityBytes;
}

function isSame(a: FilesystemSize, b: FilesystemSize): boolean {
  const haveSameBytes = a.availableBytes === b.availableBytes && a.capacityBytes === b.capacityBytes;
  return haveSameBytes && a.inodes === b.inodes && a.inodesFree === b.inodesFree;
}

/** Returns text of at most 253 characters; half a surrogate pair is replaced. */
function nameOf(value: unknown): string | undefined {
  const text = textOf(value);
  return text === undefined || text.length > maxNameLength ? undefined : text.toWellFormed();
}

/** Returns milliseconds since the epoch; undefined for Go's zero time. */
function rfc3339Ms(value: unknown): number | undefined {
  if (typeof value !== 'string' || !rfc3339.test(value)) return undefined;
  const timeMs = Date.parse(value);
  return timeMs > 0 ? timeMs : undefined;
}
