/**
 * The families of k8s-ephemeral-storage-metrics, with our values. docs/coming-from.md lists them.
 * https://github.com/jmcgrath207/k8s-ephemeral-storage-metrics
 */
import { roundUp } from '../../cluster/kube/quantity.js';
import { known } from '../../cluster/kubelet/summary.js';
import type { NodeSnapshot } from '../../facts/node/node-view.js';
import {
  legacyContainers,
  legacyLimits,
  legacyMounts,
  legacyNodes,
  legacyPods,
  nodeFill,
} from './compatibility-sources.js';
import { type FamilyGroup, familyGroup, type FamilyOptions } from './family.js';
import type { PodOnNode } from './pod-on-node.js';

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
