import { type LimitRatio, nearestRatio } from '../../facts/node/limit-ratios.js';
import type { NodeSnapshot } from '../../facts/node/node-view.js';
import type { PodContext, PodRecord } from '../../facts/node/pod-record.js';
import type { PodSource } from './pod-report.js';

/** What was last measured of a pod before its kubelet had to measure its volumes again. */
export interface FormerPod {
  readonly pod: PodRecord;
  /** How much older than the last summary of the node. */
  readonly olderByMs: number;
}

/** Of those pods of a node whose volumes are pending and were measured before: by UID as the kubelet reports it. */
export type FormerPodsOf = (snapshot: NodeSnapshot) => ReadonlyMap<string, FormerPod>;

/**
 * The limit with the highest ratio, and where its usage comes from: the last one with volumes, or the present one if it is higher, as the shipped rules do.
 * @param limit the nearest one at present
 * @param context of both
 */
export function nearestLimitOf(
  node: PodSource,
  limit: LimitRatio | undefined,
  former: FormerPod | undefined,
  context: PodContext,
): { readonly node: PodSource; readonly limit: LimitRatio } | undefined {
  const last = former && nearestRatio(context.ratiosOf(former.pod));
  if (former !== undefined && last !== undefined && last.ratio > (limit?.ratio ?? -1))
    return { node: formerSource(node, former), limit: last };
  return limit && { node, limit };
}

/** Without data, that is why the values are old. */
function formerSource(node: PodSource, { olderByMs }: FormerPod): PodSource {
  return { ...node, state: node.state === 'absent' ? 'absent' : 'pending', ageMs: node.ageMs + olderByMs };
}
