/** What the kubelet's rules look at of a pod: more than is kept in detail of one that is very large. */
import type { Container, Pod, Volume } from './objects.js';

/** Returns the containers in detail and those of the rest that have a limit. */
export function checkedContainers({ containers, rest }: Pick<Pod, 'containers' | 'rest'>): readonly Container[] {
  return rest === undefined ? containers : [...containers, ...rest.containers];
}

/** Returns the volumes in detail and those of the rest that a kubelet may measure. */
export function checkedVolumes({ volumes, rest }: Pick<Pod, 'volumes' | 'rest'>): readonly Volume[] {
  return rest === undefined ? volumes : [...volumes, ...rest.volumes];
}
