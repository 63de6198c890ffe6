import type { Pod } from '../../cluster/kube/objects.js';
import { identityOf, isSamePod } from '../../cluster/kube/pod-identity.js';
import { matchesSelector } from '../../cluster/kube/selector.js';
import { hasLimits, isActive } from '../../facts/node/limits.js';
import { isExpected } from '../../facts/node/node-coverage.js';
import {
  type AbsentNodeView,
  type MeasuredNodeView,
  type NodeSnapshot,
  type NodeView,
  unenforcedOn,
} from '../../facts/node/node-view.js';
import { type BoundPod, deriveMeasured, derivePod, type PodRecord } from '../../facts/node/pod-record.js';
import { isNearLimit, podUrgency, timeToLimitMs } from '../../facts/node/standing.js';
import { podGraceMs } from '../../facts/node/young-pods.js';
import { type Workload, workloadPath } from '../../facts/workload/workload.js';
import type { Lane } from '../../lib/base/lane.js';
import type { Named } from '../../lib/base/maps.js';
import { compareTexts, naturalName, type Ranking } from '../../lib/base/ranking.js';
import { formatAge } from '../../lib/base/units.js';
import { nodeHint } from '../report/absence-hints.js';
import { dataOf, type NodeData } from '../report/node-report.js';
import {
  limitFacts,
  measuredPodReport,
  type PodPlace,
  type PodReport,
  type PodSource,
  type UnmeasuredPodReport,
  unmeasuredPodReport,
} from '../report/pod-report.js';
import type { ClusterReading, KnownPod } from './cluster-reading.js';
import { type ListPage, listPage } from './list-page.js';
import { type Condition, isOther, type ListQuery, matchesSearch } from './list-query.js';

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
    for (const bound of unmeasuredPods(view, data?.snapshot)) add(undefined, bound, bound.pod);
    for (const record of records) add(record, record.bound, record.summary);
  };
  const compare = podOrder(order);
  const sources = reading.snapshot.nodes.filter(({ nodeName }) => !isOther(query.node, nodeName));
  const ranksOf = (pod: ListedPod) => (order === 'name' || order === 'node' ? [] : [pod.rank, usedBytesOf(pod)]);
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

/** A pod as it is listed: made for each pod of a cluster, so that it holds what there is already. */
export interface ListedPod {
  /** Its node, one object for all of its pods. `sortName`: by which nodes are sorted; '' in lists that are in another order. */
  readonly of: { readonly view: NodeView; readonly data: NodeData | undefined; readonly sortName: string };
  /** Undefined without figures. */
  readonly record: PodRecord | undefined;
  /** Undefined for a pod that the API server does not know. */
  readonly bound: BoundPod | undefined;
  readonly names: NamespacedName;
  /** The larger the earlier. */
  rank: number;
}

/** Those of its summary, or else of its object. */
export type NamespacedName = Pick<PodPlace, 'namespace'> & Named;

/** Returns the pods of a snapshot that are listed: all that have figures, but for strangers without a total. */
export function listedRecords({
  pods,
  podsWithoutTotal,
}: Pick<NodeSnapshot, 'pods' | 'podsWithoutTotal'>): readonly PodRecord[] {
  const known = podsWithoutTotal.filter(({ bound }) => bound !== undefined && isActive(bound.pod));
  return known.length === 0 ? pods : [...pods, ...known];
}

/** Returns the pods of a node that are listed without figures. Those that have ended are no longer on the node. */
export function unmeasuredPods(
  { objects, state, unmeasured, young }: NodeView,
  snapshot: Pick<NodeSnapshot, 'listedPodUids'> | undefined,
): readonly BoundPod[] {
  if (state !== 'absent' && unmeasured.length + young.length === 0) return [];
  const bound = objects?.pods ?? unmeasured;
  return bound.filter(({ pod }) => isActive(pod) && snapshot?.listedPodUids.has(pod.uid) !== true);
}

/** Returns whether a limit of the pod does not do what it seems to do: for a reason of its own, or of all pods of its node. */
export function isUnenforced({ record, bound }: Pick<ListedPod, 'record' | 'bound'>, view: NodeView): boolean {
  if (record?.unenforced !== undefined) return true;
  return bound !== undefined && unenforcedOn(view) !== undefined && hasLimits(bound.pod);
}

/** Orders pods by namespace and name. */
export function comparePodNames(a: NamespacedName, b: NamespacedName): number {
  return compareTexts(a.namespace, b.namespace) || compareTexts(a.name, b.name);
}

/** Returns what lists in this order compare; `rank` of each is that of the order. */
export function podOrder(order: string): (a: ListedPod, b: ListedPod) => number {
  if (order === 'name') return byPlace;
  if (order === 'node') return byNode;
  return (a, b) => {
    if (a.rank !== b.rank) return a.rank > b.rank ? -1 : 1; // two of them may be infinite
    return usedBytesOf(b) - usedBytesOf(a) || byPlace(a, b);
  };
}

/** `source`: undefined to leave forecasts aside. */
export function rankOf(pod: RankedPod, order: string, source: PodSource | undefined): number {
  return ranks[order]?.(pod, source) ?? -Infinity;
}

type RankedPod = Pick<ListedPod, 'record' | 'bound'>;

const ranks: Readonly<Record<string, (pod: RankedPod, source: PodSource | undefined) => number | undefined>> = {
  urgency: ({ record }, source) => record && podUrgency(record, source),
  ratio: ({ record }) => record?.nearestRatio,
  time: ({ record }, source) => {
    const timeMs = record && source && timeToLimitMs(source, record);
    return timeMs && -timeMs;
  },
  request: ({ bound }) => bound?.requestBytes,
};

function byNode(a: ListedPod, b: ListedPod): number {
  const names = compareTexts(a.of.sortName, b.of.sortName);
  return names || compareTexts(a.of.view.nodeName, b.of.view.nodeName) || byPlace(a, b);
}

function byPlace(a: ListedPod, b: ListedPod): number {
  return comparePodNames(a.names, b.names) || compareTexts(a.of.view.nodeName, b.of.view.nodeName);
}

function usedBytesOf({ record }: ListedPod): number {
  return record?.summary.usedBytes ?? -1;
}

/** Returns whether a pod has the workload and the labels: one that the API server does not know has no labels. */
export function isOfQuery(
  { workloads, bound }: Pick<PodRecord, 'workloads' | 'bound'>,
  { workload, selector }: Pick<ListQuery, 'workload' | 'selector'>,
): boolean {
  if (workload !== undefined && !belongsTo(workloads, workload)) return false;
  return selector.length === 0 || (bound !== undefined && matchesSelector(selector, bound.pod.labels));
}

/**
 * Returns whether each word occurs in the names of a pod, and of `part` of it, joined by `/`. Joins them only where it makes a
 * difference: for a word with `/`, and for names that the API server does not know, which may be in upper case.
 */
export function matchesPod(
  search: ListQuery['search'],
  { namespace, name }: NamespacedName,
  isKnown: boolean,
  part?: string,
): boolean {
  for (const word of search) {
    if (name.includes(word) || namespace.includes(word) || part?.includes(word) === true) continue;
    const mayMatch = !isKnown || search.some((other) => other.includes('/'));
    return (
      mayMatch && matchesSearch(search, part === undefined ? `${namespace}/${name}` : `${namespace}/${name}/${part}`)
    );
  }
  return true;
}

/** Returns whether one of the workloads has the path, see {@link workloadPath}. */
function belongsTo(workloads: readonly Workload[], path: string): boolean {
  return workloads.some((of) => path.endsWith(of.name) && workloadPath(of) === path);
}

type ReadState = Pick<ClusterReading, 'failures' | 'readAtMs' | 'apiServer'>;

/** What both servers know of a pod; `view`: undefined for one whose node is not in scope. */
export interface KnownOfPod extends Pick<ListedPod, 'record'>, Pick<ListedPod['of'], 'data'> {
  readonly bound: KnownPod | undefined;
  readonly view: NodeView | undefined;
}

export function podReport(of: KnownOfPod, reading: ReadState): PodReport {
  const { record, data } = of;
  return record?.summary.usedBytes === undefined || data === undefined
    ? reportWithoutTotal(of, reading)
    : measuredPodReport({ node: data.source, pod: deriveMeasured(record, data.snapshot.context) });
}

export function reportWithoutTotal({ record, bound, view, data }: KnownOfPod, reading: ReadState): UnmeasuredPodReport {
  if (bound === undefined) throw new Error('a pod is listed that neither server knows');
  const report = unmeasuredPodReport(bound, lackOf(bound.pod, view, reading));
  if (record === undefined || data === undefined) return report;
  return { ...report, ...limitFacts({ node: data.source, pod: derivePod(record, data.snapshot.context) }) };
}

type Lack = Pick<UnmeasuredPodReport, 'reason' | 'isExpected'>;

function lackOf(pod: Pod, node: NodeView | undefined, reading: ReadState): Lack {
  if (pod.nodeName === undefined) return unexpected('not scheduled to a node yet');
  if (node === undefined) return unexpected(`node ${pod.nodeName} is not in scope`);
  return node.state === 'absent' ? lackOnAbsentNode(pod, node, reading) : lackInSummary(pod, node, reading);
}

function lackOnAbsentNode(pod: Pod, { nodeName, reason }: AbsentNodeView, { failures, readAtMs }: ReadState): Lack {
  if (reason === 'skipped') return unexpected(`node ${nodeName} is skipped by cluster.skipNodes`);
  if (pod.runningSinceMs === undefined) return notRunning(pod);
  const detail = failures.get(nodeName)?.message ?? nodeHint(reason, undefined);
  return { reason: `no data from node ${nodeName} (${reason}): ${detail}`, isExpected: isExpected(pod, readAtMs) };
}

function lackInSummary(pod: Pod, { nodeName, snapshot }: MeasuredNodeView, { readAtMs, apiServer }: ReadState): Lack {
  const isDue = isExpected(pod, readAtMs);
  const isListed = snapshot.summary.pods.some((entry) => isSamePod(entry, identityOf(pod)));
  if (isListed) return { reason: 'the kubelet reports no ephemeral storage for it', isExpected: isDue };
  if (pod.runningSinceMs === undefined) return notRunning(pod);
  const ended = apiServer.isAway ? ': it may have ended or moved, the API server is not reachable' : '';
  if (isDue) return { reason: `missing in the summary of node ${nodeName}${ended}`, isExpected: true };
  const age = formatAge(readAtMs - pod.runningSinceMs);
  return unexpected(
    `not in the summary of node ${nodeName} yet: it has been running for ${age}, and is expected after ${formatAge(podGraceMs)}`,
  );
}

function notRunning({ phase, eviction, namespace, name }: Pod): Lack {
  if (eviction === undefined) return unexpected(`no container is running (phase ${phase})`);
  const cause = eviction.message.trim().replace(/\.$/, '');
  return unexpected(`evicted: ${cause} (explain eviction ${namespace}/${name} shows what it used)`);
}

function unexpected(reason: string): Lack {
  return { reason, isExpected: false };
}
