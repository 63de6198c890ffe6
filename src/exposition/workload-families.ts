import type { WorkloadSnapshot } from '../scrape/snapshot.js';
import { type FamilyGroup, familyGroup, type FamilyRow, toSeconds } from './family.js';
import { workloadContainers, workloads } from './subjects.js';
import { workloadInfoLabels } from './workload-info.js';

/** Per workload. While it is at rest the bytes are absent; how many pods were expected and measured is known all the same. */
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

/** Its labels depend on the label keys that form workloads. */
export const workloadInfoFamily: FamilyRow = {
  name: 'ephemeral_storage_workload_info',
  type: 'gauge',
  help: '1; where the workload comes from (configured, labels, controller): the label values or the controller behind it.',
  level: 'workload',
  labels: workloadInfoLabels,
};

/** In the order of the exposition. */
export const workloadFamilies: readonly FamilyRow[] = [
  ...workloadGroups.flatMap(({ families }) => families),
  workloadInfoFamily,
];
