import { matchesSelector } from '../../cluster/kube/selector.js';
import { type Workload, workloadKey, workloadPath } from '../../facts/workload/workload.js';
import { isNamed } from '../../facts/workload/workload-names.js';
import type { WorkloadSnapshot } from '../../facts/workload/workload-partial.js';
import type { Lane } from '../../lib/base/lane.js';
import { largestFirst, type Ranking } from '../../lib/base/ranking.js';
import { workloadOf, type WorkloadReport, workloadReport } from '../report/workload-report.js';
import type { ClusterReading } from './cluster-reading.js';
import { type ListPage, listPage } from './list-page.js';
import { type ListQuery, matchesSearch } from './list-query.js';
import { notCollected } from './workload-explanation.js';

/**
 * Lists workloads. With a namespace: those in it and those that may span namespaces; with a selector: those that have such
 * pods, with the values of all their pods. With a name: those that are called so, also those that are known by evictions of their pods alone.
 */
export async function listWorkloads(
  reading: ClusterReading,
  query: ListQuery,
  lane: Lane,
): Promise<ListPage<WorkloadReport>> {
  const { order } = query;
  const keys = query.selector.length === 0 ? undefined : await keysOfPods(reading, query, lane);
  const list = {
    sources: [...reading.snapshot.workloads, ...(query.name === undefined ? [] : evictedWorkloads(reading))],
    addItems: (items: Ranking<WorkloadReport>, found: WorkloadSnapshot) => {
      const { workload } = found;
      if (isWanted(workload, query) && keys?.has(workloadKey(workload)) !== false) items.add(workloadReport(found));
    },
    compare: workloadOrder(order),
    reportOf: (of: WorkloadReport) => of,
  };
  return listPage(list, query, lane);
}

function isWanted(workload: Workload, { search, name, namespace }: ListQuery): boolean {
  if (name !== undefined) return isNamed(workload, name, namespace);
  if (namespace !== undefined && !['', namespace].includes(workload.namespace)) return false;
  return search.length === 0 || matchesSearch(search, workloadPath(workload));
}

/** Returns those that have no pods any more, as far as evictions are remembered. */
function evictedWorkloads({ snapshot, evictions }: ClusterReading): readonly WorkloadSnapshot[] {
  const evicted = evictions.flatMap(({ workloads }) => workloads.map(workloadOf));
  const others = new Map(evicted.map((workload) => [workloadKey(workload), workload]));
  for (const { workload } of snapshot.workloads) others.delete(workloadKey(workload));
  return Array.from(others.values(), notCollected);
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
