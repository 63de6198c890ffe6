import { isObject, type JsonObject, objectOf, objectsOf, textOf } from '../kube/json.js';
import type { ContainerSummary, FsStats, IoPressure, NodeSummary, PodSummary, VolumeSummary } from './summary.js';

/** The largest value that is kept: up to here every integer is exact in JavaScript. */
const maxValue = 2 ** 53;

/** Kubernetes' own limit, of the names of pods; those of all others are shorter. */
const maxNameLength = 253;

type NodeStats = Omit<NodeSummary, 'pods' | 'saturatedCount'>;

/**
 * Decodes the parts of one summary and counts the values that were too large.
 *
 * Whatever is missing or malformed is left out: a value that is not a whole number of at least 0, a time that is not
 * RFC 3339 or is Go's zero time, a container or volume without a name, a pod without namespace, name or UID. A name of more
 * than 253 characters is none; one with half a surrogate pair, which no exposition can hold, is made well-formed.
 * Containers of the same name are all kept.
 */
export class SummaryDecoder {
  /** How many values so far were larger than 2^53, and how many of them are times of pressure; each was read as 2^53. */
  saturatedCount = 0;
  saturatedPressureCount = 0;

  /** Undefined without a nodeName. */
  node(node: JsonObject): NodeStats | undefined {
    const nodeName = nameOf(node['nodeName']);
    if (nodeName === undefined) return undefined;
    const runtime = objectOf(node['runtime']);
    return {
      nodeName,
      ioPressure: this.#ioPressure(node['io']),
      nodefs: this.#fs(node['fs']),
      imagefs: this.#fs(runtime['imageFs']),
      containerfs: this.#fs(runtime['containerFs']),
      kubeletStartedAtMs: kubeletStart(node['systemContainers']),
    };
  }

  pod(pod: JsonObject): PodSummary | undefined {
    const podRef = objectOf(pod['podRef']);
    const namespace = nameOf(podRef['namespace']);
    const name = nameOf(podRef['name']);
    const uid = nameOf(podRef['uid']);
    if (namespace === undefined || name === undefined || uid === undefined) return undefined;
    const { usedBytes, inodesUsed } = objectOf(pod['ephemeral-storage']);
    const volumes = objectsOf(pod['volume'])
      .map((volume) => this.#volume(volume))
      .filter(isDefined);
    return {
      namespace,
      name,
      uid,
      startTimeMs: asTimeMs(pod['startTime']),
      usedBytes: this.#bytesOrCount(usedBytes),
      inodesUsed: this.#bytesOrCount(inodesUsed),
      ioPressure: this.#ioPressure(pod['io']),
      containers: objectsOf(pod['containers'])
        .map((container) => this.#container(container))
        .filter(isDefined),
      volumes: volumes.length === 0 ? undefined : volumes,
    };
  }

  #container(container: JsonObject): ContainerSummary | undefined {
    const name = nameOf(container['name']);
    if (name === undefined) return undefined;
    return { name, rootfs: this.#fs(container['rootfs']), logs: this.#fs(container['logs']) };
  }

  #volume(volume: JsonObject): VolumeSummary | undefined {
    const name = nameOf(volume['name']);
    if (name === undefined) return undefined;
    return { name, hasClaim: isObject(volume['pvcRef']), ...this.#fsStats(volume) };
  }

  #ioPressure(io: unknown): IoPressure | undefined {
    const { some, full } = objectOf(objectOf(io)['psi']);
    const countBefore = this.saturatedCount;
    const waitingUs = this.#bytesOrCount(objectOf(some)['total']);
    const stalledUs = this.#bytesOrCount(objectOf(full)['total']);
    this.saturatedPressureCount += this.saturatedCount - countBefore;
    return waitingUs === undefined && stalledUs === undefined ? undefined : { waitingUs, stalledUs };
  }

  #fs(value: unknown): FsStats | undefined {
    return isObject(value) ? this.#fsStats(value) : undefined;
  }

  #fsStats(fs: JsonObject): FsStats {
    return {
      timeMs: asTimeMs(fs['time']),
      availableBytes: this.#bytesOrCount(fs['availableBytes']),
      capacityBytes: this.#bytesOrCount(fs['capacityBytes']),
      usedBytes: this.#bytesOrCount(fs['usedBytes']),
      inodes: this.#bytesOrCount(fs['inodes']),
      inodesFree: this.#bytesOrCount(fs['inodesFree']),
      inodesUsed: this.#bytesOrCount(fs['inodesUsed']),
    };
  }

  /** The API's values are uint64. One above 2^53 is no real size, and must not invalidate the data of the whole node. */
  #bytesOrCount(value: unknown): number | undefined {
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 0) return undefined;
    if (value <= maxValue) return value;
    this.saturatedCount++;
    return maxValue;
  }
}

function nameOf(value: unknown): string | undefined {
  const text = textOf(value);
  return text === undefined || text.length > maxNameLength ? undefined : text.toWellFormed();
}

function kubeletStart(systemContainers: unknown): number | undefined {
  return asTimeMs(objectsOf(systemContainers).find(({ name }) => name === 'kubelet')?.['startTime']);
}

function isDefined<T>(value: T | undefined): value is T {
  return value !== undefined;
}

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

function asTimeMs(value: unknown): number | undefined {
  if (typeof value !== 'string' || !rfc3339.test(value)) return undefined;
  const timeMs = Date.parse(value);
  return timeMs > 0 ? timeMs : undefined;
}
