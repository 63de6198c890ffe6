import { byNames } from '../base/ranking.js';
import { matchesSelector } from '../kube/selector.js';
import type { EvictionReport } from '../report/eviction-report.js';
import type { ListPage } from './list-page.js';
import { type ListQuery, matchesSearch } from './list-query.js';

/** The newest first. */
export function listEvictions(all: readonly EvictionReport[], query: ListQuery): ListPage<EvictionReport> {
  const { offset, limit, order } = query;
  const wanted = all.filter((eviction) => isWanted(eviction, query));
  const sorted = order === 'name' ? wanted.sort(byNames(({ namespace, pod }) => [namespace, pod])) : wanted;
  return { items: sorted.slice(offset, offset + limit), totalCount: sorted.length, offset, limit };
}

function isWanted(eviction: EvictionReport, { search, namespace, node, workload, selector }: ListQuery): boolean {
  if (namespace !== undefined && namespace !== eviction.namespace) return false;
  if (node !== undefined && node !== eviction.node) return false;
  const workloads = eviction.workloads.map((of) => `${of.workloadNamespace || '-'}/${of.workloadType}/${of.workload}`);
  if (workload !== undefined && !workloads.includes(workload)) return false;
  return (
    matchesSelector(selector, eviction.labels) &&
    matchesSearch(search, `${eviction.namespace}/${eviction.pod} ${eviction.node}`)
  );
}
