import type { PodSummary } from '../../cluster/kubelet/summary.js';
import { leastKnown } from '../../lib/base/maps.js';
import { type LimitRatio, nearRatio } from './limit-ratios.js';
import { isNearThreshold, type NodeThreshold } from './node-thresholds.js';
import type { DerivedPod, PodContext, PodRecord } from './pod-record.js';
import { canBind } from './unenforced-limits.js';

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
 * Milliseconds until the kubelet may evict the pod for a limit. 0: at any time; `Infinity`: near, without growth towards it;
 * undefined: not near, or never. A limit is near from 80 % of it on, or when the pod would reach it within two TTLs if it
 * went on to grow; limits that cannot bind are never near; the growth of a pod is the most that one of its containers or volumes grows.
 */
export function podEvictionMs(
  { bound, ratios, summary }: Pick<DerivedPod, 'bound' | 'ratios' | 'summary'>,
  growth: PodGrowth,
  ttlMs: number,
): number | undefined {
  if (bound === undefined) return undefined;
  const horizonMs = aheadTtlCount * ttlMs;
  const bytesPerMs = Math.max(0, growth.get(summary) ?? 0) / 1_000;
  let leastMs: number | undefined;
  for (const limit of ratios) {
    if (!canBind(limit)) continue;
    const { usedBytes, limitBytes, ratio } = limit;
    const timeMs = ratio > 1 ? 0 : bytesPerMs === 0 ? Infinity : (limitBytes - usedBytes) / bytesPerMs;
    if (ratio >= nearRatio || timeMs <= horizonMs) leastMs = Math.min(leastMs ?? Infinity, timeMs);
  }
  return leastMs;
}

/** The same of a node: for a limit of one of the pods, or for its own pressure. */
export function nodeEvictionMs(
  pods: readonly PodRecord[],
  thresholds: readonly NodeThreshold[],
  { crossesInMs = Infinity, ttlMs = 0 }: { readonly crossesInMs?: number | undefined; readonly ttlMs?: number } = {},
): number | undefined {
  let leastMs = crossesInMs <= aheadTtlCount * ttlMs ? Math.max(0, crossesInMs) : undefined;
  leastMs = leastKnown(leastMs, pressureMs(thresholds));
  for (const { evictionMs } of pods) leastMs = leastKnown(leastMs, evictionMs);
  return leastMs;
}

function pressureMs(thresholds: readonly NodeThreshold[]): number | undefined {
  if (thresholds.some(({ isCrossed }) => isCrossed)) return 0;
  return isNearThreshold(thresholds) ? Infinity : undefined;
}

/** Of a limit, from one summary to the next. */
const changedRatio = 0.02;

/**
 * Whether what counts towards one of the limits is another part of it than in the summary before. A pod whose total is about the same
 * is not looked at: nearly all pods write logs all the time.
 */
export function hasChangedMuch(
  { summary }: Pick<PodRecord, 'summary'>,
  ratios: readonly LimitRatio[],
  before: PodRecord,
  context: PodContext,
): boolean {
  const bytes = (summary.usedBytes ?? 0) - (before.summary.usedBytes ?? 0);
  if (bytes === 0 || !ratios.some((limit) => isMuch(bytes, limit))) return false;
  const former = context.ratiosOf(before);
  return ratios.some((limit) => {
    const { usedBytes = limit.usedBytes }: Partial<LimitRatio> = former.find((each) => isSameLimit(each, limit)) ?? {};
    return isMuch(limit.usedBytes - usedBytes, limit);
  });
}

function isMuch(bytes: number, limit: LimitRatio): boolean {
  return Math.abs(bytes) > changedRatio * limit.limitBytes && canBind(limit);
}

function isSameLimit(a: LimitRatio, b: LimitRatio): boolean {
  return a.rule === b.rule && a.container === b.container && a.volume === b.volume;
}

/**
 * Returns the names of those that evict first, of a cluster of `nodeCount` nodes; equals in their order here. `timesMs`: by name, from
 * {@link nodeEvictionMs}.
 */
export function nearestNodes(timesMs: ReadonlyMap<string, number>, nodeCount: number): ReadonlySet<string> {
  const share = Math.floor(nodeCount * maxNearShare);
  const maxCount = Math.min(Math.max(minNearNodeCount, share), maxNearNodeCount);
  const nearestFirst = [...timesMs].sort(([, a], [, b]) => (a === b ? 0 : a - b));
  return new Set(nearestFirst.slice(0, maxCount).map(([nodeName]) => nodeName));
}
