import { fullDisk, isHeadroomUnknown } from '../../facts/node/full-disks.js';
import { exemptionOf, isActive } from '../../facts/node/limits.js';
import type { MeasuredNodeView, NodeSnapshot } from '../../facts/node/node-view.js';
import { fullRatio } from './filesystem-report.js';
import type { ListedNode } from './node-report.js';

/** Counts nodes for a `ClusterSummary`. */
export function nodeCounts(nodes: readonly ListedNode[]) {
  const count = (of: readonly ListedNode[], isCounted: (node: ListedNode) => boolean): number =>
    of.filter(isCounted).length;
  const absent = nodes.filter(({ view }) => view.state === 'absent' && view.reason !== 'skipped');
  const measured = nodes.filter(({ view }) => view.state !== 'absent');
  const crossed = measured.filter(({ pressed }) => pressed?.nearest.isCrossed === true);
  const ages = measured.map(({ view }) => Math.round((view as MeasuredNodeView).ageMs));
  return {
    freshNodeCount: count(measured, ({ view }) => view.state === 'fresh'),
    staleNodeCount: count(measured, ({ view }) => view.state === 'stale'),
    absentNodeCount: absent.length,
    failedNodeCount: count(absent, ({ failure }) => failure !== undefined),
    skippedNodeCount: nodes.length - absent.length - measured.length,
    fullNodeCount: count(measured, (node) => hasNoSpace(node) || isFull(node)),
    noSpaceNodeCount: count(measured, hasNoSpace),
    oldestDataAgeMs: ages.length === 0 ? undefined : ages.reduce((a, b) => Math.max(a, b)),
    expectedPodCount: nodes.reduce((sum, { view }) => sum + view.expectedPods, 0),
    measuredPodCount: nodes.reduce((sum, { view }) => sum + view.measuredPods, 0),
    pressedNodeCount: crossed.length,
    pressedEmptyNodeCount: count(crossed, ({ snapshot }) => snapshot !== undefined && !mayEvict(snapshot)),
    pressedFullNodeCount: count(crossed, isFull),
    nearPressureNodeCount: count(measured, ({ pressed }) => pressed?.nearest.isCrossed === false),
    unknownPressureNodeCount: count(
      measured,
      ({ snapshot, pressed }) =>
        pressed?.nearest.isCrossed !== true && snapshot !== undefined && isHeadroomUnknown(snapshot),
    ),
  };
}

function hasNoSpace({ snapshot }: ListedNode): boolean {
  return snapshot !== undefined && fullDisk(snapshot) !== undefined;
}

function isFull({ fullRatio: ratio = 0 }: ListedNode): boolean {
  return ratio >= fullRatio;
}

/** Returns whether there is a pod, or may be one that is not read, that the kubelet does not pass over. */
function mayEvict({ unreadPodCount, podsOnNode }: NodeSnapshot): boolean {
  return unreadPodCount !== undefined || podsOnNode.some((pod) => isActive(pod) && exemptionOf(pod) === undefined);
}
