import { RequestError } from '../base/errors.js';
import { isObject, type JsonObject, objectOf, objectsOf, textOf } from '../kube/json.js';
import { parseJson } from './parse-json.js';
import type { ContainerSummary, FsStats, IoPressure, NodeSummary, PodSummary, VolumeSummary } from './summary.js';

/** The largest value that is kept: up to here every integer is exact in JavaScript. */
const maxValue = 2 ** 53;

/**
 * Reads the body of a `/stats/summary` answer. What makes it a summary is its `node` object with a `nodeName`, and
 * `pods` that is a list or missing: `{}`, a `Status` or an error page is not one.
 *
 * Within a summary, whatever is missing or malformed is left out: a value that is not a whole number of at least 0, a
 * time that is not RFC 3339 or is Go's zero time, a container or volume without a name, a pod without namespace, name or UID.
 * Containers of the same name are all kept.
 *
 * @param what names the body, such as `summary of node n1`; begins the messages
 * @throws RequestError `decode`
 */
export function decodeSummary(body: Buffer | string, what: string): NodeSummary {
  const root = objectOf(parseJson(body, what));
  const node = objectOf(root['node']);
  const nodeName = textOf(node['nodeName']);
  const pods = root['pods'] ?? [];
  if (nodeName === undefined || !Array.isArray(pods)) {
    const fault = nodeName === undefined ? 'no node with a nodeName' : 'pods that are not a list';
    throw new RequestError('decode', `${what}: JSON that is not a summary: it has ${fault}`);
  }
  return new Decoder().summary(node, nodeName, pods);
}

/** Decodes one body and counts the values that were too large. */
class Decoder {
  #saturatedCount = 0;
  #measuresPressure = true;

  summary(node: JsonObject, nodeName: string, pods: readonly unknown[]): NodeSummary {
    const runtime = objectOf(node['runtime']);
    const ioPressure = this.#ioPressure(node['io']);
    this.#measuresPressure = ioPressure === undefined || !isZero(ioPressure);
    return {
      nodeName,
      ioPressure: this.#measuresPressure ? ioPressure : undefined,
      nodefs: this.#fs(node['fs']),
      imagefs: this.#fs(runtime['imageFs']),
      containerfs: this.#fs(runtime['containerFs']),
      pods: objectsOf(pods)
        .map((pod) => this.#pod(pod))
        .filter(isDefined),
      kubeletStartedAtMs: kubeletStart(node['systemContainers']),
      saturatedCount: this.#saturatedCount, // last: the fields above are counted while they are read
    };
  }

  #pod(pod: JsonObject): PodSummary | undefined {
    const podRef = objectOf(pod['podRef']);
    const namespace = textOf(podRef['namespace']);
    const name = textOf(podRef['name']);
    const uid = textOf(podRef['uid']);
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
      ioPressure: this.#measuresPressure ? this.#ioPressure(pod['io']) : undefined,
      containers: objectsOf(pod['containers'])
        .map((container) => this.#container(container))
        .filter(isDefined),
      volumes: volumes.length === 0 ? undefined : volumes,
    };
  }

  #container(container: JsonObject): ContainerSummary | undefined {
    const name = textOf(container['name']);
    if (name === undefined) return undefined;
    return { name, rootfs: this.#fs(container['rootfs']), logs: this.#fs(container['logs']) };
  }

  #volume(volume: JsonObject): VolumeSummary | undefined {
    const name = textOf(volume['name']);
    if (name === undefined) return undefined;
    return { name, hasClaim: isObject(volume['pvcRef']), ...this.#fsStats(volume) };
  }

  #ioPressure(io: unknown): IoPressure | undefined {
    const { some, full } = objectOf(objectOf(io)['psi']);
    const waitingUs = this.#bytesOrCount(objectOf(some)['total']);
    const stalledUs = this.#bytesOrCount(objectOf(full)['total']);
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
    this.#saturatedCount++;
    return maxValue;
  }
}

/**
 * With cgroups of version 1, or a kernel that does not measure, kubelets report zeros for the node and all of its pods.
 * A node that does measure has waited for its disk since it booted.
 */
function isZero({ waitingUs = 0, stalledUs = 0 }: IoPressure): boolean {
  return waitingUs === 0 && stalledUs === 0;
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
