import type { Pod, Volume, VolumeType } from '../kube/objects.js';
import type { PodSummary, VolumeSummary } from '../kubelet/summary.js';
import { addKnown, mergeByName } from './merge.js';
import type { Component, VolumeUsage } from './usage.js';

type Kind = Pick<Volume, 'type' | 'medium'>;

/** The volumes that the kubelet lists for a pod, in its order, with type and medium of the pod's spec. */
export function volumeUsages({ volumes = [] }: PodSummary, pod: Pod | undefined): readonly VolumeUsage[] {
  const usages = volumes.map((volume) => {
    const { type, medium } = pod?.volumes.find(({ name }) => name === volume.name) ?? kindWithoutSpec(volume);
    return { name: volume.name, type, medium, usedBytes: volume.usedBytes };
  });
  return mergeByName(usages, (a, b) => ({ ...a, usedBytes: addKnown(a.usedBytes, b.usedBytes) }));
}

function kindWithoutSpec({ hasClaim }: VolumeSummary): Kind {
  return { type: hasClaim ? 'pvc' : 'unknown', medium: '' };
}

/**
 * The component to which a volume belongs when it is part of the pod's total; undefined when it is not. The kubelet
 * counts emptyDirs on the node's disk, configMaps and gitRepos, not the volumes that it keeps in memory:
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/volume/util/util.go (IsLocalEphemeralVolume).
 */
export function countedComponent({ type, medium }: Kind): Extract<Component, VolumeType> | undefined {
  if (medium !== '') return undefined;
  return type === 'emptydir' || type === 'configmap' || type === 'gitrepo' ? type : undefined;
}

/**
 * Whether the pod has volumes that are part of its total and the kubelet lists none of its volumes: it measures them
 * in the background, first about a minute after the pod's or its own start. Until then the total lacks their bytes.
 */
export function areVolumesPending({ volumes = [] }: PodSummary, pod: Pod | undefined): boolean {
  if (pod?.volumes.some((volume) => countedComponent(volume) !== undefined) !== true) return false;
  const ownNames = new Set(pod.volumes.map(({ name }) => name));
  return !volumes.some(({ name }) => ownNames.has(name));
}
