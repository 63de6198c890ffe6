/** Where the kubelet keeps what is a pod's: https://kubernetes.io/docs/reference/node/kubelet-files/ */
import type { Pod } from '../kube/objects.js';

/** A directory of a pod on the disk of its node. */
export interface PodFolder {
  readonly part: 'logs' | 'emptydir';
  readonly container?: string;
  readonly volume?: string;
  /** On the node. */
  readonly path: string;
}

type NamedPod = Pick<Pod, 'namespace' | 'name' | 'kubeletUid'>;

/** With a link to the logs of each container; the name of a link has the ID of the container. */
export const logLinksFolder = '/var/log/containers';

/** Returns the logs of containers and the emptyDirs on the disk. What has a name that leads elsewhere is left out. */
export function podFolders({
  containers,
  volumes,
  ...pod
}: NamedPod & Pick<Pod, 'containers' | 'volumes'>): readonly PodFolder[] {
  const logs = `/var/log/pods/${logFolderName(pod)}`;
  const emptyDirs = `/var/lib/kubelet/pods/${pod.kubeletUid}/volumes/kubernetes.io~empty-dir`;
  if (![logFolderName(pod), pod.kubeletUid].every(isName)) return [];
  return [
    ...containers
      .filter(({ name }) => isName(name))
      .map(({ name }) => ({ part: 'logs' as const, container: name, path: `${logs}/${name}` })),
    ...volumes
      .filter(({ name, type, medium }) => type === 'emptydir' && medium === '' && isName(name))
      .map(({ name }) => ({ part: 'emptydir' as const, volume: name, path: `${emptyDirs}/${name}` })),
  ];
}

/**
 * Returns which container of the pod a link is of. `name` is one in {@link logLinksFolder}, `target` where it leads. Undefined for
 * links of other pods, also of a former one of the same name, and for a name that was too long for the ID.
 */
export function linkedContainer(
  pod: NamedPod,
  name: string,
  target: string,
): { readonly container: string; readonly id: string } | undefined {
  const prefix = `${pod.name}_${pod.namespace}_`;
  if (!name.startsWith(prefix) || !target.includes(`/${logFolderName(pod)}/`)) return undefined;
  const { container, id } = /^(?<container>.+)-(?<id>[0-9a-f]{64})\.log$/.exec(name.slice(prefix.length))?.groups ?? {};
  return container === undefined || id === undefined ? undefined : { container, id };
}

function logFolderName({ namespace, name, kubeletUid }: NamedPod): string {
  return `${namespace}_${name}_${kubeletUid}`;
}

/** The API server lets no others through. */
function isName(text: string): boolean {
  return text !== '' && text !== '.' && text !== '..' && !/[/\0]/.test(text);
}
