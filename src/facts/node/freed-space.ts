import { countsInodes, type EvictionSignal } from '../../cluster/kubelet/eviction-signals.js';
import type { FilesystemOwners } from './filesystem-owners.js';
import { unusedImages } from './node-images.js';
import type { NodeSnapshot } from './node-view.js';
import type { Victim } from './victims.js';

/** An amount that may not be known exactly. */
export interface Bounds {
  readonly least: number;
  readonly most: number;
}

export function exactly(amount: number): Bounds {
  return { least: amount, most: amount };
}

/**
 * Of pods that are not read, at most what they hold. What is not measured of pods that run, or whose volumes are pending, is
 * among the bytes that nobody is counted for.
 */
export function freedByPods(
  victims: readonly Victim[],
  owners: FilesystemOwners | undefined,
  snapshot: NodeSnapshot,
): Bounds {
  if (snapshot.unreadPodCount !== undefined) return { least: 0, most: owners?.podsUsedBytes ?? Infinity };
  const least = sumOf(victims, ({ exempt, freed }) => (exempt === undefined ? freed : 0));
  const isUnmeasured = ({ freed, pod }: Victim): boolean => freed === undefined && pod.runningSinceMs !== undefined;
  const isPartial = victims.some(isUnmeasured) || snapshot.listedPods.some(({ isPending }) => isPending);
  const hidden = isPartial ? Math.max(0, owners?.unattributedBytes ?? Infinity) : 0;
  return { least, most: least + hidden + sumOf(snapshot.unknownPods, ({ usedBytes }) => usedBytes) };
}

/** Of what is known. */
export function sumOf<T>(items: readonly T[], amountOf: (item: T) => number | undefined): number {
  return items.reduce((sum, item) => sum + (amountOf(item) ?? 0), 0);
}

/**
 * None where no images are: the kubelet collects those of the filesystem that is short. Counted as the kubelet does: an image by its
 * size, though it is larger unpacked and may share layers. Pods that are not read may use any of those that no other pod uses.
 * https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/#reclaiming-node-level-resources
 */
export function freedByImages(
  signal: EvictionSignal,
  { images, node, podsOnNode }: Pick<NodeSnapshot, 'images' | 'node' | 'podsOnNode'>,
  owners: FilesystemOwners | undefined,
): Bounds {
  if (countsInodes(signal)) return exactly(0);
  const all = owners?.imagesUsedBytes ?? Infinity;
  if (images === undefined) return { least: 0, most: all };
  const { unusedBytes, isCut } = images;
  const unused = unusedBytes ?? sumOf(unusedImages(node.images, podsOnNode), ({ sizeBytes }) => sizeBytes);
  const most = isCut ? all : Math.min(unused, all);
  return { least: unusedBytes === undefined ? 0 : Math.min(unusedBytes, all), most };
}
