import type { TimeSlicer } from '../base/time-slicer.js';
import type { ClusterSnapshot } from '../scrape/snapshot.js';
import type { FailureOf } from './node-report.js';
import type { MeasuredPodReport } from './pod-report.js';
import { type NodePressureReport, RankedPressure } from './pressure-report.js';
import type { Ranked } from './ranked.js';
import { type RankedNodeReport, RankedNodes } from './ranked-nodes.js';
import { type PodLimitReport, RankedPods } from './ranked-pods.js';
import { type RankedWorkloadReport, RankedWorkloads } from './ranked-workloads.js';

export interface ClusterReport {
  /** Nodes had not answered by the deadline: they are reported from the cache. */
  readonly isPartial: boolean;
  /** Pods that belong to no workload count in the coverage only. */
  readonly hidesPodsWithoutWorkload: boolean;
  readonly summary: ClusterSummary;
  /** The pods from half of a limit on, each with the limit that it is nearest to; the highest ratios first. */
  readonly limits: Ranked<PodLimitReport>;
  /** Nodes that are close to evicting pods, or do; the nearest first. */
  readonly pressure: Ranked<NodePressureReport>;
  /** The largest first; those that could not be collected last. */
  readonly workloads: Ranked<RankedWorkloadReport>;
  /** The largest first. */
  readonly pods: Ranked<MeasuredPodReport>;
  /** Those without data first, then the fullest; those that are never scraped last. */
  readonly nodes: Ranked<RankedNodeReport>;
}

export interface ClusterSummary {
  readonly freshNodeCount: number;
  readonly staleNodeCount: number;
  /** Without those that are skipped. */
  readonly absentNodeCount: number;
  /** Of the absent ones, those whose last request failed. */
  readonly failedNodeCount: number;
  readonly skippedNodeCount: number;
  /** With a filesystem that is full in bytes or inodes. */
  readonly fullNodeCount: number;
  /** Of the oldest data that is served. */
  readonly oldestDataAgeMs?: number | undefined;
  /** Pods that the summaries of scraped nodes should have, and those of them that were measured. */
  readonly expectedPodCount: number;
  readonly measuredPodCount: number;
  /** Pods with data, expected or not, and their bytes. */
  readonly podCount: number;
  readonly podsUsedBytes: number;
  readonly limitCount: number;
  /** From the near ratio up to, not including, 1. */
  readonly nearLimitCount: number;
  /** From 1 on. */
  readonly reachedLimitCount: number;
  /** Of the reached ones, those that the kubelet evicts for. */
  readonly evictableLimitCount: number;
  /** Nodes with a threshold that is crossed: their kubelets evict pods. */
  readonly pressedNodeCount: number;
  readonly incompleteWorkloadCount: number;
}

/** How many of each are reported: enough to see what is wrong, few enough to read. */
const shownCounts = { workloads: 10, pods: 10, limits: 10, pressure: 5, nodes: 30 } as const;

export interface ClusterReportInput {
  readonly snapshot: ClusterSnapshot;
  readonly failureOf: FailureOf;
  readonly isPartial: boolean;
  readonly hidesPodsWithoutWorkload: boolean;
  readonly slicer: TimeSlicer;
}

/** One walk over the pods, node by node, yielding to the event loop in between. Keeps only what it reports. */
export async function clusterReport(input: ClusterReportInput): Promise<ClusterReport> {
  const { snapshot, failureOf, isPartial, hidesPodsWithoutWorkload, slicer } = input;
  const workloads = await RankedWorkloads.of(snapshot.workloads, shownCounts.workloads, slicer);
  const pods = new RankedPods({ podCount: shownCounts.pods, limitCount: shownCounts.limits });
  const pressure = new RankedPressure(shownCounts.pressure);
  const nodes = new RankedNodes({ count: shownCounts.nodes, failureOf });
  await slicer.forEach(snapshot.nodes, (node) => {
    nodes.add(node);
    if (node.state === 'absent') return;
    pressure.add(node);
    for (const pod of node.snapshot.pods) {
      pods.add({ node, pod });
      workloads.add(pod);
    }
    for (const pod of node.snapshot.podsWithoutTotal) pods.addLimits({ node, pod });
  });
  const { podCount, usedBytes, limitCount, nearLimitCount, reachedLimitCount, evictableLimitCount } = pods;
  return {
    isPartial,
    hidesPodsWithoutWorkload,
    summary: {
      ...nodes.counts,
      podCount,
      podsUsedBytes: usedBytes,
      limitCount,
      nearLimitCount,
      reachedLimitCount,
      evictableLimitCount,
      pressedNodeCount: pressure.crossedCount,
      incompleteWorkloadCount: workloads.incompleteCount,
    },
    limits: pods.limits(),
    pressure: pressure.nodes(),
    workloads: workloads.workloads(),
    pods: pods.pods(),
    nodes: nodes.nodes(),
  };
}
