import { matchesSelector } from '../../cluster/kube/selector.js';
import { workloadPath } from '../../facts/workload/workload.js';
import { isNamed } from '../../facts/workload/workload-names.js';
import { byNames } from '../../lib/base/ranking.js';
import type { EvictionReport } from '../report/eviction-report.js';
import { workloadOf } from '../report/workload-report.js';
import { firstOf, type ListPage } from './list-page.js';
import { isOther, type ListQuery, matchesSearch } from './list-query.js';

/** The newest first. */
export function listEvictions(all: readonly EvictionReport[], query: ListQuery): ListPage<EvictionReport> {
  const wanted = all.filter((eviction) => isWanted(eviction, query));
  return firstOf(wanted.sort(evictionOrder(query.order)), query.limit);
}

export function evictionOrder(order: string): (a: EvictionReport, b: EvictionReport) => number {
  if (order === 'name') return byNames(({ namespace, pod }) => [namespace, pod]);
  return (a, b) => b.evictedAtMs - a.evictedAtMs;
}

function isWanted(eviction: EvictionReport, query: ListQuery): boolean {
  const { search, name, namespace, node, workload, selector } = query;
  if (isOther(namespace, eviction.namespace) || isOther(node, eviction.node)) return false;
  const workloads = eviction.workloads.map(workloadOf);
  if (workload !== undefined && !workloads.map(workloadPath).includes(workload)) return false;
  if (
    name !== undefined &&
    name.slice(name.lastIndexOf('/') + 1) !== eviction.pod &&
    !workloads.some((of) => isNamed(of, name, namespace))
  )
    return false;
  return (
    matchesSelector(selector, eviction.labels) &&
    matchesSearch(search, `${eviction.namespace}/${eviction.pod} ${eviction.node}`)
  );
}
