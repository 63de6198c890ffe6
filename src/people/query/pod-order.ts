import type { PodRecord } from '../../facts/node/pod-record.js';
import { podUrgency, urgencyAboveForecasts } from '../../facts/node/standing.js';
import { compareTexts } from '../../lib/base/ranking.js';
import type { PodSource } from '../report/pod-report.js';
import { comparePodNames, type ListedPod, type NodeOfPods, type PodData } from './listed-pod.js';

/** Returns what lists in this order compare; `rank` of each is that of the order. */
export function podOrder(order: string): (a: ListedPod, b: ListedPod) => number {
  if (order === 'name') return byPlace;
  return (a, b) => {
    if (a.rank !== b.rank) return a.rank > b.rank ? -1 : 1; // two of them may be infinite
    return usedBytesOf(b) - usedBytesOf(a) || byPlace(a, b);
  };
}

/** `source`: undefined to leave forecasts aside. */
export function rankOf(record: PodRecord | undefined, order: string, source: PodSource | undefined): number {
  if (record === undefined) return -1;
  return (order === 'urgency' ? podUrgency(record, source) : order === 'ratio' ? record.nearestRatio : undefined) ?? -1;
}

/**
 * Returns a pod that none of the node's pods with figures comes before: the first of those without forecasts, with a rank above those
 * with one, whose order changes as time passes. Undefined without such pods.
 */
export function earliestPod(of: NodeOfPods & { readonly data: PodData }, order: string): ListedPod | undefined {
  const listed = (record: PodRecord): ListedPod => {
    return { of, record, bound: record.bound, names: record.summary, rank: rankOf(record, order, undefined) };
  };
  const compare = podOrder(order);
  const first = of.data.pods.first(order, (a, b) => compare(listed(a), listed(b)));
  if (first === undefined) return undefined;
  const earliest = listed(first);
  if (order === 'urgency') earliest.rank = Math.max(earliest.rank, urgencyAboveForecasts(of.data.source) ?? -1);
  return earliest;
}

function byPlace(a: ListedPod, b: ListedPod): number {
  return comparePodNames(a.names, b.names) || compareTexts(a.of.view.nodeName, b.of.view.nodeName);
}

function usedBytesOf({ record }: ListedPod): number {
  return record?.summary.usedBytes ?? -1;
}
