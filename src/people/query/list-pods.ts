import { hasLimits, isActive } from '../../facts/node/limits.js';
import { type NodeView, unenforcedOn } from '../../facts/node/node-view.js';
import { type BoundPod, deriveMeasured, derivePod, type PodRecord } from '../../facts/node/pod-record.js';
import { isNearLimit } from '../../facts/node/standing.js';
import type { Workload } from '../../facts/workload/workload.js';
import type { Lane } from '../../lib/base/lane.js';
import { naturalName, type Ranking } from '../../lib/base/ranking.js';
import { limitFacts, measuredPodReport, type PodReport } from '../report/pod-report.js';
import type { ClusterReading } from './cluster-reading.js';
import { belongsTo, isOfQuery, isOther, matchesPod } from './list-filter.js';
import { type ListPage, listPage } from './list-page.js';
import type { Condition, ListQuery } from './list-query.js';
import {
  type ListedPod,
  listedRecords,
  type NamespacedName,
  type NodeOfPods,
  type PodData,
  podOrder,
  podRanks,
  rankOf,
} from './listed-pod.js';
import { knownPodState } from './pod-explanation.js';

/** The pods that are near a limit first, then the largest; those without a total last. Yields to the event loop between nodes. */
export async function listPods(reading: ClusterReading, query: ListQuery, lane: Lane): Promise<ListPage<PodReport>> {
  const { order } = query;
  const addItems = (items: Ranking<ListedPod>, view: NodeView): void => {
    const of = nodeOfPods(view, reading, order);
    const { data } = of;
    const add = (record: PodRecord | undefined, bound: BoundPod | undefined, names: NamespacedName): void => {
      const pod: ListedPod = { of, record, bound, names, rank: -Infinity };
      if (!isWanted(pod, query)) return;
      pod.rank = rankOf(pod, order, data?.source);
      items.add(pod);
    };
    for (const bound of unmeasuredPods(view, data)) add(undefined, bound, bound.pod);
    for (const record of data?.records ?? []) add(record, record.bound, record.summary);
  };
  const compare = podOrder(order);
  const sources = nodesOf(reading, query);
  const ranksOf = (pod: ListedPod) => podRanks(pod, order);
  return listPage({ sources, addItems, compare, ranksOf, reportOf: (pod) => reportOf(pod, reading) }, query, lane);
}

/** The same reading without the nodes that have no pod of the workload: several lists of its pods then cost as much as one. */
export async function readingOfWorkload(reading: ClusterReading, path: string, lane: Lane): Promise<ClusterReading> {
  const nodes: NodeView[] = [];
  const isOf = ({ workloads }: Pick<PodRecord, 'workloads'>): boolean => belongsTo(workloads, path);
  await lane.each(reading.snapshot.nodes, (view) => {
    const records = podData(view, reading)?.snapshot.pods ?? [];
    if (records.some(isOf) || (view.objects?.pods ?? view.unmeasured).some(isOf)) nodes.push(view);
  });
  return { ...reading, snapshot: { ...reading.snapshot, nodes } };
}

/** Pods of nodes that are in the cluster. */
function nodesOf({ snapshot }: ClusterReading, { node }: ListQuery): readonly NodeView[] {
  return node === undefined ? snapshot.nodes : snapshot.nodes.filter(({ nodeName }) => nodeName === node);
}

function nodeOfPods(view: NodeView, reading: ClusterReading, order: string): NodeOfPods {
  return { view, data: podData(view, reading), sortName: order === 'node' ? naturalName(view.nodeName) : '' };
}

function podData(view: NodeView, reading: ClusterReading): PodData | undefined {
  const last = view.state === 'absent' ? reading.lastKnownOf(view) : view;
  if (last === undefined) return undefined;
  const { snapshot, ageMs } = last;
  return { snapshot, records: listedRecords(snapshot), source: { ...view, ageMs } };
}

/** Those that have ended are no longer on the node. */
function unmeasuredPods({ objects, unmeasured }: NodeView, data: PodData | undefined): readonly BoundPod[] {
  const bound = objects?.pods ?? unmeasured;
  if (bound.length === 0) return [];
  const listed = new Set(data?.records.map((record) => record.bound?.pod.uid));
  return bound.filter(({ pod }) => isActive(pod) && !listed.has(pod.uid));
}

function isWanted(pod: ListedPod, query: ListQuery): boolean {
  const { search, name, namespace, only, rule } = query;
  if (isOther(name, pod.names.name) || isOther(namespace, pod.names.namespace)) return false;
  if (search.length > 0 && !matchesPod(search, pod.names, pod.bound !== undefined)) return false;
  if (!isOfQuery({ workloads: workloadsOf(pod), bound: pod.bound }, query)) return false;
  if (only !== undefined && !conditionsOf[only](pod)) return false;
  return rule === undefined || pod.record?.nearestRule === rule;
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
  unenforced: ({ record, bound, of }) =>
    record?.unenforced !== undefined ||
    (bound !== undefined && hasLimits(bound.pod) && unenforcedOn(of.view) !== undefined),
};

function reportOf(
  { record, bound, of: { data, view } }: ListedPod,
  { snapshot, failures, readAtMs }: ClusterReading,
): PodReport {
  if (record?.summary.usedBytes !== undefined && data !== undefined) {
    return measuredPodReport({ node: data.source, pod: deriveMeasured(record, data.snapshot.context) });
  }
  if (bound === undefined) throw new Error('a pod is listed that neither server knows');
  const { report } = knownPodState(bound, { snapshot: { ...snapshot, nodes: [view] }, failures, readAtMs });
  if (record === undefined || data === undefined) return report;
  return { ...report, ...limitFacts({ node: data.source, pod: derivePod(record, data.snapshot.context) }) };
}
