import type { Pod } from '../../cluster/kube/objects.js';
import { othersName } from '../../cluster/kube/pod-bounds.js';
import type { ItemCounts } from '../../cluster/kubelet/summary.js';
import { sumOfFigures } from '../../cluster/kubelet/summary.js';
import { addWhole, finderByName, leastKnown, type Named } from '../../lib/base/maps.js';
import type { ContainerUsage, PodUsage, VolumeUsage } from './usage.js';

/** No container and no volume has this name; a label without a value is a label that the series does not have. */
const noName = '';

/** Of a pod without a spec, which may have any: more than a pod has as a rule. */
const maxNamesWithoutSpec = 20;

/**
 * The same usage with at most the names of the pod's spec, so that no kubelet can make series up: containers that the spec
 * lacks are one without a name, and so are volumes. Of a pod that is not kept whole, they are those that are not kept in
 * detail, with the name `(others)`. Of a pod without a spec, the first `maxNames` of each keep their names. What the
 * containers use still adds up to the pod's total.
 */
export function foldUnknown(usage: PodUsage, pod: Pod | undefined, maxNames = maxNamesWithoutSpec): PodUsage {
  const containers = split(usage.containers, pod?.containers ?? maxNames);
  const volumes = split(usage.volumes, pod?.volumes ?? maxNames);
  if (containers.unknown.length === 0 && volumes.unknown.length === 0) return usage;
  const name = pod?.rest === undefined ? noName : othersName;
  return {
    ...usage,
    containers: [...containers.known, ...unnamedContainer(containers.unknown, name)],
    volumes: [...volumes.known, ...unnamedVolume(volumes.unknown, name)],
    unknownItems: countsOf(containers.unknown, volumes.unknown, usage),
  };
}

/** The entries `(others)` of a summary stand for several: `unknownItems` has their number. */
function countsOf(
  containers: readonly Named[],
  volumes: readonly Named[],
  { unknownItems = { containerCount: 0, volumeCount: 0 } }: PodUsage,
): ItemCounts {
  const countOf = (items: readonly Named[]): number => items.filter(({ name }) => name !== othersName).length;
  return {
    containerCount: unknownItems.containerCount + countOf(containers),
    volumeCount: unknownItems.volumeCount + countOf(volumes),
  };
}

/** By the names of the spec, or the first ones. */
function split<T extends Named>(
  items: readonly T[],
  known: readonly Named[] | number,
): { readonly known: readonly T[]; readonly unknown: readonly T[] } {
  const find = typeof known === 'number' ? undefined : finderByName(known);
  const isKnown = (item: T, index: number): boolean =>
    typeof known === 'number' ? index < known : find?.(item.name) !== undefined;
  if (items.every(isKnown)) return { known: items, unknown: [] };
  return { known: items.filter(isKnown), unknown: items.filter((item, index) => !isKnown(item, index)) };
}

/** What the containers use together; none for none. */
export function unnamedContainer(containers: readonly ContainerUsage[], name = noName): readonly ContainerUsage[] {
  if (containers.length === 0) return [];
  return [
    {
      name,
      usedBytes: containers.map(({ usedBytes }) => usedBytes).reduce(addWhole, 0),
      rootfsBytes: sumOfFigures(containers, ({ rootfsBytes }) => rootfsBytes),
      logsBytes: sumOfFigures(containers, ({ logsBytes }) => logsBytes),
      rootfsInodesUsed: sumOfFigures(containers, ({ rootfsInodesUsed }) => rootfsInodesUsed),
      logsInodesUsed: sumOfFigures(containers, ({ logsInodesUsed }) => logsInodesUsed),
    },
  ];
}

/** What the volumes hold together; none for none. Without a size, since they may be on several filesystems. */
export function unnamedVolume(volumes: readonly VolumeUsage[], name = noName): readonly VolumeUsage[] {
  if (volumes.length === 0) return [];
  return [
    {
      name,
      type: 'unknown',
      medium: '',
      usedBytes: sumOfFigures(volumes, ({ usedBytes }) => usedBytes),
      capacityBytes: undefined,
      availableBytes: undefined,
      inodesUsed: sumOfFigures(volumes, ({ inodesUsed }) => inodesUsed),
      sizeLimitBytes: undefined,
      measuredAtMs: volumes.map(({ measuredAtMs }) => measuredAtMs).reduce(leastKnown, undefined),
    },
  ];
}

/** Adds up what the specs of pods lack. */
export function unknownItemsOf(all: readonly Pick<PodUsage, 'unknownItems'>[]): ItemCounts {
  let [containerCount, volumeCount] = [0, 0];
  for (const { unknownItems } of all) {
    containerCount += unknownItems?.containerCount ?? 0;
    volumeCount += unknownItems?.volumeCount ?? 0;
  }
  return { containerCount, volumeCount };
}
