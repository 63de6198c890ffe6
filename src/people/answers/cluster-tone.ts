import type { Tone } from '../pens/document.js';
import type { Status } from '../query/status.js';
import type { ClusterSummary } from '../report/cluster-report.js';

/** Returns the worst tone with a count above 0. */
export function worstTone(counts: Partial<Record<Exclude<Tone, 'ok'>, number>>): Tone {
  return (['critical', 'warning', 'unknown'] as const).find((tone) => (counts[tone] ?? 0) > 0) ?? 'ok';
}

/** Returns that of the worst problem, and without one `unknown` where there may be one that is not known. */
export function statusTone({ problems, cluster }: Pick<Status, 'problems' | 'cluster'>): Tone {
  if (problems.some(({ severity }) => severity === 'critical')) return 'critical';
  if (problems.length > 0) return 'warning';
  return cluster === undefined || unknownCount(cluster.summary) > 0 ? 'unknown' : 'ok';
}

function unknownCount(summary: ClusterSummary): number {
  return unknownLimits(summary) + summary.unknownPressureNodeCount + unknownUsage(summary);
}

/** Above 0 where not all pods that should be are measured. */
export function unknownUsage({ pendingPodCount, expectedPodCount, measuredPodCount }: ClusterSummary): number {
  return pendingPodCount + expectedPodCount - measuredPodCount;
}

/** Above 0 where a node without data, or all that are not known, may be in trouble. */
export function unknownNodes({ absentNodeCount, freshNodeCount, staleNodeCount }: ClusterSummary): number {
  return absentNodeCount + (freshNodeCount + staleNodeCount === 0 ? 1 : 0);
}

/** The same of pods. Where no limit is enforced, none that is near is no good sign. Young pods of a silent node are not counted yet, and may have limits; so may those of a namespace that is not listed. */
export function unknownLimits(summary: ClusterSummary): number {
  const { limitCount, unenforcedLimitCount, unknownLimitPodCount, unlistedNamespaceCount } = summary;
  const hasOnlyUnenforced = unenforcedLimitCount > 0 && unenforcedLimitCount === limitCount;
  return unknownLimitPodCount + unknownNodes(summary) + unlistedNamespaceCount + Number(hasOnlyUnenforced);
}
