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
