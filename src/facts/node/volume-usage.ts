import type { Pod, PodRest, Volume, VolumeType } from '../../cluster/kube/objects.js';
import { othersName } from '../../cluster/kube/pod-bounds.js';
import { measuredVolumes, volumeGroupsOf } from '../../cluster/kube/pod-rest.js';
import type { PodSummary, VolumeSummary } from '../../cluster/kubelet/summary.js';
import { addFigures } from '../../cluster/kubelet/summary.js';
import { finderByName, haveDistinctNames, mergeByName } from '../../lib/base/maps.js';
import type { Component, VolumeUsage } from './usage.js';

/**
 * The volumes that the kubelet lists for a pod, in its order, with type and medium of the pod's spec. Not those that a
 * container has as a raw device: they have no filesystem.
 */
export function volumeUsages({ volumes = [] }: PodSummary, pod: Pod | undefined): readonly VolumeUsage[] {
  const usages: VolumeUsage[] = [];
  const findSpec = finderByName(pod === undefined ? [] : measuredVolumes(pod));
  for (const volume of volumes) {
    const spec = findSpec(volume.name);
    if (spec?.isRawBlock !== true) usages.push(usageOf(volume, spec ?? withoutSpec(volume)));
  }
  return mergeByName(usages, addVolumes);
}

/**
 * Returns the volumes where those of the pod's usage have the same names and sizes, since each is one of its spec; otherwise
 * undefined. A fraction of the work of {@link volumeUsages}.
 */
export function plainVolumes(
  { volumes }: PodSummary,
  { volumes: specs, rest }: Pod,
): readonly Pick<VolumeSummary, 'name' | 'usedBytes'>[] | undefined {
  if (volumes === undefined || rest !== undefined || !haveDistinctNames(volumes)) return undefined;
  const findSpec = finderByName(specs);
  for (const { name } of volumes) if (findSpec(name)?.isRawBlock !== false) return undefined;
  return volumes;
}

function withoutSpec({ hasClaim }: VolumeSummary): Pick<Volume, 'type' | 'medium' | 'sizeLimitBytes'> {
  return { type: hasClaim ? 'pvc' : 'unknown', medium: '', sizeLimitBytes: undefined };
}

function usageOf(
  volume: VolumeSummary,
  { type, medium, sizeLimitBytes }: Pick<Volume, 'type' | 'medium' | 'sizeLimitBytes'>,
): VolumeUsage {
  const { name, usedBytes, capacityBytes, availableBytes, inodesUsed, timeMs } = volume;
  return {
    name,
    type,
    medium,
    usedBytes,
    capacityBytes,
    availableBytes,
    inodesUsed,
    sizeLimitBytes,
    measuredAtMs: timeMs,
  };
}

/** What two entries of one name hold together; their filesystem is that of the first. */
function addVolumes(a: VolumeUsage, b: VolumeUsage): VolumeUsage {
  return {
    ...a,
    usedBytes: addFigures(a.usedBytes, b.usedBytes),
    inodesUsed: addFigures(a.inodesUsed, b.inodesUsed),
  };
}

/**
 * The component to which a volume belongs when it is part of the pod's total; undefined when it is not. The kubelet
 * counts emptyDirs on the node's disk and configMaps, not the volumes that it keeps in memory:
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/volume/util/util.go (IsLocalEphemeralVolume). That function
 * also names gitRepos, but no kubelet measures them: they are in no summary, no total and no eviction.
 */
export function countedComponent({
  type,
  medium,
}: Pick<Volume, 'type' | 'medium'>): Extract<Component, VolumeType> | undefined {
  if (medium !== '') return undefined;
  return type === 'emptydir' || type === 'configmap' ? type : undefined;
}

/**
 * Whether the kubelet has not measured the pod's volumes yet: a container mounts one that counts towards the pod's total or
 * has a size limit, in memory too, and the kubelet lists none of the pod's volumes. It measures them in the background,
 * first about a minute after the pod's or its own start. A volume that no container mounts is never listed.
 */
export function areVolumesPending({ usedBytes, volumes = [] }: PodSummary, pod: Pod | undefined): boolean {
  if (pod === undefined || usedBytes === undefined) return false;
  const specs = measuredVolumes(pod);
  const findSpec = finderByName(specs);
  if (volumes.some(({ name }) => name === othersName || findSpec(name) !== undefined)) return false;
  const mounted = mountedVolumeNames(pod);
  return specs.some((volume) => concernsRules(volume) && mounted.has(volume.name));
}

/** Whether a rule of the kubelet compares the volume's bytes: in the pod's total, or with its own limit. */
export function concernsRules(volume: Volume): boolean {
  return countedComponent(volume) !== undefined || volume.sizeLimitBytes !== undefined;
}

/** Of emptyDirs and configMaps, the names of those that a container mounts: the kubelet mounts and lists no others. */
export function mountedVolumeNames({ containers, rest }: Pick<Pod, 'containers' | 'rest'>): ReadonlySet<string> {
  if (rest !== undefined) return new Set([...mountedInGroups(rest), ...rest.volumes.map(({ name }) => name)]);
  const names = new Set<string>();
  for (const { mounts } of containers) for (const { volumeName } of mounts) names.add(volumeName);
  return names;
}

function mountedInGroups(rest: PodRest): readonly string[] {
  return volumeGroupsOf(rest).flatMap(({ type, names }) => (type === 'hostpath' ? [] : names));
}
