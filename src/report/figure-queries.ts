import { equals, seriesOf } from './promql.js';

/** The families that have the figures of pages, without the common prefix, by what is shown. */
export const figureFamilies = {
  podTotal: ['pod_used_bytes', 'pod_component_used_bytes'],
  podContainers: ['container_used_bytes', 'container_rootfs_used_bytes', 'container_logs_used_bytes'],
  podVolumes: ['volume_used_bytes', 'volume_limit_bytes'],
  podLimits: ['limit_ratio', 'limit_unenforced_info', 'pod_limit_bytes', 'pod_request_bytes'],
  podForecast: ['pod_time_to_limit_seconds'],
  podEvictions: ['pod_evicted_timestamp_seconds', 'pod_evicted_used_bytes', 'pod_evicted_limit_bytes'],
  workloadTotal: [
    'workload_used_bytes',
    'workload_pod_max_used_bytes',
    'workload_limit_bytes',
    'workload_request_bytes',
  ],
  workloadCoverage: ['workload_pods', 'workload_pods_measured', 'workload_pods_on_absent_nodes', 'workload_complete'],
  workloadContainers: ['workload_container_used_bytes', 'workload_container_max_used_bytes'],
  workloadEvictions: ['workload_evictions_total'],
} as const;

/** Of them, those that only the profile `full` has. */
export const fullFamilies: ReadonlySet<string> = new Set([
  'container_rootfs_used_bytes',
  'container_logs_used_bytes',
  'pod_request_bytes',
]);

export type Figure = keyof typeof figureFamilies;

/** What a figure is of. */
export interface FigureSubject {
  readonly figure: Figure;
  /** What names the thing, by the names of the metrics. */
  readonly labels: Readonly<Record<string, string>>;
  /** Wall time of an eviction whose series have ended: they are asked for as they were then. */
  readonly endedAtMs?: number | undefined;
}

/** Returns the series of a figure in PromQL. */
export function figureQueries({ figure, labels, endedAtMs }: FigureSubject): readonly string[] {
  const matchers = Object.entries(labels).map(([name, value]) => equals(name, value));
  return figureFamilies[figure].map((family) => {
    const series = seriesOf(family, matchers);
    return endedAtMs === undefined ? series + noteOf(family) : lastOf(series, endedAtMs);
  });
}

/** Series of evicted pods stay for an hour at most. */
export const evictionSeriesMs = 3_600_000;

/** In the hour after the eviction. */
function lastOf(series: string, evictedAtMs: number): string {
  return `last_over_time(${series}[1h] @ ${Math.ceil((evictedAtMs + evictionSeriesMs) / 1_000)})`;
}

/** A comment of PromQL: without it, the answer of a server that has no such series looks like a fault. */
function noteOf(family: string): string {
  return fullFamilies.has(family) ? ' # with metrics.profile: full' : '';
}
