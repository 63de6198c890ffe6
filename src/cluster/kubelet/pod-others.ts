import { leastKnown, type Named } from '../../lib/base/maps.js';
import { byName, divided } from '../../lib/base/ranking.js';
import { maxListedCount, othersName } from '../kube/pod-bounds.js';
import {
  type ContainerFsStats,
  type ContainerSummary,
  type PartFigures,
  type PodSummary,
  sumOfFigures,
  type VolumeSummary,
} from './summary.js';

/** What of a pod's containers and volumes is kept: those that are kept one by one, and the rest of each as one entry. */
export class PodDetail {
  readonly containers: DetailedItems<ContainerSummary>;
  readonly volumes: DetailedItems<VolumeSummary>;

  /** @param maxCount of each, how many are kept one by one */
  constructor(maxCount: number) {
    this.containers = new DetailedItems(sumContainers, maxCount);
    this.volumes = new DetailedItems(sumVolumes, maxCount);
  }

  finish(): Pick<PodSummary, 'containers' | 'volumes' | 'others'> {
    const containers = this.containers.finish();
    const volumes = this.volumes.finish();
    const others = { containerCount: containers.othersCount, volumeCount: volumes.othersCount };
    return {
      containers: containers.items,
      volumes: volumes.items.length === 0 ? undefined : volumes.items,
      ...(others.containerCount + others.volumeCount > 0 && { others }),
    };
  }
}

/** The pod with what is kept of it; the same one when that is all. */
export function cutPod(pod: PodSummary, maxCount = maxListedCount): PodSummary {
  const { containers, volumes = [] } = pod;
  if (Math.max(containers.length, volumes.length) <= maxCount) return pod;
  const detail = new PodDetail(maxCount);
  for (const container of containers) detail.containers.add(container);
  for (const volume of volumes) detail.volumes.add(volume);
  return { ...pod, ...detail.finish() };
}

const byFirstName = byName<Named>(({ name }) => name);

/** The containers or volumes of one pod while they are added. */
class DetailedItems<T extends Named> {
  readonly #sum: (items: readonly T[]) => T;
  readonly #maxCount: number;
  #items: T[] = [];
  #others: T | undefined;
  #othersCount = 0;

  /** `sum`: what several of them hold together, as one with the name `(others)`. */
  constructor(sum: (items: readonly T[]) => T, maxCount: number) {
    this.#sum = sum;
    this.#maxCount = maxCount;
  }

  add(item: T | undefined): void {
    if (item === undefined) return;
    this.#items.push(item);
    // Held beyond those that are kept, so that a long list is not sorted for each of its items.
    if (this.#items.length > 2 * maxListedCount) this.#cut();
  }

  /** In their order, and the entry `(others)` last, where there are others. */
  finish(): { readonly items: readonly T[]; readonly othersCount: number } {
    this.#cut();
    const items = this.#others === undefined ? this.#items : [...this.#items, this.#others];
    return { items, othersCount: this.#othersCount };
  }

  #cut(): void {
    // By name: kubelets list them in changing order, and the same ones must be kept of each summary.
    const { first, others } = divided(this.#items, this.#maxCount, byFirstName);
    if (others.length === 0) return;
    this.#items = [...first];
    this.#others = this.#sum(this.#others === undefined ? others : [this.#others, ...others]);
    this.#othersCount += others.length;
  }
}

/** Without the logs of containers that have no root filesystem, if others have one: they are in no total. */
function sumContainers(containers: readonly ContainerSummary[]): ContainerSummary {
  const measured = containers.filter(({ rootfs }) => rootfs !== undefined);
  const counted = measured.length === 0 ? containers : measured;
  return {
    name: othersName,
    timeMs: containers.map(({ timeMs }) => timeMs).reduce(leastKnown, undefined),
    rootfs: sumFs(counted.map(({ rootfs }) => rootfs)),
    logs: sumFs(counted.map(({ logs }) => logs)),
  };
}

/** Without a size, since they may be on several filesystems. */
function sumVolumes(volumes: readonly VolumeSummary[]): VolumeSummary {
  return {
    name: othersName,
    hasClaim: false,
    timeMs: volumes.map(({ timeMs }) => timeMs).reduce(leastKnown, undefined),
    availableBytes: undefined,
    capacityBytes: undefined,
    ...usageOf(volumes),
  };
}

function sumFs(stats: readonly (ContainerFsStats | undefined)[]): ContainerFsStats | undefined {
  const known = stats.filter((fs) => fs !== undefined);
  if (known.length === 0) return undefined;
  const filesystem = { availableBytes: undefined, capacityBytes: undefined, inodes: undefined, inodesFree: undefined };
  return { ...usageOf(known), filesystem };
}

function usageOf(stats: readonly PartFigures[]): PartFigures {
  return {
    usedBytes: sumOfFigures(stats, ({ usedBytes }) => usedBytes),
    inodesUsed: sumOfFigures(stats, ({ inodesUsed }) => inodesUsed),
  };
}
