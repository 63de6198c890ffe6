import { only, type Selection, series } from '../queries.js';

/** Series about the workload that the reader chose. */
export const itself = { matchers: ['workload="$workload"'] } as const;

/** Series about pods in its namespaces: few, in a large cluster, beside those of all pods. */
export const inNamespaces = { matchers: ['namespace=~"$namespaces"'] } as const;

/** Those of `query` that are about its pods. */
export function ofItsPods(query: string, at: Pick<Selection, 'at'> = {}): string {
  const members = series('pod_workload_info', { matchers: [...itself.matchers, ...inNamespaces.matchers], ...at });
  return only(query, ['namespace', 'pod'], members);
}
