import type { TimeSlicer } from '../base/time-slicer.js';
import type { ClusterSnapshot, PodSnapshot } from '../scrape/snapshot.js';
import type { PodBytes } from './filesystems.js';
import type { ClusterStatus } from './status.js';
import { type FailureOf, TopNodes } from './top-nodes.js';
import { TopPods } from './top-pods.js';
import { TopWorkloads } from './top-workloads.js';

/** How many of each a page shows: enough to see what is wrong, few enough to be looked at. */
const shownCounts = { workloads: 10, pods: 10, limits: 10, nodes: 30 } as const;

export interface ClusterStatusInput {
  readonly snapshot: ClusterSnapshot;
  readonly failureOf: FailureOf;
  readonly isCut: boolean;
  readonly hidesPodsWithoutWorkload: boolean;
  readonly slicer: TimeSlicer;
}

/**
 * What the page shows of a cluster. One walk over the pods, a node at a time, so that the event loop turns in between;
 * of all that it sees it keeps only what it shows.
 */
export async function clusterStatus(input: ClusterStatusInput): Promise<ClusterStatus> {
  const { snapshot, failureOf, isCut, hidesPodsWithoutWorkload, slicer } = input;
  const workloads = await TopWorkloads.of(snapshot.workloads, shownCounts.workloads, slicer);
  const pods = new TopPods({ podCount: shownCounts.pods, limitCount: shownCounts.limits });
  const nodes = new TopNodes({ count: shownCounts.nodes, failureOf });
  await slicer.forEach(snapshot.nodes, (node) => {
    const ofNode = node.state === 'absent' ? [] : node.snapshot.pods;
    for (const pod of ofNode) {
      pods.add(node.nodeName, pod);
      workloads.add(pod);
    }
    nodes.add(node, bytesOf(ofNode));
  });
  const { podCount, usedBytes, limitCount, nearLimitCount, reachedLimitCount, evictableLimitCount } = pods;
  return {
    isCut,
    hidesPodsWithoutWorkload,
    summary: {
      ...nodes.counts,
      podCount,
      podsUsedBytes: usedBytes,
      limitCount,
      nearLimitCount,
      reachedLimitCount,
      evictableLimitCount,
      incompleteWorkloadCount: workloads.incompleteCount,
    },
    limits: pods.limits(),
    workloads: workloads.status(),
    pods: pods.pods(),
    nodes: nodes.status(),
  };
}

function bytesOf(pods: readonly PodSnapshot[]): PodBytes {
  let usedBytes = 0;
  let rootfsBytes = 0;
  for (const { usage } of pods) {
    usedBytes += usage.usedBytes;
    rootfsBytes += usage.components.rootfs;
  }
  return { usedBytes, rootfsBytes };
}
