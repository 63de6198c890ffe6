/** The series of the families of k8s-ephemeral-storage-metrics, with its label names. */
import type { Container } from '../../cluster/kube/objects.js';
import type { ContainerSummary, FsStats } from '../../cluster/kubelet/summary.js';
import type { NodeSnapshot } from '../../facts/node/node-view.js';
import type { PodRecord } from '../../facts/node/pod-record.js';
import type { ContainerUsage, PodUsage, VolumeUsage } from '../../facts/node/usage.js';
import { finderByName } from '../../lib/base/maps.js';
import type { SeriesSource } from './family.js';
import type { PodOnNode } from './pod-on-node.js';
import { containers } from './pod-sources.js';
import { labelText } from './render.js';

/** The filesystem that holds the kubelet's own files. */
export const legacyNodes: SeriesSource<NodeSnapshot, FsStats> = {
  labels: ['node_name'],
  forEach({ summary: { nodefs } }, emit) {
    if (nodefs !== undefined) emit(nodefs);
  },
  labelsOf: ({ nodeName }) => labelText(legacyNodes.labels, [nodeName]),
};

export const legacyPods: SeriesSource<PodOnNode, { readonly usage: PodUsage; readonly nodefs: FsStats | undefined }> = {
  labels: [...legacyNodes.labels, 'pod_name', 'pod_namespace'],
  forEach({ nodefs, pod: { usage } }, emit) {
    emit({ usage, nodefs });
  },
  labelsOf: ({ nodeName, pod: { summary } }) =>
    labelText(legacyPods.labels, [nodeName, summary.name, summary.namespace]),
};

/** The usage of each container, and the filesystems of its files. */
export const legacyContainers: SeriesSource<
  PodOnNode,
  { readonly usage: ContainerUsage; readonly summary: ContainerSummary | undefined }
> = {
  labels: [...legacyPods.labels, 'container'],
  forEach({ pod }, emit) {
    const findSummary = finderByName(pod.summary.containers);
    for (const usage of pod.usage.containers) emit({ usage, summary: findSummary(usage.name) });
  },
  labelsOf: ({ nodeName, pod: { summary } }, { usage }) =>
    labelText(legacyContainers.labels, [nodeName, summary.name, summary.namespace, usage.name]),
};

/** With the labels of both exporters, for families of the same name. */
export const sharedContainers: SeriesSource<PodOnNode, ContainerUsage> = {
  labels: [...containers.labels, ...legacyPods.labels],
  forEach: containers.forEach,
  labelsOf: ({ nodeName, pod: { summary } }, container) =>
    labelText(sharedContainers.labels, [
      summary.namespace,
      summary.name,
      container.name,
      nodeName,
      nodeName,
      summary.name,
      summary.namespace,
    ]),
};

interface Fill {
  readonly container: string;
  /** Of which limit: its own, or the size of the node's filesystem. */
  readonly source: 'container' | 'node';
  readonly usedBytes: number;
  readonly wholeBytes: number;
}

/**
 * Containers with a limit that the kubelet enforces: the usage that counts towards it, and the limit. Those without one:
 * usage and size of the node's filesystem, which any of them may fill.
 */
export const legacyLimits: SeriesSource<PodOnNode, Fill> = {
  labels: [...legacyContainers.labels, 'source'],
  forEach({ nodefs, pod }, emit) {
    for (const { rule, container, usedBytes, limitBytes } of pod.ratios) {
      if (rule === 'container') emit({ container, source: 'container', usedBytes, wholeBytes: limitBytes });
    }
    const fill = nodeFill(nodefs);
    if (fill === undefined) return;
    for (const { name, limitBytes = 0 } of runningContainers(pod)) {
      if (limitBytes === 0) emit({ container: name, source: 'node', ...fill });
    }
  },
  labelsOf: ({ nodeName, pod: { summary } }, { container, source }) =>
    labelText(legacyLimits.labels, [nodeName, summary.name, summary.namespace, container, source]),
};

/** EmptyDirs of any medium: a series for each container that mounts them, and path. */
export const legacyMounts: SeriesSource<
  PodOnNode,
  { readonly container: string; readonly path: string; readonly volume: VolumeUsage }
> = {
  labels: [...legacyContainers.labels, 'volume_name', 'mount_path'],
  forEach({ pod }, emit) {
    const volumes = new Map(pod.usage.volumes.map((volume) => [volume.name, volume]));
    for (const { name, mounts } of runningContainers(pod)) {
      for (const { volumeName, path } of mounts) {
        const volume = volumes.get(volumeName);
        if (volume?.type === 'emptydir') emit({ container: name, path, volume });
      }
    }
  },
  labelsOf: ({ nodeName, pod: { summary } }, { container, path, volume }) =>
    labelText(legacyMounts.labels, [nodeName, summary.name, summary.namespace, container, volume.name, path]),
};

/** Unlike the kubelet's `usedBytes`, it includes blocks that are reserved for root, as they are not available. */
export function nodeFill(nodefs: FsStats | undefined): Pick<Fill, 'usedBytes' | 'wholeBytes'> | undefined {
  if (nodefs?.capacityBytes === undefined || nodefs.availableBytes === undefined) return undefined;
  const { capacityBytes, availableBytes } = nodefs;
  return { usedBytes: Math.max(capacityBytes - availableBytes, 0), wholeBytes: capacityBytes };
}

function runningContainers({ bound }: PodRecord): readonly Container[] {
  return bound?.pod.containers.filter(({ kind }) => kind === 'app' || kind === 'sidecar') ?? [];
}
