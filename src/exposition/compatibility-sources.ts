/** The series of the families of k8s-ephemeral-storage-metrics, with its label names. */
import type { ContainerUsage, PodUsage, VolumeUsage } from '../attribution/usage.js';
import type { Container, Mount } from '../kube/objects.js';
import type { ContainerSummary, FsStats } from '../kubelet/summary.js';
import type { ListedPod, NodeSnapshot } from '../scrape/snapshot.js';
import type { SeriesSource } from './family.js';
import type { PodOnNode } from './pod-on-node.js';
import { labelText } from './render.js';
import { containers } from './series-sources.js';

/** The filesystem that holds the kubelet's own files. */
export const legacyNodes: SeriesSource<NodeSnapshot, FsStats> = {
  labels: ['node_name'],
  forEach({ nodeName, summary: { nodefs } }, emit) {
    if (nodefs !== undefined) emit(labelText(legacyNodes.labels, [nodeName]), nodefs);
  },
};

interface PodOnFilesystem {
  readonly usage: PodUsage;
  readonly nodefs: FsStats | undefined;
}

export const legacyPods: SeriesSource<PodOnNode, PodOnFilesystem> = {
  labels: [...legacyNodes.labels, 'pod_name', 'pod_namespace'],
  forEach({ nodeName, nodefs, pod }, emit) {
    if (pod.usage === undefined) return;
    emit(labelText(legacyPods.labels, [nodeName, pod.name, pod.namespace]), { usage: pod.usage, nodefs });
  },
};

/** The usage of a container, and the filesystems of its files. */
interface ContainerFiles {
  readonly usage: ContainerUsage;
  readonly summary: ContainerSummary | undefined;
}

export const legacyContainers: SeriesSource<PodOnNode, ContainerFiles> = {
  labels: [...legacyPods.labels, 'container'],
  forEach({ nodeName, pod }, emit) {
    for (const usage of pod.usage?.containers ?? []) {
      const summary = pod.summary.containers.find(({ name }) => name === usage.name);
      emit(labelText(legacyContainers.labels, [nodeName, pod.name, pod.namespace, usage.name]), { usage, summary });
    }
  },
};

/** With the labels of both exporters, for families of the same name. */
export const sharedContainers: SeriesSource<PodOnNode, ContainerUsage> = {
  labels: [...containers.labels, ...legacyPods.labels],
  forEach({ nodeName, pod: { namespace, name, usage } }, emit) {
    for (const data of usage?.containers ?? []) {
      const values = [namespace, name, data.name, nodeName, nodeName, name, namespace];
      emit(labelText(sharedContainers.labels, values), data);
    }
  },
};

interface Fill {
  readonly usedBytes: number;
  readonly wholeBytes: number;
}

/**
 * Containers with a limit that the kubelet enforces: the usage that counts towards it, and the limit. Those without one:
 * usage and size of the node's filesystem, which any of them may fill.
 */
export const legacyLimits: SeriesSource<PodOnNode, Fill> = {
  labels: [...legacyContainers.labels, 'source'],
  forEach({ nodeName, nodefs, pod }, emit) {
    if (pod.usage === undefined) return;
    const labelsOf = (container: string, source: string): string =>
      labelText(legacyLimits.labels, [nodeName, pod.name, pod.namespace, container, source]);
    for (const { rule, container, usedBytes, limitBytes } of pod.ratios) {
      if (rule === 'container') emit(labelsOf(container, 'container'), { usedBytes, wholeBytes: limitBytes });
    }
    const fill = nodeFill(nodefs);
    if (fill === undefined) return;
    for (const { name, limitBytes = 0 } of runningContainers(pod)) {
      if (limitBytes === 0) emit(labelsOf(name, 'node'), fill);
    }
  },
};

/** EmptyDirs of any medium: a series for each container that mounts them, and path. */
export const legacyMounts: SeriesSource<PodOnNode, VolumeUsage> = {
  labels: [...legacyContainers.labels, 'volume_name', 'mount_path'],
  forEach({ nodeName, pod }, emit) {
    if (pod.usage === undefined) return;
    const volumes = new Map(pod.usage.volumes.map((volume) => [volume.name, volume]));
    for (const { container, volumeName, path } of mountsOf(pod)) {
      const volume = volumes.get(volumeName);
      if (volume?.type !== 'emptydir') continue;
      const values = [nodeName, pod.name, pod.namespace, container, volumeName, path];
      emit(labelText(legacyMounts.labels, values), volume);
    }
  },
};

function mountsOf(pod: ListedPod): readonly (Mount & { readonly container: string })[] {
  return runningContainers(pod).flatMap(({ name, mounts }) => mounts.map((mount) => ({ container: name, ...mount })));
}

/** Unlike the kubelet's `usedBytes`, it includes blocks that are reserved for root, as they are not available. */
export function nodeFill(nodefs: FsStats | undefined): Fill | undefined {
  if (nodefs?.capacityBytes === undefined || nodefs.availableBytes === undefined) return undefined;
  const { capacityBytes, availableBytes } = nodefs;
  return { usedBytes: Math.max(capacityBytes - availableBytes, 0), wholeBytes: capacityBytes };
}

function runningContainers({ pod }: ListedPod): readonly Container[] {
  return pod?.containers.filter(({ kind }) => kind === 'app' || kind === 'sidecar') ?? [];
}
