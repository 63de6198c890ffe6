/** Where the kubelet keeps what is a pod's: https://kubernetes.io/docs/reference/node/kubelet-files/ */
import type { Pod } from '../kube/objects.js';
import type { LayerMount } from './mount-info.js';

/** A directory of a pod on the disk of its node. */
export interface PodFolder {
  readonly part: 'logs' | 'emptydir';
  readonly container?: string;
  readonly volume?: string;
  /** On the node. */
  readonly path: string;
}

/** The writable layer of a container. */
export interface PodLayer {
  readonly part: 'rootfs';
  readonly container: string;
  /** On the node. */
  readonly path?: string;
  /** Why it was not found. */
  readonly problem?: string;
}

interface LogLink {
  /** In {@link logLinksFolder}. */
  readonly name: string;
  readonly target: string;
}

type NamedPod = Pick<Pod, 'namespace' | 'name' | 'kubeletUid'>;

/** With a link to the logs of each container: `POD_NAMESPACE_CONTAINER-ID.log`, cut above 255 characters. */
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

/** Returns those of the containers that run, and of others that should, with the reason. `mounts`: of layers, or why they are not known. */
export function podLayers(
  pod: NamedPod & Pick<Pod, 'containers'>,
  links: readonly LogLink[],
  mounts: readonly LayerMount[] | string,
): readonly PodLayer[] {
  return pod.containers.flatMap(({ name: container, kind }): readonly PodLayer[] => {
    const found = typeof mounts === 'string' ? { problem: mounts } : layerOf(container, pod, { links, mounts });
    const isNeeded = 'path' in found || kind === 'app' || kind === 'sidecar';
    return isNeeded ? [{ part: 'rootfs', container, ...found }] : [];
  });
}

function layerOf(
  container: string,
  pod: NamedPod,
  { links, mounts }: { readonly links: readonly LogLink[]; readonly mounts: readonly LayerMount[] },
): Pick<PodLayer, 'path' | 'problem'> {
  const ids = links.flatMap((link) => linkedId(pod, container, link) ?? []);
  if (ids.length === 0) {
    return {
      problem: `${logLinksFolder} has no POD_NAMESPACE_CONTAINER-ID.log of it: it has not run, or its names are too long for the 255 characters of the link`,
    };
  }
  const mount = mounts.find(({ containerId = '' }) => ids.some((id) => containerId.startsWith(id)));
  if (mount?.upperDirectory !== undefined) return { path: mount.upperDirectory };
  return { problem: 'the mount table of the host has no writable layer of it: it does not run, or not in containerd' };
}

/** At its start: of a cut name, the part that is left. Undefined for links of others, also of a former pod of the same name. */
function linkedId(pod: NamedPod, container: string, { name, target }: LogLink): string | undefined {
  const prefix = `${pod.name}_${pod.namespace}_${container}-`;
  if (!name.startsWith(prefix) || !target.includes(`/${logFolderName(pod)}/`)) return undefined;
  return /^([0-9a-f]{12,64})\.log$/.exec(name.slice(prefix.length))?.[1];
}

function logFolderName({ namespace, name, kubeletUid }: NamedPod): string {
  return `${namespace}_${name}_${kubeletUid}`;
}

/** The API server lets no others through. */
function isName(text: string): boolean {
  return text !== '' && text !== '.' && text !== '..' && !/[/\0]/.test(text);
}
