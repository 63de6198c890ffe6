import type { NodeView } from '../../facts/node/node-view.js';
import type { BoundPod, PodRecord } from '../../facts/node/pod-record.js';
import { isNearLimit } from '../../facts/node/standing.js';
import type { Workload } from '../../facts/workload/workload.js';
import type { Lane } from '../../lib/base/lane.js';
import { naturalName, type Ranking } from '../../lib/base/ranking.js';
import { dataOf } from '../report/node-report.js';
import type { PodReport } from '../report/pod-report.js';
import type { ClusterReading } from './cluster-reading.js';
import { type ListPage, listPage } from './list-page.js';
import { type Condition, isOther, type ListQuery } from './list-query.js';
import {
  belongsTo,
  isOfQuery,
  isUnenforced,
  type ListedPod,
  listedRecords,
  matchesPod,
  type NamespacedName,
  podOrder,
  podRanks,
  podReport,
  rankOf,
  unmeasuredPods,
} from './listed-pod.js';

/** The pods that are near a limit first, then the largest; those without a total last. Yields to the event loop between nodes. */
export async function listPods(reading: ClusterReading, query: ListQuery, lane: Lane): Promise<ListPage<PodReport>> {
  const { order } = query;
  const addItems = (items: Ranking<ListedPod>, view: NodeView): void => {
    const data = dataOf(view, reading);
    const records = data === undefined ? [] : listedRecords(data.snapshot);
    const of = { view, data, sortName: order === 'node' ? naturalName(view.nodeName) : '' };
    const add = (record: PodRecord | undefined, bound: BoundPod | undefined, names: NamespacedName): void => {
      const pod: ListedPod = { of, record, bound, names, rank: -Infinity };
      if (!isWanted(pod, query)) return;
      pod.rank = rankOf(pod, order, data?.source);
      items.add(pod);
    };
    for (const bound of unmeasuredPods(view, records)) add(undefined, bound, bound.pod);
    for (const record of records) add(record, record.bound, record.summary);
  };
  const compare = podOrder(order);
  const sources = nodesOf(reading, query);
  const ranksOf = (pod: ListedPod) => podRanks(pod, order);
  const reportOf = ({ of, record, bound }: ListedPod) => podReport({ ...of, record, bound }, reading);
  return listPage({ sources, addItems, compare, ranksOf, reportOf }, query, lane);
}

/** The same reading without other nodes than `node` that have no pod of the workload: several lists of its pods then cost as much as one. */
export async function readingOfWorkload(
  reading: ClusterReading,
  { workload, node }: { readonly workload: string } & Pick<ListQuery, 'node'>,
  lane: Lane,
): Promise<ClusterReading> {
  const nodes: NodeView[] = [];
  const isOf = ({ workloads }: Pick<PodRecord, 'workloads'>): boolean => belongsTo(workloads, workload);
  await lane.each(reading.snapshot.nodes, (view) => {
    const records = dataOf(view, reading)?.snapshot.pods ?? [];
    if (view.nodeName === node || records.some(isOf) || (view.objects?.pods ?? view.unmeasured).some(isOf))
      nodes.push(view);
  });
  return { ...reading, snapshot: { ...reading.snapshot, nodes } };
}

/** Pods of nodes that are in the cluster. */
function nodesOf({ snapshot }: ClusterReading, { node }: ListQuery): readonly NodeView[] {
  return node === undefined ? snapshot.nodes : snapshot.nodes.filter(({ nodeName }) => nodeName === node);
}

function isWanted(pod: ListedPod, query: ListQuery): boolean {
  const { search, name, namespace, only } = query;
  if (isOther(name, pod.names.name) || isOther(namespace, pod.names.namespace)) return false;
  if (search.length > 0 && !matchesPod(search, pod.names, pod.bound !== undefined)) return false;
  if (!isOfQuery({ workloads: workloadsOf(pod), bound: pod.bound }, query)) return false;
  return only === undefined || conditionsOf[only](pod);
}

function workloadsOf({ record, bound }: ListedPod): readonly Workload[] {
  return record?.workloads ?? bound?.workloads ?? [];
}

const conditionsOf: Readonly<Record<Condition, (pod: ListedPod) => boolean>> = {
  near: ({ record, of: { data } }) => record !== undefined && data !== undefined && isNearLimit(data.source, record),
  unknown: ({ record, of }) =>
    record?.summary.usedBytes === undefined ||
    record.isPending ||
    record.containers.some(({ usedBytes }) => usedBytes === undefined) ||
    of.view.state === 'absent',
  unenforced: (pod) => isUnenforced(pod, pod.of.view),
};
