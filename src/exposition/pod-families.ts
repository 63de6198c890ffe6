import type { ContainerUsage } from '../attribution/usage.js';
import type { NodeSnapshot } from '../scrape/snapshot.js';
import { sharedContainers } from './compatibility-subjects.js';
import { type FamilyGroup, familyGroup, type FamilyOptions, toSeconds } from './family.js';
import { podInfos } from './pod-info.js';
import { containers, containerSpecs, limits, memberships, podComponents, pods, volumes } from './subjects.js';

/** Per pod. */
export const podGroups: readonly FamilyGroup<NodeSnapshot>[] = [
  familyGroup({
    level: 'pod',
    subjects: memberships,
    families: [
      {
        name: 'pod_workload_info',
        help: '1; the workloads that the pod belongs to. Only for pods that the API server knows.',
        value: () => 1,
      },
    ],
  }),
  familyGroup({
    level: 'pod',
    subjects: pods,
    families: [
      {
        name: 'pod_used_bytes',
        help: 'Ephemeral storage of the pod, as the kubelet holds it against its limit.',
        value: ({ usage }) => usage.usedBytes,
      },
      {
        name: 'pod_limit_bytes',
        help: 'Limit of the pod, added up from those of its containers as the kubelet does.',
        value: ({ limitBytes }) => limitBytes,
      },
      {
        name: 'pod_request_bytes',
        help: 'Request of the pod, added up from those of its containers as the scheduler does.',
        value: ({ requestBytes }) => requestBytes,
      },
      {
        name: 'pod_inodes_used',
        help: 'Inodes used by the files that make up the ephemeral storage of the pod.',
        value: ({ usage }) => usage.inodesUsed,
      },
      {
        name: 'pod_volume_stats_pending',
        help: '1 while the kubelet has not measured the volumes of the pod: its total is too small by them. No series otherwise.',
        value: ({ usage }) => (usage.volumesPending ? 1 : undefined),
      },
      {
        name: 'pod_volume_stats_timestamp_seconds',
        help: 'Unix time of the oldest figure of a volume of the pod: the kubelet measures volumes in the background, a minute and more before the rest.',
        value: ({ usage }) => toSeconds(oldestMs(usage.volumes.map(({ measuredAtMs }) => measuredAtMs))),
      },
      {
        name: 'pod_start_time_seconds',
        help: 'Unix time at which the pod was started, as the kubelet says.',
        value: ({ startTimeMs }) => toSeconds(startTimeMs),
      },
    ],
  }),
  familyGroup({
    level: 'pod',
    subjects: podInfos,
    families: [
      {
        name: 'pod_info',
        help: '1; what the API server says of the pod. Static pods are never evicted for their limits.',
        value: () => 1,
      },
    ],
  }),
  familyGroup({
    level: 'pod',
    subjects: podComponents,
    families: [
      {
        name: 'pod_component_used_bytes',
        help: 'Parts of the ephemeral storage of the pod (rootfs, logs, emptydir, configmap, gitrepo, other): they add up to its total.',
        value: (usedBytes) => usedBytes,
      },
    ],
  }),
  familyGroup({
    level: 'pod',
    subjects: limits,
    families: [
      {
        name: 'limit_ratio',
        help: 'What the kubelet holds against a limit, divided by it, for each rule that it evicts for (emptydir, pod, container). Above 1 it evicts.',
        value: ({ usedBytes, limitBytes }) => usedBytes / limitBytes,
      },
    ],
  }),
];

const attributedFamilies: readonly FamilyOptions<ContainerUsage>[] = [
  {
    name: 'container_used_bytes',
    help: 'Ephemeral storage attributed to the container: its own files and its share of what the pod shares.',
    value: ({ usedBytes }) => usedBytes,
  },
];

const ownFilesFamilies: readonly FamilyOptions<ContainerUsage>[] = [
  {
    name: 'container_rootfs_used_bytes',
    help: 'Writable layer of the container, as the kubelet reports it.',
    value: ({ rootfsBytes }) => rootfsBytes,
  },
  {
    name: 'container_logs_used_bytes',
    help: 'Logs of the container, as the kubelet reports them.',
    value: ({ logsBytes }) => logsBytes,
  },
  {
    name: 'container_rootfs_inodes_used',
    help: 'Inodes used in the writable layer of the container, as the kubelet reports them.',
    value: ({ rootfsInodesUsed }) => rootfsInodesUsed,
  },
  {
    name: 'container_logs_inodes_used',
    help: 'Inodes used by the logs of the container, as the kubelet reports them.',
    value: ({ logsInodesUsed }) => logsInodesUsed,
  },
];

const containerSpecGroup = familyGroup({
  level: 'container',
  subjects: containerSpecs,
  families: [
    {
      name: 'container_limit_bytes',
      help: 'Limit of the container, from the spec of the pod.',
      value: ({ limitBytes }) => limitBytes,
    },
    {
      name: 'container_request_bytes',
      help: 'Request of the container, from the spec of the pod.',
      value: ({ requestBytes }) => requestBytes,
    },
  ],
});

/** Per container. */
export const containerGroups: readonly FamilyGroup<NodeSnapshot>[] = [
  familyGroup({
    level: 'container',
    subjects: containers,
    families: [...attributedFamilies, ...ownFilesFamilies],
  }),
  containerSpecGroup,
];

/**
 * The same families in the same order; those whose names another exporter has too carry its labels beside ours, as a
 * name must not stand for two families.
 */
export const sharedContainerGroups: readonly FamilyGroup<NodeSnapshot>[] = [
  familyGroup({ level: 'container', subjects: containers, families: attributedFamilies }),
  familyGroup({ level: 'container', subjects: sharedContainers, families: ownFilesFamilies }),
  containerSpecGroup,
];

/** Per volume of a pod. */
export const volumeGroups: readonly FamilyGroup<NodeSnapshot>[] = [
  familyGroup({
    level: 'volume',
    subjects: volumes,
    families: [
      {
        name: 'volume_used_bytes',
        help: 'Bytes used in the volume of the pod, of any type and medium.',
        value: ({ usedBytes }) => usedBytes,
      },
      {
        name: 'volume_capacity_bytes',
        help: 'Size of the filesystem that holds the volume.',
        value: ({ capacityBytes }) => capacityBytes,
      },
      {
        name: 'volume_available_bytes',
        help: 'Bytes available in the filesystem that holds the volume.',
        value: ({ availableBytes }) => availableBytes,
      },
      {
        name: 'volume_inodes_used',
        help: 'Inodes used in the volume.',
        value: ({ inodesUsed }) => inodesUsed,
      },
      {
        name: 'volume_limit_bytes',
        help: 'Size limit of an emptyDir, from the spec of the pod.',
        value: ({ sizeLimitBytes }) => sizeLimitBytes,
      },
    ],
  }),
];

function oldestMs(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((timeMs) => timeMs !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
