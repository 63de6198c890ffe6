import { isObject, type JsonObject, objectOf, objectsOf, textOf } from '../../src/json/json.js';
import type {
  ContainerFsStats,
  ContainerSummary,
  FsStats,
  IoPressure,
  NodeSummary,
  PodSummary,
  VolumeSummary,
} from '../../src/kubelet/summary.js';

const maxValue = 2 ** 53;

const maxNameLength = 253;

type NodeStats = Omit<NodeSummary, 'pods' | 'saturatedCount'>;

/** A summary as its values are meant, from the whole document; undefined for a document that is none. */
export function referenceSummary(text: string): NodeSummary | undefined {
  const { node, pods } = objectOf(JSON.parse(text));
  const decoder = new ReferenceDecoder();
  const stats = decoder.node(objectOf(node));
  if (stats === undefined || !(pods === undefined || pods === null || Array.isArray(pods))) return undefined;
  const decoded = objectsOf(pods)
    .map((pod) => decoder.pod(pod))
    .filter(isDefined);
  const { waitingUs = 0, stalledUs = 0 } = stats.ioPressure ?? { waitingUs: 1 };
  const { saturatedCount, saturatedPressureCount } = decoder;
  if (waitingUs !== 0 || stalledUs !== 0) return { ...stats, pods: decoded, saturatedCount };
  return {
    ...stats,
    ioPressure: undefined,
    pods: decoded.map((pod) => ({ ...pod, ioPressure: undefined })),
    saturatedCount: saturatedCount - saturatedPressureCount,
  };
}

class ReferenceDecoder {
  saturatedCount = 0;
  saturatedPressureCount = 0;

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
    const containers = objectsOf(pod['containers'])
      .map((container) => this.#container(container))
      .filter(isDefined);
    const others = [othersOf(containers), othersOf(volumes)] as const;
    return {
      namespace,
      name,
      uid,
      startTimeMs: asTimeMs(pod['startTime']),
      usedBytes: this.#bytesOrCount(usedBytes),
      inodesUsed: this.#bytesOrCount(inodesUsed),
      ioPressure: this.#ioPressure(pod['io']),
      containers: [...without(others[0], containers), ...sumOfContainers(others[0])],
      volumes: volumes.length === 0 ? undefined : [...without(others[1], volumes), ...sumOfVolumes(others[1])],
      ...(others.flat().length > 0 && {
        others: { containerCount: others[0].length, volumeCount: others[1].length },
      }),
    };
  }

  #container(container: JsonObject): ContainerSummary | undefined {
    const name = nameOf(container['name']);
    if (name === undefined) return undefined;
    return { name, rootfs: this.#containerFs(container['rootfs']), logs: this.#containerFs(container['logs']) };
  }

  #containerFs(value: unknown): ContainerFsStats | undefined {
    return isObject(value) ? this.#figures(value) : undefined;
  }

  #volume(volume: JsonObject): VolumeSummary | undefined {
    const name = nameOf(volume['name']);
    if (name === undefined) return undefined;
    const { timeMs, availableBytes, capacityBytes, usedBytes, inodesUsed } = this.#fsStats(volume);
    const hasClaim = isObject(volume['pvcRef']);
    return { name, hasClaim, timeMs, availableBytes, capacityBytes, usedBytes, inodesUsed };
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
    return { timeMs: asTimeMs(fs['time']), ...this.#figures(fs) };
  }

  #figures(fs: JsonObject): ContainerFsStats {
    return {
      availableBytes: this.#bytesOrCount(fs['availableBytes']),
      capacityBytes: this.#bytesOrCount(fs['capacityBytes']),
      usedBytes: this.#bytesOrCount(fs['usedBytes']),
      inodes: this.#bytesOrCount(fs['inodes']),
      inodesFree: this.#bytesOrCount(fs['inodesFree']),
      inodesUsed: this.#bytesOrCount(fs['inodesUsed']),
    };
  }

  #bytesOrCount(value: unknown): number | undefined {
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 0) return undefined;
    if (value <= maxValue) return Math.abs(value);
    this.saturatedCount++;
    return maxValue;
  }
}

/** Those beyond the first 5,000 by name. */
function othersOf<T extends { readonly name: string }>(items: readonly T[]): readonly T[] {
  return items.toSorted((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name))).slice(5_000);
}

function without<T>(others: readonly T[], items: readonly T[]): readonly T[] {
  const set = new Set(others);
  return items.filter((item) => !set.has(item));
}

function sumOfContainers(others: readonly ContainerSummary[]): readonly ContainerSummary[] {
  if (others.length === 0) return [];
  const hasRootfs = others.some(({ rootfs }) => rootfs !== undefined);
  const counted = others.filter(({ rootfs }) => rootfs !== undefined || !hasRootfs);
  const sum = (of: readonly (ContainerFsStats | undefined)[]): ContainerFsStats | undefined => {
    const known = of.filter(isDefined);
    return known.length === 0
      ? undefined
      : {
          availableBytes: undefined,
          capacityBytes: undefined,
          usedBytes: sumOf(known.map(({ usedBytes }) => usedBytes)),
          inodes: undefined,
          inodesFree: undefined,
          inodesUsed: sumOf(known.map(({ inodesUsed }) => inodesUsed)),
        };
  };
  const [rootfs, logs] = [sum(counted.map((one) => one.rootfs)), sum(counted.map((one) => one.logs))];
  return [{ name: '(others)', rootfs, logs }];
}

function sumOfVolumes(others: readonly VolumeSummary[]): readonly VolumeSummary[] {
  const times = others.flatMap(({ timeMs }) => timeMs ?? []);
  const sum: VolumeSummary = {
    name: '(others)',
    hasClaim: false,
    timeMs: times.length === 0 ? undefined : times.reduce((a, b) => Math.min(a, b)),
    availableBytes: undefined,
    capacityBytes: undefined,
    usedBytes: sumOf(others.map(({ usedBytes }) => usedBytes)),
    inodesUsed: sumOf(others.map(({ inodesUsed }) => inodesUsed)),
  };
  return others.length === 0 ? [] : [sum];
}

function sumOf(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter(isDefined);
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0);
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
