import { largestFirst, Ranking } from '../base/ranking.js';
import type { Lane } from '../base/scheduler.js';
import { type WorkloadReport, workloadReport } from '../report/workload-report.js';
import { workloadPath } from '../workload/workload.js';
import type { WorkloadSnapshot } from '../workload/workload-partial.js';
import type { ClusterReading } from './cluster-reading.js';
import { type ListPage, listPage } from './list-page.js';
import { type ListQuery, matchesSearch } from './list-query.js';

/** With a namespace: the workloads in it and those that may span namespaces. */
export async function listWorkloads(
  { snapshot }: ClusterReading,
  query: ListQuery,
  lane: Lane,
): Promise<ListPage<WorkloadReport>> {
  const { order, search, namespace, offset, limit } = query;
  const ranking = new Ranking<WorkloadSnapshot>(
    offset + limit,
    largestFirst(
      (workload) => ranks[order]?.(workload),
      ({ workload }) => [workload.namespace, workload.name, workload.type],
    ),
  );
  await lane.each(snapshot.workloads, (found) => {
    const { workload } = found;
    const isInNamespace = namespace === undefined || ['', namespace].includes(workload.namespace);
    if (isInNamespace && (search.length === 0 || matchesSearch(search, workloadPath(workload)))) ranking.add(found);
  });
  return listPage(ranking, query, workloadReport);
}

const ranks: Readonly<Record<string, (workload: WorkloadSnapshot) => number | undefined>> = {
  used: ({ usage }) => usage?.usedBytes,
  largest: ({ usage }) => usage?.podMaxUsedBytes,
  pods: ({ expectedPods }) => expectedPods,
  name: () => undefined,
};
