import { getOrAdd } from '../../lib/base/maps.js';
import { objectsOf } from '../../lib/json/json.js';
import type { Container, Pod, PodRest, Volume, VolumeGroup } from './objects.js';
import { maxDetailCount, maxListedCount } from './pod-bounds.js';
import type { ListedContainer } from './pod-containers.js';

export interface GroupedVolume {
  readonly name: string;
  readonly type: VolumeGroup['type'];
}

/**
 * Returns the value of {@link PodRest.volumeGroups} for the volumes in detail, and of the others for the first by name, as
 * many as a summary lists one by one: a hostPath only in the place of no other. `containers`: those of the pod.
 */
export function groupVolumes(
  { detailed, others }: { readonly detailed: readonly GroupedVolume[]; readonly others: readonly GroupedVolume[] },
  containers: readonly ListedContainer[],
): string {
  const counted = firstByName(others.filter(({ type }) => type !== 'hostpath'));
  const hostPaths = firstByName(others.filter(({ type }) => type === 'hostpath'));
  const kept = [...detailed, ...[...counted, ...hostPaths].slice(0, maxListedCount)];
  const mounters = mountersOf(new Set(kept.map(({ name }) => name)), containers);
  const groups = new Map<string, VolumeGroup & { readonly names: string[] }>();
  for (const { name, type } of kept) {
    const { mountedBy, othersCount } = mounters.get(name) ?? { mountedBy: [], othersCount: 0 };
    const key = `${type}/${mountedBy.join()}/${othersCount}`;
    getOrAdd(groups, key, () => ({ type, mountedBy, othersCount, names: [] as string[] })).names.push(name);
  }
  return JSON.stringify([...groups.values()]);
}

/** Returns the groups of a pod. */
export function volumeGroupsOf({ volumeGroups }: Pick<PodRest, 'volumeGroups'>): readonly VolumeGroup[] {
  return JSON.parse(volumeGroups) as readonly VolumeGroup[];
}

function firstByName(volumes: readonly GroupedVolume[]): readonly GroupedVolume[] {
  if (volumes.length <= maxListedCount) return volumes;
  const names = volumes.map(({ name }) => name).sort();
  const first = new Set(names.slice(0, maxListedCount));
  return volumes.filter(({ name }) => first.has(name));
}

/** By the name of the volume. An init container that is not in detail has ended before the others begin. */
function mountersOf(
  volumeNames: ReadonlySet<unknown>,
  containers: readonly ListedContainer[],
): ReadonlyMap<unknown, { readonly mountedBy: readonly number[]; readonly othersCount: number }> {
  const mounters = new Map<unknown, { readonly mountedBy: number[]; othersCount: number }>();
  for (const [position, { container, kind }] of containers.entries()) {
    for (const name of new Set(objectsOf(container['volumeMounts']).map(({ name }) => name))) {
      if (!volumeNames.has(name)) continue;
      const known = getOrAdd(mounters, name, () => ({ mountedBy: [], othersCount: 0 }));
      if (position < maxDetailCount) known.mountedBy.push(position);
      else if (kind !== 'init') known.othersCount += 1;
    }
  }
  return mounters;
}

/** What the kubelet's rules look at of a pod: more than is kept in detail of one that is very large. */

/** Returns the containers in detail and those of the rest that have a limit. */
export function checkedContainers({ containers, rest }: Pick<Pod, 'containers' | 'rest'>): readonly Container[] {
  return rest === undefined ? containers : [...containers, ...rest.containers];
}

/** Returns the volumes in detail and those of the rest that have a limit. */
export function checkedVolumes({ volumes, rest }: Pick<Pod, 'volumes' | 'rest'>): readonly Volume[] {
  return rest === undefined ? volumes : [...volumes, ...rest.volumes];
}

/**
 * Returns the volumes in detail and those of the rest that a kubelet may measure and counts for the pod, or has a limit of.
 * A pod with a rest gets a new list at each call.
 */
export function measuredVolumes({ volumes, rest }: Pick<Pod, 'volumes' | 'rest'>): readonly Volume[] {
  if (rest === undefined) return volumes;
  const measured = [...volumes, ...rest.volumes];
  const names = new Set(measured.map(({ name }) => name));
  for (const group of volumeGroupsOf(rest)) {
    for (const name of group.names) {
      if (names.has(name)) continue;
      measured.push({ name, type: group.type, medium: '', sizeLimitBytes: undefined, isRawBlock: false });
    }
  }
  return measured;
}
