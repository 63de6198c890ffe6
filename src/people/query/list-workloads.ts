import { matchesSelector } from '../../cluster/kube/selector.js';
import { workloadKey, workloadPath } from '../../facts/workload/workload.js';
import type { WorkloadSnapshot } from '../../facts/workload/workload-partial.js';
import type { Lane } from '../../lib/base/lane.js';
import { largestFirst, type Ranking } from '../../lib/base/ranking.js';
import { type WorkloadReport, workloadReport } from '../report/workload-report.js';
import type { ClusterReading } from './cluster-reading.js';
import { type ListPage, listPage } from './list-page.js';
import { type ListQuery, matchesSearch } from './list-query.js';

/**
 * Lists workloads. With a namespace: those in it and those that may span namespaces; with a selector: those that have such
 * pods, with the values of all their pods.
 */
export async function listWorkloads(
  reading: ClusterReading,
  query: ListQuery,
  lane: Lane,
): Promise<ListPage<WorkloadReport>> {
  const { order, search, namespace } = query;
  const keys = query.selector.length === 0 ? undefined : await keysOfPods(reading, query, lane);
  const list = {
    sources: reading.snapshot.workloads,
    addItems: (items: Ranking<WorkloadReport>, found: WorkloadSnapshot) => {
      const { workload } = found;
      const isInNamespace = namespace === undefined || ['', namespace].includes(workload.namespace);
      if (!isInNamespace || (keys !== undefined && !keys.has(workloadKey(workload)))) return;
      if (search.length === 0 || matchesSearch(search, workloadPath(workload))) items.add(workloadReport(found));
    },
    compare: workloadOrder(order),
    reportOf: (of: WorkloadReport) => of,
  };
  return listPage(list, query, lane);
}

/** Returns the keys of the workloads of pods that the query names. */
async function keysOfPods(
  { knownPods }: ClusterReading,
  { namespace, selector }: ListQuery,
  lane: Lane,
): Promise<ReadonlySet<string>> {
  const keys = new Set<string>();
  await lane.each(knownPods, ({ pod, workloads }) => {
    if ((namespace !== undefined && namespace !== pod.namespace) || !matchesSelector(selector, pod.labels)) return;
    for (const workload of workloads) keys.add(workloadKey(workload));
  });
  return keys;
}

export function workloadOrder(order: string): (a: WorkloadReport, b: WorkloadReport) => number {
  return largestFirst(
    (of) => ranks[order]?.(of),
    ({ workloadNamespace, workload, workloadType }) => [workloadNamespace, workload, workloadType],
  );
}

const ranks: Readonly<Record<string, (of: WorkloadReport) => number | undefined>> = {
  used: ({ usedBytes }) => usedBytes,
  largest: ({ podMaxUsedBytes }) => podMaxUsedBytes,
  pods: ({ expectedPodCount }) => expectedPodCount,
  limit: ({ limitBytes }) => limitBytes,
};
