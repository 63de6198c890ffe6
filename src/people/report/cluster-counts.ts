import { isHeadroomUnknown } from '../../facts/node/full-disks.js';
import { hasUnknownUsage, type LimitRatio } from '../../facts/node/limit-ratios.js';
import { exemptionOf, hasLimits, isActive } from '../../facts/node/limits.js';
import type { MeasuredNodeView, NodeSnapshot } from '../../facts/node/node-view.js';
import type { PodContext, PodRecord } from '../../facts/node/pod-record.js';
import { isNearLimit } from '../../facts/node/standing.js';
import { canBind } from '../../facts/node/unenforced-limits.js';
import { fullRatio } from './filesystem-report.js';
import type { DiskTrouble } from './node-condition.js';
import type { ListedNode } from './node-report.js';
import { type FoundPod, type PodPlace, podPlace } from './pod-report.js';
import { exampleCount } from './workload-report.js';

/** Counts pods and their limits for a `ClusterSummary`, one pod after another. */
export class PodCounts {
  readonly counts = {
    /** Pods with data, expected or not, and their bytes. */
    podCount: 0,
    podsUsedBytes: 0,
    /** Of them, those whose volumes are not measured: their bytes are too few. */
    pendingPodCount: 0,
    /** Pods with a limit that is not enforced, or compared with a part of what is written: with data or without, as they are listed. */
    unenforcedPodCount: 0,
    /**
     * Pods with data and a limit that is enforced, or a part of which alone is near; those that are near a limit, and those above one. Of
     * nodes without data, those that were near or above when last known count in all three.
     */
    limitedPodCount: 0,
    nearLimitPodCount: 0,
    reachedLimitPodCount: 0,
    /** Pods above a limit, none of whose limits can bind. */
    unenforcedReachedPodCount: 0,
    /**
     * Pods with limits that should have data and have none, or whose volumes are not measured unless a limit is near without
     * them, or was when last known. They are in none of the counts of limits.
     */
    unknownLimitPodCount: 0,
  };
  /** The first that count in `unenforcedReachedPodCount`. */
  readonly unenforcedReachedPods: PodPlace[] = [];

  /** Returns whether the pod is near a limit: those of nodes without data count where they were, and nowhere else. */
  add(found: FoundPod<PodRecord>, context: PodContext): boolean {
    const { node, pod } = found;
    const { counts } = this;
    const isNear = isNearLimit(node, pod);
    if (isNear) {
      counts.limitedPodCount += 1;
      counts[pod.standing === 'above' ? 'reachedLimitPodCount' : 'nearLimitPodCount'] += 1;
    }
    if (node.state === 'absent') return isNear;
    const { usedBytes } = pod.summary;
    if (usedBytes !== undefined) {
      counts.podCount += 1;
      counts.podsUsedBytes += usedBytes;
    }
    if (pod.isPending) counts.pendingPodCount += 1;
    if (!isNear && isUncertain(pod)) counts.unknownLimitPodCount += Number(mayHaveRatios(found));
    else if (!isNear) this.#addLimits(found, context.ratiosOf(pod));
    return isNear;
  }

  /** At the limit itself, a kubelet evicts nobody. */
  #addLimits(found: FoundPod<PodRecord>, ratios: readonly LimitRatio[]): void {
    const { counts, unenforcedReachedPods: examples } = this;
    if (ratios.some(({ unenforced }) => unenforced === undefined)) counts.limitedPodCount += 1;
    else if (!ratios.some(canBind) && ratios.some(({ ratio }) => ratio > 1)) {
      counts.unenforcedReachedPodCount += 1;
      if (examples.length < exampleCount) examples.push(podPlace(found));
    }
  }
}

/** Usage without volumes is a lower bound, and what is unknown may be any: what the rest does not reach may be reached. */
function isUncertain({ isPending, summary, bound }: PodRecord): boolean {
  return isPending || (bound !== undefined && hasUnknownUsage(summary, bound.pod));
}

/** Whether the kubelet enforces limits of the pod once all is measured. */
function mayHaveRatios({ node: { node }, pod: { bound } }: FoundPod<PodRecord>): boolean {
  if (bound === undefined || node?.enforcesStorageLimits === false) return false;
  return isActive(bound.pod) && hasLimits(bound.pod);
}

/** Counts nodes for a `ClusterSummary`. */
export function nodeCounts(nodes: readonly ListedNode[]) {
  const count = (of: readonly ListedNode[], isCounted: (node: ListedNode) => boolean): number =>
    of.filter(isCounted).length;
  const absent = nodes.filter(({ view }) => view.state === 'absent' && view.reason !== 'skipped');
  const measured = nodes.filter(({ view }) => view.state !== 'absent');
  const inTrouble = (its: DiskTrouble) => nodes.filter(({ trouble }) => trouble === its);
  const ages = measured.map(({ view }) => Math.round((view as MeasuredNodeView).ageMs));
  return {
    freshNodeCount: count(measured, ({ view }) => view.state === 'fresh'),
    staleNodeCount: count(measured, ({ view }) => view.state === 'stale'),
    absentNodeCount: absent.length,
    failedNodeCount: count(absent, ({ failure }) => failure !== undefined),
    skippedNodeCount: nodes.length - absent.length - measured.length,
    fullNodeCount: count(inTrouble('full'), ({ fullRatio: ratio = 0 }) => ratio >= fullRatio),
    noSpaceNodeCount: inTrouble('no_space').length,
    oldestDataAgeMs: ages.length === 0 ? undefined : ages.reduce((a, b) => Math.max(a, b)),
    expectedPodCount: nodes.reduce((sum, { view }) => sum + view.expectedPods, 0),
    measuredPodCount: nodes.reduce((sum, { view }) => sum + view.measuredPods, 0),
    pressedNodeCount: inTrouble('evicting').length,
    pressedEmptyNodeCount: count(
      inTrouble('evicting'),
      ({ snapshot }) => snapshot !== undefined && !mayEvict(snapshot),
    ),
    refusingNodeCount: inTrouble('refusing').length,
    nearPressureNodeCount: inTrouble('near').length,
    unknownPressureNodeCount: count(
      measured,
      ({ snapshot, pressed }) =>
        pressed?.nearest.isCrossed !== true && snapshot !== undefined && isHeadroomUnknown(snapshot),
    ),
  };
}

/** Returns whether there is a pod, or may be one that is not read, that the kubelet does not pass over. */
function mayEvict({ unreadPodCount, podsOnNode }: NodeSnapshot): boolean {
  return unreadPodCount !== undefined || podsOnNode.some((pod) => isActive(pod) && exemptionOf(pod) === undefined);
}
