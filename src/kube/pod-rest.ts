/** What the kubelet's rules look at of a pod: more than is kept in detail of one that is very large. */
import type { Container, Pod, Volume } from './objects.js';
import { volumeGroupsOf } from './volume-groups.js';

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
