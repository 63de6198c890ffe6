import type { PodSummary } from '../kubelet/summary.js';
import { exemptionOf } from './limits.js';
import type { ListedPod, NodeSnapshot } from './node-state.js';
import { isNearThreshold } from './node-thresholds.js';

/** From this part of a limit on, an eviction for it is near. */
const nearRatio = 0.8;

/**
 * A TTL ahead is not enough: the next summary is up to a scrape interval later, and growth that has begun between two
 * summaries is measured at half of its speed on average.
 */
const aheadTtlCount = 2;

/** Of the nodes have the shorter TTL at a time, whatever they report: requests stay below 1.5 times those without it. */
const maxNearShare = 0.1;
/** In small clusters: at most one request more in a second. */
const minNearNodeCount = 10;
/** In large clusters: ten requests more in a second cost 5 % of a core. */
const maxNearNodeCount = 100;

/** How fast pods grow, in bytes per second. Without those of which it is not known. */
export type PodGrowth = ReadonlyMap<PodSummary, number>;

/**
 * Milliseconds until the node may evict a pod for a limit or its own pressure. 0: at any time; `Infinity`: near, without
 * growth towards it; undefined: not near. A limit is near from 80 % of it on, or when the pod would reach it within two
 * TTLs if it went on to grow; the growth of a pod is the most that one of its containers or volumes grows. Pods that are
 * never evicted do not count.
 */
export function timeToEvictionMs(
  { pods, podsWithoutTotal, thresholds }: NodeSnapshot,
  growth: PodGrowth,
  ttlMs: number,
): number | undefined {
  const horizonMs = aheadTtlCount * ttlMs;
  const times = [...pods, ...podsWithoutTotal].flatMap((pod) => timeToLimitMs(pod, growth, horizonMs) ?? []);
  if (thresholds.some(({ isCrossed }) => isCrossed)) times.push(0);
  else if (isNearThreshold(thresholds)) times.push(Infinity);
  return times.length === 0 ? undefined : Math.min(...times);
}

function timeToLimitMs({ pod, ratios, summary }: ListedPod, growth: PodGrowth, horizonMs: number): number | undefined {
  if (pod === undefined || exemptionOf(pod) !== undefined) return undefined;
  const bytesPerMs = Math.max(0, growth.get(summary) ?? 0) / 1_000;
  let leastMs: number | undefined;
  for (const { usedBytes, limitBytes, ratio } of ratios) {
    const timeMs = ratio > 1 ? 0 : bytesPerMs === 0 ? Infinity : (limitBytes - usedBytes) / bytesPerMs;
    if (ratio >= nearRatio || timeMs <= horizonMs) leastMs = Math.min(leastMs ?? Infinity, timeMs);
  }
  return leastMs;
}

export interface NearNode {
  readonly nodeName: string;
  /** As from {@link timeToEvictionMs}. */
  readonly timeMs: number;
}

/** Those that evict first, of a cluster of `nodeCount` nodes; equals in their order here. */
export function nearestNodes(nodes: readonly NearNode[], nodeCount: number): ReadonlySet<string> {
  const share = Math.floor(nodeCount * maxNearShare);
  const maxCount = Math.min(Math.max(minNearNodeCount, share), maxNearNodeCount);
  const nearest = nodes.toSorted((a, b) => (a.timeMs === b.timeMs ? 0 : a.timeMs - b.timeMs)).slice(0, maxCount);
  return new Set(nearest.map(({ nodeName }) => nodeName));
}
