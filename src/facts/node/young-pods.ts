import type { Pod } from '../../cluster/kube/objects.js';
import type { NodeSummary } from '../../cluster/kubelet/summary.js';
import { entryFinder } from './join.js';

/** How long a pod may run before its node's summary must list it with all it uses. */
export const podGraceMs = 60_000;

/**
 * Whether the summary lacks a pod that has run for less than the grace period. A kubelet lists a pod only seconds after its
 * start. Called for each summary: without young pods it looks at no pod of the summary.
 */
export function lacksYoungPod({
  summary,
  podsOnNode,
  possibleNowMs,
}: {
  readonly summary: NodeSummary;
  /** The API server's pods of the node. */
  readonly podsOnNode: readonly Pod[];
  /** Wall time by several clocks, in milliseconds: a pod that is young by one of them is. */
  readonly possibleNowMs: readonly number[];
}): boolean {
  const young = podsOnNode.filter((pod) => isYoung(pod, possibleNowMs));
  if (young.length === 0) return false;
  const find = entryFinder(summary);
  return young.some((pod) => find(pod) === undefined);
}

/** The clock of a node may be ahead: a start in the near future is one, but not one that stays young for hours. */
function isYoung({ runningSinceMs, phase }: Pod, possibleNowMs: readonly number[]): boolean {
  if (runningSinceMs === undefined || (phase !== 'Running' && phase !== 'Pending')) return false;
  return possibleNowMs.some((nowMs) => Math.abs(nowMs - runningSinceMs) < podGraceMs);
}
