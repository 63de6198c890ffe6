import { isObject, type JsonObject, objectOf, objectsOf, textOf } from '../json/json.js';
import type {
  ContainerFsStats,
  ContainerSummary,
  FsStats,
  IoPressure,
  NodeSummary,
  PodSummary,
  VolumeSummary,
} from './summary.js';

/** The largest value that is kept: up to here every integer is exact in JavaScript. */
const maxValue = 2 ** 53;

/** Kubernetes' own limit, of the names of pods; those of all others are shorter. */
const maxNameLength = 253;

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/** How many values were larger than 2^53, and how many of them are times of pressure; each was read as 2^53. */
export interface SaturatedCounts {
  readonly all: number;
  readonly ofPressure: number;
}

/**
 * Decodes the parts of one summary and counts the values that were too large.
 *
 * Whatever is missing or malformed is left out: a value that is not a whole number of at least 0, a time that is not
 * RFC 3339 or is Go's zero time, a container or volume without a name, a pod without namespace, name or UID. A name of more
 * than 253 characters is none; one with half a surrogate pair, which no exposition can hold, is made well-formed.
 * Containers of the same name are all kept.
 */
export class SummaryDecoder {
  /** Of the values so far. May be set to what it was when values that were read since are not kept. */
  saturated: SaturatedCounts = { all: 0, ofPressure: 0 };

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
      kubeletStartedAtMs: rfc3339Ms(kubelet?.['startTime']),
    };
  }

  /** Returns undefined without namespace, name or UID. */
  pod(value: unknown): PodSummary | undefined {
    const pod = objectOf(value);
    const podRef = objectOf(pod['podRef']);
    const namespace = nameOf(podRef['namespace']);
    const name = nameOf(podRef['name']);
    const uid = nameOf(podRef['uid']);
    if (namespace === undefined || name === undefined || uid === undefined) return undefined;
    const usage = objectOf(pod['ephemeral-storage']);
    const volumes = decoded(pod['volume'], (volume) => this.volume(volume));
    return {
      namespace,
      name,
      uid,
      startTimeMs: rfc3339Ms(pod['startTime']),
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
    const name = nameOf(container['name']);
    if (name === undefined) return undefined;
    return { name, rootfs: this.#containerFs(container['rootfs']), logs: this.#containerFs(container['logs']) };
  }

  /** Returns undefined without a name. */
  volume(value: unknown): VolumeSummary | undefined {
    const volume = objectOf(value);
    const name = nameOf(volume['name']);
    if (name === undefined) return undefined;
    const { availableBytes, capacityBytes, usedBytes, inodesUsed } = this.#values(volume);
    const hasClaim = isObject(volume['pvcRef']);
    const timeMs = rfc3339Ms(volume['time']);
    return { name, hasClaim, timeMs, availableBytes, capacityBytes, usedBytes, inodesUsed };
  }

  #fs(value: unknown): FsStats | undefined {
    return isObject(value) ? { timeMs: rfc3339Ms(value['time']), ...this.#values(value) } : undefined;
  }

  #containerFs(value: unknown): ContainerFsStats | undefined {
    return isObject(value) ? this.#values(value) : undefined;
  }

  #values(fs: JsonObject): ContainerFsStats {
    return {
      availableBytes: this.#bytesOrCount(fs['availableBytes']),
      capacityBytes: this.#bytesOrCount(fs['capacityBytes']),
      usedBytes: this.#bytesOrCount(fs['usedBytes']),
      inodes: this.#bytesOrCount(fs['inodes']),
      inodesFree: this.#bytesOrCount(fs['inodesFree']),
      inodesUsed: this.#bytesOrCount(fs['inodesUsed']),
    };
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
    if (value <= maxValue) return Math.abs(value); // no negative zero
    this.saturated = { ...this.saturated, all: this.saturated.all + 1 };
    return maxValue;
  }
}

/** Decodes the items of a list. The result is exactly as long as its items: that of `push` and `filter` has room for more. */
function decoded<T>(list: unknown, decode: (item: unknown) => T | undefined): readonly T[] {
  if (!Array.isArray(list)) return [];
  const items = list.map(decode);
  return items.every((item) => item !== undefined) ? items : items.filter((item) => item !== undefined);
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
