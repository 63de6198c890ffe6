import { isNearLimit } from '../../facts/node/standing.js';
import type { Lane } from '../../lib/base/lane.js';
import { getOrAdd } from '../../lib/base/maps.js';
import { largestFirst, type Ranking } from '../../lib/base/ranking.js';
import { isRefusal } from '../report/eviction-cause-text.js';
import type { ShownEviction } from '../report/eviction-report.js';
import { dataOf } from '../report/node-report.js';
import type { PodReport } from '../report/pod-report.js';
import type { WorkloadReport } from '../report/workload-report.js';
import type { ClusterReading } from './cluster-reading.js';
import { type ListPage, listPage } from './list-page.js';
import { listedRecords } from './list-pods.js';
import { isOther, type ListQuery, matchesSearch } from './list-query.js';

export interface NamespaceReport {
  readonly namespace: string;
  /** Pods with data, and their bytes. */
  readonly measuredPodCount: number;
  readonly usedBytes: number;
  /** Pods of nodes in the cluster that have no data. */
  readonly unmeasuredPodCount: number;
  /** Above a limit that evicts them or at 80 % of it, or there within ten minutes; of nodes without data, when last known. */
  readonly nearLimitPodCount: number;
  /** Of its pods for storage, of those that are remembered; without pods that were refused at admission. */
  readonly evictionCount: number;
  /** Its pods cannot be listed: the other values are of what kubelets report. */
  readonly isUnlisted: boolean;
}

export interface NamespaceObject {
  readonly namespace: NamespaceReport;
  readonly pods: ListPage<PodReport>;
  readonly workloads: ListPage<WorkloadReport>;
  readonly evictions: readonly ShownEviction[];
}

type NamespaceSums = { -readonly [K in keyof NamespaceReport]: NamespaceReport[K] };

export async function listNamespaces(
  reading: ClusterReading,
  query: ListQuery,
  lane: Lane,
): Promise<ListPage<NamespaceReport>> {
  const { order, search, name } = query;
  const list = {
    sources: await namespaceReports(reading, lane),
    addItems: (items: Ranking<NamespaceReport>, of: NamespaceReport) => {
      if (!isOther(name, of.namespace) && matchesSearch(search, of.namespace)) items.add(of);
    },
    compare: namespaceOrder(order),
    reportOf: (of: NamespaceReport) => of,
  };
  return listPage(list, query, lane);
}

export function namespaceOrder(order: string): (a: NamespaceReport, b: NamespaceReport) => number {
  return largestFirst(
    (of) => ranks[order]?.(of),
    ({ namespace }) => [namespace],
  );
}

const ranks: Readonly<Record<string, (of: NamespaceReport) => number | undefined>> = {
  used: ({ usedBytes }) => usedBytes,
  pods: ({ measuredPodCount, unmeasuredPodCount }) => measuredPodCount + unmeasuredPodCount,
  near: ({ nearLimitPodCount }) => nearLimitPodCount,
  evictions: ({ evictionCount }) => evictionCount,
};

/** Of each namespace with pods or evictions, and of those whose pods cannot be listed. */
async function namespaceReports(reading: ClusterReading, lane: Lane): Promise<readonly NamespaceReport[]> {
  const { snapshot, evictions } = reading;
  const all = new Map<string, NamespaceSums>();
  const of = (namespace: string): NamespaceSums => getOrAdd(all, namespace, () => noSums(namespace));
  await lane.each(snapshot.nodes, (view) => {
    for (const { pod } of view.unmeasured) of(pod.namespace).unmeasuredPodCount += 1;
    const data = dataOf(view, reading);
    if (data === undefined) return;
    for (const pod of listedRecords(data.snapshot)) {
      const { summary } = pod;
      const sums = of(summary.namespace);
      if (isNearLimit(data.source, pod)) sums.nearLimitPodCount += 1;
      if (view.state === 'absent' || summary.usedBytes === undefined) continue;
      sums.measuredPodCount += 1;
      sums.usedBytes += summary.usedBytes;
    }
  });
  for (const eviction of evictions) of(eviction.namespace).evictionCount += Number(!isRefusal(eviction));
  for (const namespace of snapshot.unlistedNamespaces) of(namespace).isUnlisted = true;
  return [...all.values()];
}

function noSums(namespace: string): NamespaceSums {
  const counts = { measuredPodCount: 0, usedBytes: 0, unmeasuredPodCount: 0, nearLimitPodCount: 0, evictionCount: 0 };
  return { namespace, ...counts, isUnlisted: false };
}
