import { byNames } from '../base/ranking.js';
import type { Lane } from '../base/scheduler.js';
import { hasLimits, isActive } from '../node/limits.js';
import type { BoundPod } from '../node/node-objects.js';
import { type NodeSnapshot, type NodeView, unenforcedOn } from '../node/node-view.js';
import { deriveMeasured, type PodRecord } from '../node/pod-record.js';
import { soonMs } from '../report/limit-report.js';
import { measuredPodReport, podForecast, type PodReport, type PodSource } from '../report/pod-report.js';
import type { Workload } from '../workload/workload.js';
import type { ClusterReading } from './cluster-reading.js';
import { belongsTo, isOfQuery } from './list-filter.js';
import { ListItems, type ListPage } from './list-page.js';
import { type Condition, type ListQuery, matchesSearch } from './list-query.js';
import { knownPodState } from './pod-explanation.js';
import type { SnapshotPods } from './snapshot-pods.js';

/** What is known of the pods of a node; of a silent one, the last values. */
interface PodData {
  readonly snapshot: NodeSnapshot;
  readonly pods: SnapshotPods;
  readonly source: PodSource;
}

/** A node, one object for all of its pods. */
interface NodeOfPods {
  readonly view: NodeView;
  readonly data: PodData | undefined;
}

/** A pod as it is listed: made for each pod of a cluster, so that it holds what there is already. */
interface ListedPod {
  readonly of: NodeOfPods;
  /** Undefined without figures. */
  readonly record: PodRecord | undefined;
  /** Undefined for a pod that the API server does not know. */
  readonly bound: BoundPod | undefined;
  /** The larger the earlier. Below 0: after all that have one. */
  rank: number;
}

/** The pods that are near a limit first, then the largest; those without figures last. Yields to the event loop between nodes. */
export async function listPods(reading: ClusterReading, query: ListQuery, lane: Lane): Promise<ListPage<PodReport>> {
  const { order } = query;
  const items = new ListItems<ListedPod>(query, itemOrder(order));
  await lane.each(nodesOf(reading, query), (view) => {
    const data = podData(view, reading);
    const of = { view, data };
    const add = (record: PodRecord | undefined, bound: BoundPod | undefined): void => {
      const pod: ListedPod = { of, record, bound, rank: -1 };
      if (!isWanted(pod, query)) return;
      pod.rank = rankOf(pod, order) ?? -1;
      items.add(pod);
    };
    const records = data?.pods.mayMatch(query.search) === true ? data.snapshot.pods : [];
    for (const record of records) add(record, record.bound);
    for (const bound of unmeasuredPods(view, data)) add(undefined, bound);
  });
  return items.page((pod) => reportOf(pod, reading), lane);
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
  if (namespace !== undefined && namespace !== namespaceOf(pod)) return false;
  if (search.length > 0 && !matchesPod(search, pod)) return false;
  if (!isOfQuery({ workloads: workloadsOf(pod), bound: pod.bound }, query)) return false;
  if (only !== undefined && !conditionsOf[only](pod)) return false;
  return rule === undefined || pod.record?.nearestRule === rule;
}

/** Without joining the names of each pod of a cluster: a word with `/` alone may be in both. */
function matchesPod(search: ListQuery['search'], pod: ListedPod): boolean {
  const namespace = namespaceOf(pod);
  const name = nameOf(pod);
  for (const word of search) {
    if (!name.includes(word) && !namespace.includes(word)) return matchesJoined(search, pod);
  }
  return true;
}

function matchesJoined(search: ListQuery['search'], pod: ListedPod): boolean {
  const mayMatch = pod.bound === undefined || search.some((word) => word.includes('/'));
  return mayMatch && matchesSearch(search, `${namespaceOf(pod)}/${nameOf(pod)}`);
}

function namespaceOf({ record, bound }: ListedPod): string {
  return record?.summary.namespace ?? bound?.pod.namespace ?? '';
}

function nameOf({ record, bound }: ListedPod): string {
  return record?.summary.name ?? bound?.pod.name ?? '';
}

function workloadsOf({ record, bound }: ListedPod): readonly Workload[] {
  return record?.workloads ?? bound?.workloads ?? [];
}

const conditionsOf: Readonly<Record<Condition, (pod: ListedPod) => boolean>> = {
  near: (pod) => pod.record?.evictionMs !== undefined || (timeOf(pod) ?? Infinity) <= soonMs,
  unknown: ({ record, of }) => record === undefined || record.isPending || of.view.state === 'absent',
  unenforced: ({ record, bound, of }) =>
    record?.unenforced !== undefined ||
    (bound !== undefined && hasLimits(bound.pod) && unenforcedOn(of.view) !== undefined),
};

/** Until it reaches a limit; undefined where nothing is forecast. */
function timeOf({ record, of: { data } }: ListedPod): number | undefined {
  if (record === undefined || data?.source.snapshot === undefined) return undefined;
  if (data.source.snapshot.forecasts.pods.size === 0) return undefined;
  return podForecast({ node: data.source, pod: record })?.timeToLimitMs;
}

function rankOf(pod: ListedPod, order: string): number | undefined {
  if (order === 'urgency') return urgencyOf(pod);
  return order === 'ratio' ? pod.record?.nearestRatio : undefined;
}

/** Above a limit first, then by the time until it is reached, then by the ratio of those that are near without growth. */
function urgencyOf(pod: ListedPod): number | undefined {
  const { evictionMs, nearestRatio = 0 } = pod.record ?? {};
  if (evictionMs === 0) return 3 + nearestRatio;
  const timeMs = timeOf(pod);
  if (timeMs !== undefined) return 2 + 1 / (1 + timeMs);
  return evictionMs === undefined ? undefined : Math.min(1, nearestRatio);
}

function itemOrder(order: string): (a: ListedPod, b: ListedPod) => number {
  const byName = byNames<ListedPod>((pod) => [namespaceOf(pod), nameOf(pod), pod.of.view.nodeName]);
  if (order === 'name') return byName;
  return (a, b) => {
    if (a.rank !== b.rank) return a.rank > b.rank ? -1 : 1; // two of them may be infinite
    return usedBytesOf(b) - usedBytesOf(a) || byName(a, b);
  };
}

function usedBytesOf({ record }: ListedPod): number {
  return record?.summary.usedBytes ?? -1;
}

function reportOf(
  { record, bound, of: { data, view } }: ListedPod,
  { snapshot, failures, readAtMs }: ClusterReading,
): PodReport {
  if (record !== undefined && data !== undefined) {
    return measuredPodReport({ node: data.source, pod: deriveMeasured(record, data.snapshot.context) });
  }
  if (bound === undefined) throw new Error('a pod is listed that neither server knows');
  return knownPodState(bound, { snapshot: { ...snapshot, nodes: [view] }, failures, readAtMs }).report;
}
