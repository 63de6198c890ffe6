import { only, type Selection, series } from '../queries.js';

const nameAndType = ['workload="$workload"', 'workload_type="$workload_type"'] as const;

/**
 * Series of the selected workload. Workloads of the types `selector` and `labels` have no namespace, all others have
 * one: with the type, a namespace that is empty or the selected one is exact.
 */
export const itself = { matchers: ['namespace=~"$namespace|"', ...nameAndType] } as const;

/** Series of pods in the namespaces of its pods: few, in a large cluster. */
export const inNamespaces = { matchers: ['namespace=~"$pod_namespaces"'] } as const;

/** The series of `query` that belong to its pods. */
export function ofItsPods(query: string, at: Pick<Selection, 'at'> = {}): string {
  const matchers = ['workload_namespace=~"$namespace|"', ...nameAndType, ...inNamespaces.matchers];
  const members = series('pod_workload_info', { matchers, ...at });
  return only(query, ['namespace', 'pod'], members);
}

/** Letters and digits that controllers append to names. They form no words, so other workloads' names do not match. */
const suffix = '(-[bcdfghjklmnpqrstvwxz2456789]+)?';

/** Evictions of its pods, by their names. */
export const ofItsNames = {
  matchers: ['namespace="$namespace"', `pod=~"$workload(-[0-9]+)?${suffix}${suffix}"`],
} as const;

/**
 * The evictions of `query` that are of its pods: by their workload, as known within the time range, also of pods that
 * are gone; or by their names, because a pod may be evicted before its first scrape.
 */
export function evictedOfItsPods(query: string): string {
  const matchers = ['workload_namespace=~"$namespace|"', ...nameAndType, ...inNamespaces.matchers];
  const members = `last_over_time(${series('pod_workload_info', { matchers })}[$__range])`;
  return only(query, ['namespace', 'pod'], `${members} or ${series('pod_evicted_timestamp_seconds', ofItsNames)}`);
}
