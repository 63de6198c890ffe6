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
import { type FamilyGroup, familyGroup } from './family.js';
import type { PodOnNode } from './pod-on-node.js';

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
    container_rootfs_available_bytes: {
      profile: 'minimal',
      help: 'Bytes available in the filesystem of the writable layer. Replaced by node_available_bytes.',
      value: ({ summary }) => summary?.rootfs?.filesystem.availableBytes,
    },
    container_rootfs_capacity_bytes: {
      profile: 'minimal',
      help: 'Size of the filesystem of the writable layer. Replaced by node_capacity_bytes.',
      value: ({ summary }) => summary?.rootfs?.filesystem.capacityBytes,
    },
    container_rootfs_usage_percentage: {
      profile: 'minimal',
      help: 'Percentage of its filesystem that the writable layer uses.',
      value: ({ usage, summary }) => percentage(known(usage.rootfsBytes), summary?.rootfs?.filesystem.capacityBytes),
    },
    container_rootfs_inodes: {
      profile: 'minimal',
      help: 'Inodes of the filesystem of the writable layer. Replaced by node_inodes.',
      value: ({ summary }) => summary?.rootfs?.filesystem.inodes,
    },
    container_rootfs_inodes_free: {
      profile: 'minimal',
      help: 'Free inodes of the filesystem of the writable layer. Replaced by node_inodes_free.',
      value: ({ summary }) => summary?.rootfs?.filesystem.inodesFree,
    },
    container_logs_available_bytes: {
      profile: 'minimal',
      help: 'Bytes available in the filesystem of the logs. Replaced by node_available_bytes.',
      value: ({ summary }) => summary?.logs?.filesystem.availableBytes,
    },
    container_logs_capacity_bytes: {
      profile: 'minimal',
      help: 'Size of the filesystem of the logs. Replaced by node_capacity_bytes.',
      value: ({ summary }) => summary?.logs?.filesystem.capacityBytes,
    },
    container_logs_usage_percentage: {
      profile: 'minimal',
      help: 'Percentage of their filesystem that the logs use.',
      value: ({ usage, summary }) => percentage(known(usage.logsBytes), summary?.logs?.filesystem.capacityBytes),
    },
    container_logs_inodes: {
      profile: 'minimal',
      help: 'Inodes of the filesystem of the logs. Replaced by node_inodes.',
      value: ({ summary }) => summary?.logs?.filesystem.inodes,
    },
    container_logs_inodes_free: {
      profile: 'minimal',
      help: 'Free inodes of the filesystem of the logs. Replaced by node_inodes_free.',
      value: ({ summary }) => summary?.logs?.filesystem.inodesFree,
    },
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

/** Above 100 where usage exceeds the limit. */
function percentage(part: number | undefined, whole: number | undefined): number | undefined {
  return part === undefined || whole === undefined || whole === 0 ? undefined : (part * 100) / whole;
}
