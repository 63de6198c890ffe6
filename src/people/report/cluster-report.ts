import type { Pod } from '../../cluster/kube/objects.js';
import { hasLimits } from '../../facts/node/limits.js';
import {
  type AbsentNodeView,
  type MeasuredNodeView,
  type NodeSnapshot,
  type NodeView,
  unenforcedOn,
} from '../../facts/node/node-view.js';
import type { ClusterSnapshot } from '../../facts/scrape/snapshot.js';
import type { Lane } from '../../lib/base/lane.js';
import type { Ranked } from '../../lib/base/ranking.js';
import type { ApiServerState } from './absence-hints.js';
import { type AbsenceReport, Absences } from './absence-report.js';
import type { AffectedWorkloadsReport } from './affected-workloads.js';
import { EnforcementGaps, type EnforcementReport } from './enforcement-report.js';
import type { EvictionReport } from './eviction-report.js';
import { findingsByPod, specFindings } from './finding-report.js';
import type { FormerPodsOf } from './former-pod.js';
import { type GapReport, Gaps } from './gap-report.js';
import { NodeGrid, type NodeGridReport } from './node-grid.js';
import type { FailureOf, LastKnown } from './node-report.js';
import type { MeasuredPodReport, PodSource } from './pod-report.js';
import { type NodePressureReport, RankedPressure } from './pressure-report.js';
import { type FindingKindReport, RankedFindings } from './ranked-findings.js';
import { type RankedNodeReport, RankedNodes } from './ranked-nodes.js';
import { type PodLimitReport, RankedPods } from './ranked-pods.js';
import { type RankedWorkloadReport, RankedWorkloads } from './ranked-workloads.js';
import { type SamplesOf, verdicts } from './verdict-report.js';

export interface ClusterReport {
  /** Nodes had not answered by the deadline: they are reported from the cache. */
  readonly isPartial: boolean;
  /** Pods that belong to no workload count in the coverage only. */
  readonly hidesPodsWithoutWorkload: boolean;
  readonly summary: ClusterSummary;
  /**
   * The pods from half of a limit on, each with the limit that it is nearest to; those above a limit first, then by time and
   * ratio. Of pods of one workload, the first.
   */
  readonly limits: Ranked<PodLimitReport>;
  /** Nodes that are close to evicting pods, or do; the nearest first. */
  readonly pressure: Ranked<NodePressureReport>;
  /** The largest first; those that could not be collected last. */
  readonly workloads: Ranked<RankedWorkloadReport>;
  /** The largest first. */
  readonly pods: Ranked<MeasuredPodReport>;
  /** Nodes without data by reason, those that cost most pods first; without those that are skipped. */
  readonly absences: readonly AbsenceReport[];
  /** What lacks values although its nodes have data, by cause. */
  readonly gaps: readonly GapReport[];
  /** The workloads that may have pods in namespaces whose pods are not known. */
  readonly unlisted: AffectedWorkloadsReport;
  /** Those without data first, then the fullest; those that are never scraped last. */
  readonly nodes: Ranked<RankedNodeReport>;
  readonly grid: NodeGridReport;
  /** Nodes whose limits or thresholds do not do what they seem to do, by kind. */
  readonly enforcement: readonly EnforcementReport[];
  /** By kind; kinds without any are left out. Of silent nodes by their last values. */
  readonly findings: readonly FindingKindReport[];
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
  /** Of them, those that fill up to the end, or are about to, and evict nobody for it: no threshold is in force. */
  readonly noSpaceNodeCount: number;
  /** Of the oldest data that is served. */
  readonly oldestDataAgeMs?: number | undefined;
  /** Pods that the summaries of scraped nodes should have, and those of them that were measured. */
  readonly expectedPodCount: number;
  readonly measuredPodCount: number;
  /** Pods with data, expected or not, and their bytes. */
  readonly podCount: number;
  readonly podsUsedBytes: number;
  /** Of them, those whose volumes are not measured: their bytes are too few. */
  readonly pendingPodCount: number;
  readonly limitCount: number;
  /** From the near ratio up to, not including, 1. */
  readonly nearLimitCount: number;
  /** From 1 on. */
  readonly reachedLimitCount: number;
  /** Of the reached ones, those that the kubelet evicts for. */
  readonly evictableLimitCount: number;
  /** Of all, those that cannot bind, and those of which only a part is compared, unless that alone is near. */
  readonly unenforcedLimitCount: number;
  /** Pods with data and limits that can bind; those whose nearest limit is near, and those that have reached one. */
  readonly limitedPodCount: number;
  readonly nearLimitPodCount: number;
  readonly reachedLimitPodCount: number;
  /** Pods above a limit, none of whose limits can bind. */
  readonly unenforcedReachedPodCount: number;
  /**
   * Pods with limits that should have data and have none, or whose volumes are not measured unless a limit is near without
   * them. They are in none of the counts of limits.
   */
  readonly unknownLimitPodCount: number;
  /** Nodes with a threshold that is crossed. */
  readonly pressedNodeCount: number;
  /** Of them, those with no pod left that may be evicted. */
  readonly pressedEmptyNodeCount: number;
  /** Of them, those with a filesystem that is full. */
  readonly pressedFullNodeCount: number;
  /** Nodes above a threshold that they are close to, or would cross within ten minutes. */
  readonly nearPressureNodeCount: number;
  /** Nodes with data that may be below a threshold: what is free, or the threshold, is not known. */
  readonly unknownPressureNodeCount: number;
  readonly incompleteWorkloadCount: number;
  /** Of the incomplete ones, those that have pods on nodes without data. */
  readonly absentWorkloadCount: number;
  /** Namespaces in scope whose pods are not known: they are in none of the counts. */
  readonly unlistedNamespaceCount: number;
}

/** How many of each are reported: enough to see what is wrong, few enough to read. */
const shownCounts = {
  workloads: 10,
  pods: 10,
  limits: 10,
  pressure: 5,
  nodes: 30,
  tiles: 240,
  findingsOfKind: 5,
} as const;

export interface ClusterReportInput {
  readonly snapshot: ClusterSnapshot;
  readonly failureOf: FailureOf;
  /** Undefined for a node that never had data. */
  readonly lastKnownOf: (state: AbsentNodeView) => LastKnown | undefined;
  readonly samplesOf: SamplesOf;
  /** The newest first. */
  readonly evictions: readonly EvictionReport[];
  readonly formerPodsOf: FormerPodsOf;
  readonly apiServer: ApiServerState;
  readonly isPartial: boolean;
  /** Time in milliseconds since the Unix epoch that never jumps. */
  readonly nowMs: number;
  readonly hidesPodsWithoutWorkload: boolean;
  readonly lane: Lane;
}

/** One walk over the pods, node by node, yielding to the event loop between pods. Keeps only what it reports. */
export async function clusterReport(input: ClusterReportInput): Promise<ClusterReport> {
  const { snapshot, isPartial, hidesPodsWithoutWorkload, lane } = input;
  const parts = partsOf(await RankedWorkloads.of(snapshot.workloads, shownCounts.workloads, lane), input);
  let unmeasuredLimitedPodCount = 0;
  for (const node of snapshot.nodes) {
    unmeasuredLimitedPodCount += limitedPodCount(node, hidesPodsWithoutWorkload);
    parts.enforcement.add(node);
    const steps = node.state === 'absent' ? absentSteps(parts, node, input) : measuredSteps(parts, node, input);
    await lane.each(steps, (step) => {
      step();
    });
  }
  const { workloads, pods, pressure, findings, nodes, absences, gaps } = parts;
  return {
    isPartial,
    hidesPodsWithoutWorkload,
    summary: {
      ...nodes.counts,
      ...pods.counts,
      pressedNodeCount: pressure.crossedCount,
      pressedEmptyNodeCount: pressure.crossedEmptyCount,
      pressedFullNodeCount: pressure.crossedFullCount,
      nearPressureNodeCount: pressure.nearCount,
      unknownPressureNodeCount: pressure.unknownCount,
      unknownLimitPodCount: unmeasuredLimitedPodCount + pods.counts.unknownLimitPodCount,
      incompleteWorkloadCount: workloads.incomplete.size,
      absentWorkloadCount: absences.workloadKeys.size,
      unlistedNamespaceCount: snapshot.unlistedNamespaces.length,
    },
    limits: pods.limits(),
    pressure: pressure.nodes(),
    workloads: workloads.workloads(),
    pods: pods.pods(),
    absences: absences.reports(),
    gaps: gaps.reports(absences.workloadKeys, workloads.unlisted.keys),
    unlisted: workloads.unlisted.report(),
    nodes: nodes.nodes(),
    grid: parts.grid.report(),
    enforcement: parts.enforcement.reports(),
    findings: findings.kinds(),
  };
}

/** What nodes are added to, one by one. */
type Parts = ReturnType<typeof partsOf>;

function partsOf(workloads: RankedWorkloads, input: ClusterReportInput) {
  const { incomplete } = workloads;
  const { failureOf, apiServer, nowMs } = input;
  const verdictOf = verdicts({ ...input, readAtMs: nowMs });
  return {
    workloads,
    pods: new RankedPods({ podCount: shownCounts.pods, limitCount: shownCounts.limits }),
    pressure: new RankedPressure(shownCounts.pressure, verdictOf),
    findings: new RankedFindings(shownCounts.findingsOfKind),
    nodes: new RankedNodes(shownCounts.nodes, { failureOf, apiServer, verdictOf }),
    grid: new NodeGrid(shownCounts.tiles, failureOf),
    absences: new Absences({ incomplete, apiServer }),
    gaps: new Gaps({ incomplete, nowMs }),
    enforcement: new EnforcementGaps(),
  };
}

/** A part of the report's work that is done at once. */
type ReportStep = () => void;

function* measuredSteps(
  parts: Parts,
  node: MeasuredNodeView,
  { formerPodsOf }: ClusterReportInput,
): Iterable<ReportStep> {
  const { snapshot } = node;
  yield () => {
    parts.nodes.add(node);
    parts.gaps.add(node);
    parts.grid.add(node, parts.pressure.add(node, snapshot));
  };
  yield* findingSteps(parts, snapshot);
  yield* podSteps(parts, node, snapshot, () => formerPodsOf(snapshot));
  for (const pod of snapshot.pods) {
    yield () => {
      parts.workloads.add(pod, snapshot.context);
    };
  }
}

function* absentSteps(parts: Parts, node: AbsentNodeView, input: ClusterReportInput): Iterable<ReportStep> {
  const lastKnown = input.lastKnownOf(node);
  yield () => {
    parts.nodes.add(node, lastKnown);
    parts.grid.add(node, undefined);
    parts.absences.add(node, lastKnown, input.failureOf(node.nodeName));
  };
  if (lastKnown === undefined) {
    for (const { pod } of node.unmeasured) {
      yield () => {
        parts.findings.add(specFindings(pod, node.node));
      };
    }
    return;
  }
  const { snapshot, ageMs } = lastKnown;
  const source = { ...node, ageMs };
  yield () => {
    parts.pressure.add(source, snapshot);
  };
  yield* findingSteps(parts, snapshot);
  yield* podSteps(parts, source, snapshot, () => input.formerPodsOf(snapshot));
}

function* findingSteps({ findings }: Parts, snapshot: NodeSnapshot): Iterable<ReportStep> {
  for (const found of findingsByPod(snapshot)) {
    yield () => {
      findings.add(found);
    };
  }
}

function* podSteps(
  { pods: ranked }: Parts,
  node: PodSource,
  { pods, podsWithoutTotal, context }: NodeSnapshot,
  formerPods: () => ReturnType<FormerPodsOf>,
): Iterable<ReportStep> {
  const former = pods.some(({ isPending }) => isPending) ? formerPods() : undefined;
  for (const pod of pods) {
    yield () => {
      ranked.add({ node, pod }, context, former?.get(pod.summary.uid));
    };
  }
  for (const pod of podsWithoutTotal) {
    yield () => {
      ranked.addWithoutTotal({ node, pod }, context);
    };
  }
}

/** Pods that no summary lists whose limits the kubelet enforces. */
function limitedPodCount(view: NodeView, hidesPodsWithoutWorkload: boolean): number {
  if (unenforcedOn(view) === 'isolation_disabled') return 0;
  const isListed = ({ uid }: Pod): boolean => view.state !== 'absent' && view.snapshot.listedPodUids.has(uid);
  return view.unmeasured.filter(
    ({ pod, workloads }) => hasLimits(pod) && !isListed(pod) && (workloads.length > 0 || !hidesPodsWithoutWorkload),
  ).length;
}
