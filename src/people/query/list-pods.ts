import { hasLimits, isActive } from '../../facts/node/limits.js';
import type { BoundPod } from '../../facts/node/node-objects.js';
import { type NodeView, unenforcedOn } from '../../facts/node/node-view.js';
import { deriveMeasured, derivePod, type PodRecord } from '../../facts/node/pod-record.js';
import { isNearLimit } from '../../facts/node/standing.js';
import type { Workload } from '../../facts/workload/workload.js';
import type { Lane } from '../../lib/base/lane.js';
import { limitFacts, measuredPodReport, type PodReport } from '../report/pod-report.js';
import type { ClusterReading } from './cluster-reading.js';
import { belongsTo, isOfQuery, matchesPod } from './list-filter.js';
import { type ListItems, type ListPage, listPage } from './list-page.js';
import type { Condition, ListQuery } from './list-query.js';
import type { ListedPod, NamespacedName, PodData } from './listed-pod.js';
import { knownPodState } from './pod-explanation.js';
import { earliestPod, podOrder, rankOf } from './pod-order.js';

/** The pods that are near a limit first, then the largest; those without a total last. Yields to the event loop between nodes. */
export async function listPods(reading: ClusterReading, query: ListQuery, lane: Lane): Promise<ListPage<PodReport>> {
  const { order } = query;
  const isEachWanted = !hasPodFilters(query);
  const addItems = (items: ListItems<ListedPod>, view: NodeView): void => {
    const data = podData(view, reading);
    const of = { view, data };
    const add = (record: PodRecord | undefined, bound: BoundPod | undefined, names: NamespacedName): void => {
      const pod: ListedPod = { of, record, bound, names, rank: -1 };
      if (!isWanted(pod, query)) return;
      pod.rank = rankOf(record, order, data?.source);
      items.add(pod);
    };
    for (const bound of unmeasuredPods(view, data)) add(undefined, bound, bound.pod);
    const matchCount = data?.pods.matchCount(query.search) ?? 0;
    if (data === undefined || matchCount === 0) return;
    const earliest = isEachWanted ? earliestPod({ view, data }, order) : undefined;
    if (earliest !== undefined && items.isBehind(earliest)) items.addBehind(matchCount);
    else for (const record of data.pods.all) add(record, record.bound, record.summary);
  };
  const compare = podOrder(order);
  const sources = nodesOf(reading, query);
  return listPage({ sources, addItems, compare, reportOf: (pod) => reportOf(pod, reading) }, query, lane);
}

/** Whether more than names is asked of each pod. */
function hasPodFilters({ namespace, workload, selector, only, rule }: ListQuery): boolean {
  return [namespace, workload, only, rule].some((filter) => filter !== undefined) || selector.length > 0;
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

function podData(view: NodeView, reading: ClusterReading): PodData | undefined {
  if (view.state !== 'absent') return { snapshot: view.snapshot, pods: reading.podsOf(view.snapshot), source: view };
  const last = reading.lastKnownOf(view);
  return (
    last && {
      snapshot: last.snapshot,
      pods: reading.podsOf(last.snapshot),
      source: { ...view, ageMs: last.ageMs },
    }
  );
}

/** Those that have ended are no longer on the node. */
function unmeasuredPods({ objects, unmeasured }: NodeView, data: PodData | undefined): readonly BoundPod[] {
  const bound = objects?.pods ?? unmeasured;
  if (bound.length === 0) return [];
  return data === undefined ? bound.filter(({ pod }) => isActive(pod)) : data.pods.othersOf(bound);
}

function isWanted(pod: ListedPod, query: ListQuery): boolean {
  const { search, namespace, only, rule } = query;
  if (namespace !== undefined && namespace !== pod.names.namespace) return false;
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
