import type { FigureRule } from './figure-sources.js';
import { highestRatio, memoryNote, nearCount } from './limit-expressions.js';
import type { ListLabels } from './series-filter.js';

/** A table: its columns that are figures, and how its filters are those of series. */
export interface ListFigures {
  readonly rules: readonly FigureRule[];
  readonly labels: ListLabels;
  readonly notes?: readonly string[];
}

const lastValues = 'Pods of nodes without data are shown with their last values, and have no series.';

export const podFigures: ListFigures = {
  labels: { names: [['namespace', 'pod']], hasWorkloads: true },
  rules: [
    {
      name: 'Used',
      text: 'Total of the pod as its kubelet reports it: writable layers, logs, and emptyDirs and configMaps on the disk. At least that much while volumes are not measured.',
      queries: [({ of }) => of('pod_used_bytes')],
    },
    {
      name: 'Nearest limit',
      text: `Used ÷ limit, of the limit of the pod where that is highest; limits that cannot evict it come last. ${memoryNote}`,
      queries: [highestRatio],
    },
    {
      name: 'Time to limit',
      text: 'Bytes left to the limit that the pod reaches first ÷ its growth in the last measurements.',
      queries: [({ of }) => of('pod_time_to_limit_seconds')],
    },
  ],
  notes: [lastValues],
};

export const containerFigures: ListFigures = {
  labels: { names: [['namespace', 'pod', 'container']], hasWorkloads: true },
  rules: [
    {
      name: 'Used',
      text: 'Writable layer and logs of the container, and its share of what the pod shares. The sum over a pod is its total.',
      queries: [({ of }) => of('container_used_bytes')],
    },
    {
      name: 'Writable layer',
      text: 'rootfs.usedBytes of the kubelet.',
      queries: [({ of }) => of('container_rootfs_used_bytes')],
    },
    { name: 'Logs', text: 'logs.usedBytes of the kubelet.', queries: [({ of }) => of('container_logs_used_bytes')] },
    {
      name: 'Limit',
      text: 'What the kubelet compares, writable layer and logs, ÷ limit; and the limit, which has series on nodes without data, too.',
      queries: [({ of }) => of('limit_ratio', 'rule="container"'), ({ of }) => of('container_limit_bytes')],
    },
  ],
};

export const volumeFigures: ListFigures = {
  labels: { names: [['namespace', 'pod', 'volume']], hasWorkloads: true },
  rules: [
    {
      name: 'Used',
      text: 'usedBytes of the kubelet. With metrics.profile: full there are series of volumes that are no emptyDirs, too.',
      queries: [({ of }) => of('volume_used_bytes')],
    },
    {
      name: 'Size limit',
      text: 'Used ÷ size limit, where the kubelet compares them; and the size limit, which has series on nodes without data, too.',
      queries: [({ of }) => of('limit_ratio', 'rule="emptydir"'), ({ of }) => of('volume_limit_bytes')],
    },
  ],
};

export const workloadFigures: ListFigures = {
  labels: { names: [['namespace', 'workload_type', 'workload']], spansNamespaces: true },
  rules: [
    {
      name: 'Used',
      text: 'Sum of the totals of its measured pods.',
      queries: [({ of }) => of('workload_used_bytes')],
    },
    {
      name: 'Largest pod',
      text: 'Largest of the totals.',
      queries: [({ of }) => of('workload_pod_max_used_bytes')],
    },
    {
      name: 'Pods',
      text: 'Pods that are measured, of these and those that have been running for a minute.',
      queries: [({ of }) => of('workload_pods_measured'), ({ of }) => of('workload_pods')],
    },
  ],
};

/** `window`: in which evictions are remembered, in PromQL. */
export function namespaceFigures(window: string): ListFigures {
  return {
    labels: { names: [['namespace']] },
    rules: [
      {
        name: 'Used',
        text: 'Sum of the totals of its measured pods.',
        queries: [({ of }) => `sum by (namespace) (${of('pod_used_bytes')})`],
      },
      {
        name: 'Pods',
        text: 'Pods that are measured. Those that are not have no series.',
        queries: [({ of }) => `count by (namespace) (${of('pod_used_bytes')})`],
      },
      {
        name: 'Near a limit',
        text: `Pods at 80 % of a limit or more. Those that their growth takes to one within twice cache.ttl count too, on the page alone. ${memoryNote}`,
        queries: [nearCount],
      },
      {
        name: 'Evictions',
        text: `Evictions that are remembered. ${evictionNote}`,
        queries: [
          ({ during }) => `sum by (namespace) (${during('changes', window)('pod_evicted_timestamp_seconds')} + 1)`,
        ],
      },
    ],
  };
}

const evictionNote = 'A series of one lasts for an hour at most: what Prometheus did not scrape then, it lacks.';

/** `window`: see {@link namespaceFigures}. */
export function evictionFigures(window: string): ListFigures {
  return {
    labels: { names: [['namespace', 'pod'], ['node']] },
    rules: [
      {
        name: 'Time',
        text: `When the pod was evicted; of pods of one name, the last one. ${evictionNote}`,
        queries: [({ during }) => during('last_over_time', window)('pod_evicted_timestamp_seconds')],
      },
      {
        name: 'Why',
        text: 'What the pod used as last measured before its eviction, and the limit that it was evicted for.',
        queries: [
          ({ during }) => during('last_over_time', window)('pod_evicted_used_bytes'),
          ({ during }) => during('last_over_time', window)('pod_evicted_limit_bytes'),
        ],
      },
    ],
  };
}
