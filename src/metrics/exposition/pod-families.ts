import { known } from '../../cluster/kubelet/summary.js';
import type { ContainerUsage } from '../../facts/node/usage.js';
import { sharedContainers } from './compatibility-families.js';
import type { Profile } from './family.js';
import { type FamilyGroup, familyGroup, type FamilyOptions, microsecondsToSeconds, toSeconds } from './family.js';
import type { PodOnNode } from './pod-on-node.js';
import {
  containers,
  emptyDirs,
  limits,
  podComponents,
  pods,
  unenforcedLimits,
  volumeFilesystems,
  volumes,
} from './pod-sources.js';

/** Per pod. */
export const podGroups: readonly FamilyGroup<PodOnNode>[] = [
  familyGroup('pod', pods, {
    pod_used_bytes: {
      profile: 'minimal',
      help: 'Ephemeral storage used by the pod, as counted by the kubelet towards its limit.',
      value: ({ usage }) => usage.usedBytes,
    },
    pod_inodes_used: {
      profile: 'full',
      help: 'Inodes used by the ephemeral storage of the pod.',
      value: ({ usage }) => usage.inodesUsed,
    },
    pod_volume_stats_pending: {
      profile: 'standard',
      help: '1 while the kubelet has not measured the volumes of the pod yet: its total is too low, and limits of its volumes have no ratio. No series otherwise.',
      value: ({ usage }) => (usage.volumesPending ? 1 : undefined),
    },
    pod_volume_stats_timestamp_seconds: {
      profile: 'full',
      help: 'Unix time of the oldest measurement of a volume of the pod. The kubelet measures volumes in the background, a minute or more before the rest.',
      value: ({ usage }) => toSeconds(oldestMs(usage.volumes.map(({ measuredAtMs }) => measuredAtMs))),
    },
    pod_start_time_seconds: {
      profile: 'full',
      help: 'Unix time at which the pod was started, as reported by the kubelet.',
      value: ({ summary }) => toSeconds(summary.startTimeMs),
    },
    pod_io_pressure_waiting_seconds_total: {
      profile: 'full',
      help: 'Time in which at least one task of the pod waited for input or output, from the pressure stall information of the kernel. Needs a kubelet of 1.34 or later and cgroups of version 2.',
      value: ({ summary }) => microsecondsToSeconds(summary.ioPressure?.waitingUs),
    },
    pod_io_pressure_stalled_seconds_total: {
      profile: 'full',
      help: 'Time in which all tasks of the pod that could run waited for input or output at once.',
      value: ({ summary }) => microsecondsToSeconds(summary.ioPressure?.stalledUs),
    },
  }),
  familyGroup('pod', podComponents, {
    pod_component_used_bytes: {
      profile: 'standard',
      help: 'Ephemeral storage used by a component of the pod (rootfs, logs, emptydir, configmap, other). The sum is the total of the pod; emptydir and configmap only if the pod has such a volume.',
      value: ({ usedBytes }) => usedBytes,
    },
  }),
  familyGroup('pod', limits, {
    limit_ratio: {
      profile: 'minimal',
      help: 'Usage divided by the limit, for each limit that the kubelet enforces by eviction (rule: emptydir, pod or container). Above 1 it evicts the pod; +Inf for a limit of 0 that is exceeded.',
      value: ({ ratio }) => ratio,
    },
  }),
  familyGroup('pod', unenforcedLimits, {
    limit_unenforced_info: {
      profile: 'minimal',
      help: '1 while the kubelet does not evict the pod for a limit (reason exempt: a static or critical pod, with rule="all"; memory_medium: an emptyDir in memory that cannot grow above its limit), or does not count what its containers write outside of volumes (rootfs_not_measured). At most one series for a pod.',
      value: () => 1,
    },
  }),
];

const attributedFamilies: Readonly<Record<string, FamilyOptions<ContainerUsage>>> = {
  container_used_bytes: {
    profile: 'standard',
    help: 'Ephemeral storage attributed to the container: its own files and its share of the volumes and files of the pod. container="": all containers that the spec of the pod does not have.',
    value: ({ usedBytes }) => usedBytes,
  },
};

const ownFilesFamilies: Readonly<Record<string, FamilyOptions<ContainerUsage>>> = {
  container_rootfs_used_bytes: {
    profile: 'full',
    help: 'Size of the writable layer of the container, as reported by the kubelet.',
    value: ({ rootfsBytes }) => known(rootfsBytes),
  },
  container_logs_used_bytes: {
    profile: 'full',
    help: 'Size of the logs of the container, as reported by the kubelet.',
    value: ({ logsBytes }) => known(logsBytes),
  },
  container_rootfs_inodes_used: {
    profile: 'full',
    help: 'Inodes used by the writable layer of the container, as reported by the kubelet.',
    value: ({ rootfsInodesUsed }) => known(rootfsInodesUsed),
  },
  container_logs_inodes_used: {
    profile: 'full',
    help: 'Inodes used by the logs of the container, as reported by the kubelet.',
    value: ({ logsInodesUsed }) => known(logsInodesUsed),
  },
};

/** Per container. */
export const containerGroups: readonly FamilyGroup<PodOnNode>[] = [
  familyGroup('container', containers, { ...attributedFamilies, ...ownFilesFamilies }),
];

/**
 * The same families in the same order. Families whose names the other exporter has too carry its labels beside ours, as
 * a name must not stand for two families, and are part of every profile, as all families of the other exporter.
 */
export const sharedContainerGroups: readonly FamilyGroup<PodOnNode>[] = [
  familyGroup('container', containers, attributedFamilies),
  familyGroup(
    'container',
    sharedContainers,
    Object.fromEntries(
      Object.entries(ownFilesFamilies).map(([name, family]) => [name, { ...family, profile: 'minimal' }]),
    ),
  ),
];

/** Per volume of a pod: the usage of all volumes in the profile `full`, of emptyDirs alone in the others. */
export function volumeGroups(profile: Profile): readonly FamilyGroup<PodOnNode>[] {
  return [
    familyGroup('volume', profile === 'full' ? volumes : emptyDirs, {
      volume_used_bytes: {
        profile: 'standard',
        help: 'Bytes used by the volume of the pod: emptyDirs, and with the profile full volumes of all types. counted="true": part of the total of the pod.',
        value: ({ usedBytes }) => known(usedBytes),
      },
    }),
    familyGroup('volume', volumeFilesystems, {
      volume_capacity_bytes: {
        profile: 'full',
        help: 'Size of the filesystem of the volume. Only for volumes with a filesystem of their own.',
        value: ({ capacityBytes }) => capacityBytes,
      },
      volume_available_bytes: {
        profile: 'full',
        help: 'Bytes available in the filesystem of the volume. Only for volumes with a filesystem of their own.',
        value: ({ availableBytes }) => availableBytes,
      },
      volume_inodes_used: {
        profile: 'full',
        help: 'Inodes used in the volume. Only for volumes with a filesystem of their own.',
        value: ({ inodesUsed }) => known(inodesUsed),
      },
    }),
  ];
}

function oldestMs(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((timeMs) => timeMs !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
