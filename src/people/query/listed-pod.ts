import { matchesSelector } from '../../cluster/kube/selector.js';
import { hasLimits, isActive } from '../../facts/node/limits.js';
import { type NodeSnapshot, type NodeView, unenforcedOn } from '../../facts/node/node-view.js';
import type { BoundPod, PodRecord } from '../../facts/node/pod-record.js';
import { podUrgency, timeToLimitMs } from '../../facts/node/standing.js';
import { type Workload, workloadPath } from '../../facts/workload/workload.js';
import type { Named } from '../../lib/base/maps.js';
import { compareTexts } from '../../lib/base/ranking.js';
import type { NodeData } from '../report/node-report.js';
import type { PodPlace, PodSource } from '../report/pod-report.js';
import { type ListQuery, matchesSearch } from './list-query.js';

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
export function unmeasuredPods({ objects, unmeasured }: NodeView, records: readonly PodRecord[]): readonly BoundPod[] {
  const bound = objects?.pods ?? unmeasured;
  if (bound.length === 0) return [];
  const listed = new Set(records.map((record) => record.bound?.pod.uid));
  return bound.filter(({ pod }) => isActive(pod) && !listed.has(pod.uid));
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

/** Returns what {@link podOrder} compares before names. */
export function podRanks(pod: ListedPod, order: string): readonly number[] {
  return order === 'name' || order === 'node' ? [] : [pod.rank, usedBytesOf(pod)];
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
export function belongsTo(workloads: readonly Workload[], path: string): boolean {
  return workloads.some((of) => path.endsWith(of.name) && workloadPath(of) === path);
}
