/**
 * The families of k8s-ephemeral-storage-metrics, with its label names and our values. docs/coming-from.md lists them.
 * https://github.com/jmcgrath207/k8s-ephemeral-storage-metrics
 */
import type { Container } from '../../cluster/kube/objects.js';
import { roundUp } from '../../cluster/kube/quantity.js';
import { type FsStats, known } from '../../cluster/kubelet/summary.js';
import type { NodeSnapshot } from '../../facts/node/node-view.js';
import { finderByName } from '../../lib/base/maps.js';
import { type FamilyGroup, familyGroup, type FamilyOptions, seriesOf, type SeriesSource } from './family.js';
import type { PodOnNode, ShownPod } from './pod-on-node.js';
import { containers } from './pod-sources.js';

/** The filesystem that holds the kubelet's own files. */
const legacyNodes = seriesOf(
  ['node_name'],
  ({ summary: { nodefs } }: NodeSnapshot) => (nodefs === undefined ? [] : [nodefs]),
  (_, { nodeName }) => [nodeName],
);

/** `ownLabels`: those after the labels of the pod. */
function ofPods<T>(
  ownLabels: readonly string[],
  itemsOf: (source: PodOnNode) => readonly T[],
  ownValuesOf: (item: T) => readonly string[],
): SeriesSource<PodOnNode, T> {
  return seriesOf([...legacyNodes.labels, 'pod_name', 'pod_namespace', ...ownLabels], itemsOf, (item, source) => {
    const { nodeName, pod } = source;
    return [nodeName, pod.summary.name, pod.summary.namespace, ...ownValuesOf(item)];
  });
}

const legacyPods = ofPods(
  [],
  ({ nodefs, pod: { usage } }) => [{ usage, nodefs }],
  () => [],
);

/** The usage of each container, and the filesystems of its files. */
const legacyContainers = ofPods(
  ['container'],
  ({ pod }) => {
    const findSummary = finderByName(pod.summary.containers);
    return pod.usage.containers.map((usage) => ({ usage, summary: findSummary(usage.name) }));
  },
  ({ usage }) => [usage.name],
);

/** With the labels of both exporters, for families of the same name. */
export const sharedContainers = seriesOf(
  [...containers.labels, ...legacyPods.labels],
  containers.itemsOf,
  (container, source) => {
    const {
      nodeName,
      pod: {
        summary: { namespace, name },
      },
    } = source;
    return [namespace, name, container.name, nodeName, nodeName, name, namespace];
  },
);

/**
 * Containers with a limit that the kubelet enforces: the usage that counts towards it, and the limit. Those without one:
 * usage and size of the node's filesystem, which any of them may fill.
 */
const legacyLimits = ofPods(
  ['container', 'source'],
  ({ nodefs, pod }) => {
    const ofLimits = pod.ratios.flatMap(({ rule, container, usedBytes, limitBytes }) =>
      rule === 'container' ? [{ container, source: 'container', usedBytes, wholeBytes: limitBytes }] : [],
    );
    const fill = nodeFill(nodefs);
    if (fill === undefined) return ofLimits;
    const unlimited = runningContainers(pod).filter(({ limitBytes = 0 }) => limitBytes === 0);
    return [...ofLimits, ...unlimited.map(({ name }) => ({ container: name, source: 'node', ...fill }))];
  },
  ({ container, source }) => [container, source],
);

/** EmptyDirs of any medium: a series for each container that mounts them, and path. */
const legacyMounts = ofPods(
  ['container', 'volume_name', 'mount_path'],
  ({ pod }) => {
    const volumes = new Map(pod.usage.volumes.map((volume) => [volume.name, volume]));
    return runningContainers(pod).flatMap(({ name, mounts }) =>
      mounts.flatMap(({ volumeName, path }) => {
        const volume = volumes.get(volumeName);
        return volume?.type === 'emptydir' ? [{ container: name, path, volume }] : [];
      }),
    );
  },
  ({ container, path, volume }) => [container, volume.name, path],
);

/** Unlike the kubelet's `usedBytes`, it includes blocks that are reserved for root, as they are not available. */
function nodeFill(
  nodefs: FsStats | undefined,
): { readonly usedBytes: number; readonly wholeBytes: number } | undefined {
  if (nodefs?.capacityBytes === undefined || nodefs.availableBytes === undefined) return undefined;
  const { capacityBytes, availableBytes } = nodefs;
  return { usedBytes: Math.max(capacityBytes - availableBytes, 0), wholeBytes: capacityBytes };
}

function runningContainers({ bound }: ShownPod): readonly Container[] {
  return bound?.pod.containers.filter(({ kind }) => kind === 'app' || kind === 'sidecar') ?? [];
}

type LegacyContainer = ReturnType<typeof legacyContainers.itemsOf>[number];

/** Per pod, container and mounted volume. */
export const compatibilityPodGroups: readonly FamilyGroup<PodOnNode>[] = [
  familyGroup('pod', legacyPods, {
    pod_usage: {
      profile: 'minimal',
      help: 'Ephemeral storage used by the pod. Replaced by pod_used_bytes.',
      value: ({ usage }) => usage.usedBytes,
    },
    inodes: {
      profile: 'minimal',
      help: 'Inodes of the filesystem of the node that the pod is on. Replaced by node_inodes.',
      value: ({ nodefs }) => nodefs?.inodes,
    },
    inodes_free: {
      profile: 'minimal',
      help: 'Free inodes of the filesystem of the node that the pod is on. Replaced by node_inodes_free.',
      value: ({ nodefs }) => nodefs?.inodesFree,
    },
    inodes_used: {
      profile: 'minimal',
      help: 'Inodes used by the pod. Replaced by pod_inodes_used.',
      value: ({ usage }) => usage.inodesUsed,
    },
  }),
  familyGroup('container', legacyLimits, {
    container_limit_percentage: {
      profile: 'minimal',
      help: 'Percentage of its limit that the container uses; without a limit, percentage of the filesystem of the node that is used. Replaced by limit_ratio.',
      value: ({ usedBytes, wholeBytes }) => percentage(usedBytes, wholeBytes),
    },
  }),
  familyGroup('container', legacyContainers, {
    ...familiesOfFiles('rootfs', 'of the writable layer', 'its filesystem that the writable layer uses'),
    ...familiesOfFiles('logs', 'of the logs', 'their filesystem that the logs use'),
  }),
  familyGroup('volume', legacyMounts, {
    container_volume_usage: {
      profile: 'minimal',
      help: 'Bytes used in the emptyDir, for each container that mounts it and each path. Replaced by volume_used_bytes.',
      value: ({ volume }) => known(volume.usedBytes),
    },
    container_volume_limit_percentage: {
      profile: 'minimal',
      help: 'Percentage of its size limit that the emptyDir uses, for each container that mounts it and each path. Replaced by limit_ratio.',
      value: ({ volume: { usedBytes, sizeLimitBytes } }) =>
        percentage(known(usedBytes), sizeLimitBytes && roundUp(sizeLimitBytes)),
    },
  }),
];

export const compatibilityNodeGroups: readonly FamilyGroup<NodeSnapshot>[] = [
  familyGroup('node', legacyNodes, {
    node_available: {
      profile: 'minimal',
      help: 'Bytes available in the filesystem of the node. Replaced by node_available_bytes.',
      value: ({ availableBytes }) => availableBytes,
    },
    node_capacity: {
      profile: 'minimal',
      help: 'Size of the filesystem of the node. Replaced by node_capacity_bytes.',
      value: ({ capacityBytes }) => capacityBytes,
    },
    node_percentage: {
      profile: 'minimal',
      help: 'Percentage of the filesystem of the node that is not available.',
      value: (nodefs) => {
        const fill = nodeFill(nodefs);
        return fill && percentage(fill.usedBytes, fill.wholeBytes);
      },
    },
  }),
];

/** Families of one kind of files of a container, and of the filesystem that holds them. */
function familiesOfFiles(
  kind: 'rootfs' | 'logs',
  ofFiles: string,
  usedPart: string,
): Readonly<Record<string, FamilyOptions<LegacyContainer>>> {
  const stats = ({ summary }: LegacyContainer) => summary?.[kind]?.filesystem;
  return {
    [`container_${kind}_available_bytes`]: {
      profile: 'minimal',
      help: `Bytes available in the filesystem ${ofFiles}. Replaced by node_available_bytes.`,
      value: (item) => stats(item)?.availableBytes,
    },
    [`container_${kind}_capacity_bytes`]: {
      profile: 'minimal',
      help: `Size of the filesystem ${ofFiles}. Replaced by node_capacity_bytes.`,
      value: (item) => stats(item)?.capacityBytes,
    },
    [`container_${kind}_usage_percentage`]: {
      profile: 'minimal',
      help: `Percentage of ${usedPart}.`,
      value: (item) => percentage(known(item.usage[`${kind}Bytes`]), stats(item)?.capacityBytes),
    },
    [`container_${kind}_inodes`]: {
      profile: 'minimal',
      help: `Inodes of the filesystem ${ofFiles}. Replaced by node_inodes.`,
      value: (item) => stats(item)?.inodes,
    },
    [`container_${kind}_inodes_free`]: {
      profile: 'minimal',
      help: `Free inodes of the filesystem ${ofFiles}. Replaced by node_inodes_free.`,
      value: (item) => stats(item)?.inodesFree,
    },
  };
}

/** Above 100 where usage exceeds the limit. */
function percentage(part: number | undefined, whole: number | undefined): number | undefined {
  return part === undefined || whole === undefined || whole === 0 ? undefined : (part * 100) / whole;
}
