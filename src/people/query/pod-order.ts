import type { PodRecord } from '../../facts/node/pod-record.js';
import { podUrgency, timeToLimitMs } from '../../facts/node/standing.js';
import { compareTexts } from '../../lib/base/ranking.js';
import type { PodSource } from '../report/pod-report.js';
import { comparePodNames, type ListedPod } from './listed-pod.js';

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
export function rankOf(
  { record, bound }: Pick<ListedPod, 'record' | 'bound'>,
  order: string,
  source: PodSource | undefined,
): number {
  return ranks[order]?.(record, source, bound) ?? -Infinity;
}

type RankOf = (
  record: PodRecord | undefined,
  source: PodSource | undefined,
  bound: ListedPod['bound'],
) => number | undefined;

const ranks: Readonly<Record<string, RankOf>> = {
  urgency: (record, source) => record && podUrgency(record, source),
  ratio: (record) => record?.nearestRatio,
  time: (record, source) => sooner(record && source && timeToLimitMs(source, record)),
  request: (_record, _source, bound) => bound?.requestBytes,
};

/** Returns the rank of pods that are sorted by a time. */
function sooner(timeMs: number | undefined): number | undefined {
  return timeMs === undefined ? undefined : -timeMs;
}

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
