/** The series of the families of k8s-ephemeral-storage-metrics, with its label names. */
import type { ContainerUsage, VolumeUsage } from '../attribution/usage.js';
import type { Container, Mount } from '../kube/objects.js';
import type { ContainerSummary, FsStats } from '../kubelet/summary.js';
import type { NodeSnapshot, PodSnapshot } from '../scrape/snapshot.js';
import type { SeriesSource } from './family.js';
import { containers } from './series-sources.js';

/** The filesystem that holds the kubelet's own files. */
export const legacyNodes: SeriesSource<NodeSnapshot, FsStats> = {
  labels: ['node_name'],
  *find({ nodeName, summary: { nodefs } }) {
    if (nodefs !== undefined) yield { labelValues: [nodeName], data: nodefs };
  },
};

interface PodOnNode {
  readonly pod: PodSnapshot;
  readonly nodefs: FsStats | undefined;
}

export const legacyPods: SeriesSource<NodeSnapshot, PodOnNode> = {
  labels: [...legacyNodes.labels, 'pod_name', 'pod_namespace'],
  *find({ nodeName, summary: { nodefs }, pods }) {
    for (const pod of pods) yield { labelValues: [nodeName, pod.name, pod.namespace], data: { pod, nodefs } };
  },
};

/** The usage of a container, and the filesystems of its files. */
interface ContainerFiles {
  readonly usage: ContainerUsage;
  readonly summary: ContainerSummary | undefined;
}

export const legacyContainers: SeriesSource<NodeSnapshot, ContainerFiles> = {
  labels: [...legacyPods.labels, 'container'],
  *find(snapshot) {
    for (const { labelValues, data } of legacyPods.find(snapshot)) {
      const { usage, summary } = data.pod;
      for (const container of usage.containers) {
        const reported = summary.containers.find(({ name }) => name === container.name);
        yield { labelValues: [...labelValues, container.name], data: { usage: container, summary: reported } };
      }
    }
  },
};

/** With the labels of both exporters, for families of the same name. */
export const sharedContainers: SeriesSource<NodeSnapshot, ContainerUsage> = {
  labels: [...containers.labels, ...legacyPods.labels],
  *find({ nodeName, pods }) {
    for (const { namespace, name, usage } of pods) {
      for (const data of usage.containers) {
        yield { labelValues: [namespace, name, data.name, nodeName, nodeName, name, namespace], data };
      }
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
export const legacyLimits: SeriesSource<NodeSnapshot, Fill> = {
  labels: [...legacyContainers.labels, 'source'],
  *find(snapshot) {
    for (const { labelValues, data } of legacyPods.find(snapshot)) {
      for (const { rule, container, usedBytes, limitBytes } of data.pod.ratios) {
        if (rule !== 'container') continue;
        yield { labelValues: [...labelValues, container, 'container'], data: { usedBytes, wholeBytes: limitBytes } };
      }
      const fill = nodeFill(data.nodefs);
      if (fill === undefined) continue;
      for (const { name, limitBytes = 0 } of runningContainers(data.pod)) {
        if (limitBytes === 0) yield { labelValues: [...labelValues, name, 'node'], data: fill };
      }
    }
  },
};

/** EmptyDirs of any medium: a series for each container that mounts them, and path. */
export const legacyMounts: SeriesSource<NodeSnapshot, VolumeUsage> = {
  labels: [...legacyContainers.labels, 'volume_name', 'mount_path'],
  *find(snapshot) {
    for (const { labelValues, data } of legacyPods.find(snapshot)) {
      const volumes = new Map(data.pod.usage.volumes.map((volume) => [volume.name, volume]));
      for (const { container, volumeName, path } of mountsOf(data.pod)) {
        const volume = volumes.get(volumeName);
        if (volume?.type === 'emptydir')
          yield { labelValues: [...labelValues, container, volumeName, path], data: volume };
      }
    }
  },
};

function mountsOf(pod: PodSnapshot): readonly (Mount & { readonly container: string })[] {
  return runningContainers(pod).flatMap(({ name, mounts }) => mounts.map((mount) => ({ container: name, ...mount })));
}

/** Unlike the kubelet's `usedBytes`, it includes blocks that are reserved for root, as they are not available. */
export function nodeFill(nodefs: FsStats | undefined): Fill | undefined {
  if (nodefs?.capacityBytes === undefined || nodefs.availableBytes === undefined) return undefined;
  const { capacityBytes, availableBytes } = nodefs;
  return { usedBytes: Math.max(capacityBytes - availableBytes, 0), wholeBytes: capacityBytes };
}

function runningContainers({ pod }: PodSnapshot): readonly Container[] {
  return pod?.containers.filter(({ kind }) => kind === 'app' || kind === 'sidecar') ?? [];
}
