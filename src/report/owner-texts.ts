/** Words for the owners of unattributed bytes, and what to do about them. */
import { formatAge, formatBytes } from '../base/units.js';
import type { UnattributedOwner } from '../node/agent-disk.js';
import type { NodeImages } from '../node/node-images.js';
import type { PartOwnerKind, PruneReport, UnattributedReport } from './unattributed-report.js';

export const ownerNames: Readonly<Record<PartOwnerKind, string>> = {
  image_copies: 'compressed copies of images',
  orphaned_pods: 'directories of pods that are gone',
  orphaned_snapshots: 'snapshots that containerd has forgotten',
  logs: 'logs of the system, and of pods that are gone',
  runtime_volumes: 'VOLUME data of images',
  other: 'all else',
  unmeasured: 'not measured, and all else',
};

/** What to do on the node. */
export const ownerFixes: Readonly<Record<UnattributedOwner, string>> = {
  image_copies:
    "crictl rmi --prune deletes those of unused images. To keep none of what is pulled from now on, set discard_unpacked_layers = true in /etc/containerd/config.toml, below [plugins.'io.containerd.cri.v1.images'] (containerd 1.7: [plugins.'io.containerd.grpc.v1.cri'.containerd]), and restart containerd.",
  orphaned_pods:
    'journalctl -u kubelet | grep -i "orphaned pod" shows why the kubelet keeps them. Unmount what is mounted below them before anything is deleted.',
  orphaned_snapshots: 'containerd deletes them when it collects garbage next, after an image is deleted.',
  logs: 'journalctl --vacuum-size=500M shrinks the journal; rotate the other files.',
  runtime_volumes: "Mount an emptyDir with a sizeLimit at the path of the VOLUME: then it counts as the pod's.",
  other:
    'du -xhd3 / /var | sort -h | tail -20 shows hostPath data and the system; lsof +L1 deleted files that are still open.',
};

/** When the owners were measured. */
export function ownersAgeText({ ageMs }: UnattributedReport): string {
  return `measured by the agent on the node within the last ${formatAge(ageMs)}`;
}

/** What deleting all unused images frees, and why the kubelet has another value for it. */
export function pruneText(prune: PruneReport, images: NodeImages | undefined): string {
  const { layersBytes, copiesBytes } = prune;
  const layers = `${formatBytes(layersBytes)} of unpacked layers that no running container uses`;
  const frees =
    copiesBytes === undefined
      ? `${layers}, and compressed copies of which it is not known how much`
      : `${formatBytes(layersBytes + copiesBytes)}: ${layers}, and ${formatBytes(copiesBytes)} of compressed copies`;
  return `crictl rmi --prune frees at most ${frees}.${kubeletText(images)}`;
}

function kubeletText(images: NodeImages | undefined): string {
  if (images?.unusedBytes === undefined) return '';
  const sizes = images.sizes === 'compressed' ? ' in compressed sizes,' : '';
  return ` The kubelet counts ${formatBytes(images.unusedBytes)} of unused images,${sizes} a shared layer for each image.`;
}
