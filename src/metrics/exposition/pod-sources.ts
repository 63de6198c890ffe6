/** The series of the pods of a node: the data that their values come from, with the label values in order. */
import type { Volume, VolumeType } from '../../cluster/kube/objects.js';
import { measuredVolumes } from '../../cluster/kube/pod-rest.js';
import type { LimitRatio } from '../../facts/node/limit-ratios.js';
import type { UnenforcedLimits } from '../../facts/node/unenforced-limits.js';
import {
  type Component,
  components,
  type ContainerUsage,
  type PodUsage,
  type VolumeUsage,
} from '../../facts/node/usage.js';
import { countedComponent } from '../../facts/node/volume-usage.js';
import type { SeriesSource } from './family.js';
import type { PodOnNode, ShownPod } from './pod-on-node.js';
import { labelPart } from './render.js';

/** Those without a total, too. */
export const pods: SeriesSource<PodOnNode, ShownPod> = {
  labels: ['namespace', 'pod', 'node'],
  itemsOf: ({ pod }) => [pod],
  labelsOf: ({ placed }) => `${placed}}`,
};

/** Limits that the kubelet evicts for. */
export const limits: SeriesSource<PodOnNode, LimitRatio> = {
  labels: [...pods.labels, 'rule', 'container', 'volume'],
  itemsOf: ({ pod }) => pod.ratios,
  labelsOf: ({ placed }, { rule, container, volume }) =>
    `${placed},rule="${rule}"${labelPart('container', container)}${labelPart('volume', volume)}}`,
};

/** What is to be said of a pod alone: one series at most. */
export const unenforcedLimits: SeriesSource<PodOnNode, UnenforcedLimits> = {
  labels: [...pods.labels, 'rule', 'reason'],
  itemsOf: ({ pod: { unenforced } }) => (unenforced === undefined ? [] : [unenforced]),
  labelsOf: ({ placed }, { rule, reason }) => `${placed},rule="${rule}",reason="${reason}"}`,
};

/** Of pods with a total. Components of volumes only where the pod has such a volume. */
export const podComponents: SeriesSource<
  PodOnNode,
  { readonly component: Component; readonly usedBytes: number | undefined }
> = {
  labels: [...pods.labels, 'component'],
  itemsOf({ pod: { usage, bound } }) {
    if (usage.usedBytes === undefined) return [];
    const specs = bound && measuredVolumes(bound.pod);
    const shown: { component: Component; usedBytes: number | undefined }[] = [];
    for (const component of components) {
      if (!volumeComponents.has(component) || hasVolumeOf(component, specs, usage))
        shown.push({ component, usedBytes: usage.components[component] });
    }
    return shown;
  },
  labelsOf: ({ placed }, { component }) => `${placed},component="${component}"}`,
};

const volumeComponents: ReadonlySet<Component> = new Set(['emptydir', 'configmap']);

function hasVolumeOf(component: Component, specs: readonly Volume[] = [], usage: PodUsage): boolean {
  for (const volume of specs) if (countedComponent(volume) === component) return true;
  for (const volume of usage.volumes) if (countedComponent(volume) === component) return true;
  return false;
}

export const containers: SeriesSource<PodOnNode, ContainerUsage> = {
  labels: ['namespace', 'pod', 'container', 'node'],
  itemsOf: ({ pod }) => pod.usage.containers,
  labelsOf: ({ named, nodeName }, { name }) => containerLabels(named, name, nodeName),
};

/** Those of {@link containers}. `named`: those of the pod without its node. */
export function containerLabels(named: string, containerName: string, nodeName: string): string {
  return `${named}${labelPart('container', containerName)}${labelPart('node', nodeName)}}`;
}

/** `counted`: whether the volume is part of the pod's total. */
export const volumes: SeriesSource<PodOnNode, VolumeUsage> = {
  labels: [...pods.labels, 'volume', 'type', 'medium', 'counted'],
  itemsOf: ({ pod }) => pod.usage.volumes,
  labelsOf: ({ placed }, volume) => volumeLabels(placed, volume),
};

/** Those of {@link volumes}, after those of a pod. */
export function volumeLabels(placed: string, volume: Pick<Volume, 'name' | 'type' | 'medium'>): string {
  const { name, type, medium } = volume;
  const isCounted = countedComponent(volume) !== undefined;
  return `${placed}${labelPart('volume', name)},type="${type}"${labelPart('medium', medium)},counted="${isCounted}"}`;
}

export const emptyDirs: SeriesSource<PodOnNode, VolumeUsage> = {
  labels: volumes.labels,
  itemsOf: ({ pod }) => pod.usage.volumes.filter(({ type }) => type === 'emptydir'),
  labelsOf: volumes.labelsOf,
};

/**
 * Volumes with a filesystem of their own: their type allows one, and its size is known and not that of the node's disk.
 * Volumes with configuration and tokens are in the node's memory, which is of no interest here.
 */
export const volumeFilesystems: SeriesSource<PodOnNode, VolumeUsage> = {
  labels: volumes.labels,
  itemsOf({ pod, nodefs }) {
    const nodeCapacityBytes = nodefs?.capacityBytes;
    if (nodeCapacityBytes === undefined) return [];
    return pod.usage.volumes.filter(({ type, medium, capacityBytes }) => {
      const mayHaveFilesystem = type === 'emptydir' ? medium !== '' : typesWithFilesystem.has(type);
      return capacityBytes !== undefined && mayHaveFilesystem && capacityBytes !== nodeCapacityBytes;
    });
  },
  labelsOf: volumes.labelsOf,
};

/** `unknown`: volumes of pods that the API server does not know, and of types that Kubernetes no longer has. */
const typesWithFilesystem: ReadonlySet<VolumeType> = new Set(['pvc', 'ephemeral', 'csi', 'nfs', 'hostpath', 'unknown']);
