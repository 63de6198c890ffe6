/** THE table of metric families: name, help, labels, and how each value comes from the data of a scrape. */
import type { ClusterSnapshot, NodeSnapshot, WorkloadSnapshot } from '../scrape/snapshot.js';
import { familyGroup, type FamilyGroup, type FamilyRow } from './family.js';
import {
  absentNodes,
  containers,
  filesystems,
  memberships,
  nodes,
  podComponents,
  pods,
  volumes,
  workloadContainers,
  workloads,
} from './subjects.js';
import { workloadInfoLabels } from './workload-info.js';

/** Per identity. While it is at rest the bytes are absent; how many pods were expected and measured is known all the same. */
export const workloadGroups: readonly FamilyGroup<WorkloadSnapshot>[] = [
  familyGroup({
    level: 'workload',
    subjects: workloads,
    families: [
      {
        name: 'workload_used_bytes',
        help: 'Ephemeral storage of the measured pods of the workload.',
        value: ({ figures }) => figures?.usedBytes,
      },
      {
        name: 'workload_pod_max_used_bytes',
        help: 'Ephemeral storage of the largest measured pod of the workload.',
        value: ({ figures }) => figures?.podMaxUsedBytes,
      },
      {
        name: 'workload_limit_bytes',
        help: 'Sum of the ephemeral-storage limits of the pods of the workload that declare one.',
        value: ({ figures }) => figures?.limitBytes,
      },
      {
        name: 'workload_request_bytes',
        help: 'Sum of the ephemeral-storage requests of the pods of the workload that declare one.',
        value: ({ figures }) => figures?.requestBytes,
      },
      {
        name: 'workload_pods',
        help: 'Pods of the workload that are expected to be measured: running for longer than the grace period.',
        value: ({ expectedPods }) => expectedPods,
      },
      {
        name: 'workload_pods_measured',
        help: 'Expected pods of the workload that were measured.',
        value: ({ measuredPods }) => measuredPods,
      },
      {
        name: 'workload_complete',
        help: '1 when all expected pods of the workload were measured, with their volumes; 0 when the sums are partial.',
        value: ({ complete }) => Number(complete),
      },
      {
        name: 'workload_up',
        help: '1 when the last collection of the workload succeeded.',
        value: ({ figures }) => Number(figures !== undefined),
      },
      {
        name: 'workload_backoff_seconds',
        help: 'Time until the next collection of the workload; 0 when none is pending.',
        value: ({ backoffMs }) => toSeconds(backoffMs),
      },
    ],
  }),
  familyGroup({
    level: 'workload',
    subjects: workloadContainers,
    families: [
      {
        name: 'workload_container_used_bytes',
        help: 'Ephemeral storage attributed to the containers of this name in the measured pods of the workload.',
        value: ({ usedBytes }) => usedBytes,
      },
      {
        name: 'workload_container_max_used_bytes',
        help: 'The largest ephemeral storage attributed to a container of this name in the workload.',
        value: ({ maxUsedBytes }) => maxUsedBytes,
      },
    ],
  }),
];

/** Its labels depend on the label keys that form identities. */
export const workloadInfoFamily: FamilyRow = {
  name: 'ephemeral_storage_workload_info',
  type: 'gauge',
  help: '1; where the workload comes from (configured, labels, controller): the label values or the controller behind it.',
  level: 'workload',
  labels: workloadInfoLabels,
};

/** What one node's summary gives. Nothing here may depend on the time of the scrape: the text is kept. */
export const detailGroups: readonly FamilyGroup<NodeSnapshot>[] = [
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
        value: ({ usedBytes }) => usedBytes,
      },
      {
        name: 'pod_volume_stats_pending',
        help: '1 while the kubelet has not measured the volumes of the pod: its total is too small by them. No series otherwise.',
        value: ({ volumesPending }) => (volumesPending ? 1 : undefined),
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
    level: 'container',
    subjects: containers,
    families: [
      {
        name: 'container_used_bytes',
        help: 'Ephemeral storage attributed to the container: its own files and its share of what the pod shares.',
        value: ({ usedBytes }) => usedBytes,
      },
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
    ],
  }),
  familyGroup({
    level: 'volume',
    subjects: volumes,
    families: [
      {
        name: 'volume_used_bytes',
        help: 'Bytes used in the volume of the pod, of any type and medium.',
        value: ({ usedBytes }) => usedBytes,
      },
    ],
  }),
  familyGroup({
    level: 'node',
    subjects: filesystems,
    families: [
      {
        name: 'node_used_bytes',
        help: 'Bytes used in the filesystem; of imagefs and containerfs, what images and writable layers use in it.',
        value: ({ usedBytes }) => usedBytes,
      },
      {
        name: 'node_available_bytes',
        help: 'Bytes available in the filesystem.',
        value: ({ availableBytes }) => availableBytes,
      },
      {
        name: 'node_capacity_bytes',
        help: 'Size of the filesystem in bytes.',
        value: ({ capacityBytes }) => capacityBytes,
      },
    ],
  }),
];

/** What changes from scrape to scrape. */
export const nodeStateGroups: readonly FamilyGroup<ClusterSnapshot>[] = [
  familyGroup({
    level: 'node',
    subjects: nodes,
    families: [
      {
        name: 'node_up',
        help: '1 when there is data of the node, fresh or stale, in this scrape. No series for nodes that are skipped.',
        value: (node) => {
          if (node.state !== 'absent') return 1;
          return node.reason === 'skipped' ? undefined : 0;
        },
      },
      {
        name: 'node_summary_age_seconds',
        help: 'Time since the data of the node was fetched from its kubelet.',
        value: (node) => (node.state === 'absent' ? undefined : toSeconds(node.ageMs)),
      },
    ],
  }),
  familyGroup({
    level: 'node',
    subjects: absentNodes,
    families: [
      { name: 'node_absent_info', help: '1 while there is no data of the node, with the reason.', value: () => 1 },
    ],
  }),
];

/** Whole milliseconds are all that the clock is good for, and keep the text short. */
function toSeconds(durationMs: number): number {
  return Math.round(durationMs) / 1_000;
}

/** All families, in the order of the exposition; `selfFamilies` are those about the exporter itself. */
export function familyTable(selfFamilies: readonly Omit<FamilyRow, 'level'>[]): readonly FamilyRow[] {
  return [
    ...workloadGroups.flatMap(({ families }) => families),
    workloadInfoFamily,
    ...detailGroups.flatMap(({ families }) => families),
    ...nodeStateGroups.flatMap(({ families }) => families),
    ...selfFamilies.map((family) => ({ ...family, level: 'exporter' as const })),
  ];
}
