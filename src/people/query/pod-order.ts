import { timeToMs } from '../../facts/node/node-forecasts.js';
import type { PodRecord } from '../../facts/node/pod-record.js';
import { compareTexts } from '../../lib/base/ranking.js';
import { comparePodNames, type ListedPod, type NodeOfPods, type PodData } from './listed-pod.js';

/** Returns what lists in this order compare; `rank` of each is that of the order. */
export function podOrder(order: string): (a: ListedPod, b: ListedPod) => number {
  if (order === 'name') return byPlace;
  return (a, b) => {
    if (a.rank !== b.rank) return a.rank > b.rank ? -1 : 1; // two of them may be infinite
    return usedBytesOf(b) - usedBytesOf(a) || byPlace(a, b);
  };
}

/** `timeMs`: until it reaches a limit, where that is forecast. */
export function rankOf(record: PodRecord | undefined, order: string, timeMs: number | undefined): number {
  if (order === 'urgency') return urgencyOf(record, timeMs) ?? -1;
  return (order === 'ratio' ? record?.nearestRatio : undefined) ?? -1;
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
  if (order === 'urgency') earliest.rank = Math.max(earliest.rank, rankAboveForecasts(of.data));
  return earliest;
}

function byPlace(a: ListedPod, b: ListedPod): number {
  return comparePodNames(a.names, b.names) || compareTexts(a.of.view.nodeName, b.of.view.nodeName);
}

function usedBytesOf({ record }: ListedPod): number {
  return record?.summary.usedBytes ?? -1;
}

/** Above a limit first, then by the time until it is reached, then by the ratio of those that are near without growth. */
function urgencyOf(record: PodRecord | undefined, timeMs: number | undefined): number | undefined {
  const { evictionMs, nearestRatio = 0 } = record ?? {};
  if (evictionMs === 0) return 3 + nearestRatio;
  if (timeMs !== undefined) return rankOfTime(timeMs);
  return evictionMs === undefined ? undefined : Math.min(1, nearestRatio);
}

function rankOfTime(timeMs: number): number {
  return 2 + 1 / (1 + timeMs);
}

/** Returns a rank above that of each pod that has a forecast and is not above its limit. */
function rankAboveForecasts({ source: { snapshot, ageMs } }: PodData): number {
  if (snapshot === undefined || snapshot.forecasts.pods.size === 0) return -1;
  const times = [...snapshot.forecasts.pods.values()].map((of) => timeToMs(of, snapshot.forecasts, ageMs) ?? Infinity);
  return rankOfTime(Math.min(...times) - 1) + rankStep;
}

/** Tells times apart that are the same to a number. */
const rankStep = 4 * Number.EPSILON;
