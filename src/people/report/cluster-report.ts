import { hasLimits } from '../../facts/node/limits.js';
import { type AbsentNodeView, unenforcedOn } from '../../facts/node/node-view.js';
import { isNearLimit } from '../../facts/node/standing.js';
import type { ClusterSnapshot } from '../../facts/scrape/snapshot.js';
import { type Workload, workloadKey } from '../../facts/workload/workload.js';
import type { Lane } from '../../lib/base/lane.js';
import { largestFirst, naturalNames, type Ranked, rankedOf } from '../../lib/base/ranking.js';
import type { ApiServerState } from './absence-hints.js';
import { type AbsenceReport, absenceReports } from './absence-report.js';
import { type EnforcementReport, enforcementReports } from './enforcement-report.js';
import type { EvictionReport } from './eviction-report.js';
import { findingsByPod, type FoundFinding, specFindings } from './finding-report.js';
import { type GapReport, gapReports, type PodGap, podGaps } from './gap-report.js';
import { nodeGrid, type NodeGridReport } from './node-grid.js';
import {
  type LastKnown,
  type ListedNode,
  listedNode,
  nodeCounts,
  type NodeFailure,
  nodeReport,
  type RankedNodeReport,
} from './node-report.js';
import { type NodePressureReport, rankedPressure } from './pressure-report.js';
import { type FindingKindReport, RankedFindings } from './ranked-findings.js';
import { type FormerPodsOf, type PodLimitReport, RankedPods } from './ranked-pods.js';
import { type SamplesOf, verdicts } from './verdict-report.js';
import {
  affectedReport,
  type AffectedWorkloadsReport,
  incompleteOf,
  type IncompleteWorkloads,
} from './workload-report.js';

export interface ClusterReport {
  /** Nodes had not answered by the deadline: they are reported from the cache. */
  readonly isPartial: boolean;
  readonly summary: ClusterSummary;
  /**
   * The pods from half of a limit on, each with the limit that it is nearest to; those above a limit first, then by time and
   * ratio. Of pods of one workload, the first.
   */
  readonly limits: Ranked<PodLimitReport>;
  /** Nodes that are close to evicting pods, or do; the nearest first. */
  readonly pressure: Ranked<NodePressureReport>;
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
  /** Of all, those that cannot bind, and those of which only a part is compared, unless that alone is near. */
  readonly unenforcedLimitCount: number;
  /**
   * Pods with data and limits that can bind; those that are near a limit, and those above one. Of nodes without data, those that were
   * near or above when last known count in all three.
   */
  readonly limitedPodCount: number;
  readonly nearLimitPodCount: number;
  readonly reachedLimitPodCount: number;
  /** Pods above a limit, none of whose limits can bind. */
  readonly unenforcedReachedPodCount: number;
  /**
   * Pods with limits that should have data and have none, or whose volumes are not measured unless a limit is near without
   * them, or was when last known. They are in none of the counts of limits.
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
  /** Namespaces in scope whose pods are not known: they are in none of the counts. */
  readonly unlistedNamespaceCount: number;
}

/** How many of each are reported: enough to see what is wrong, few enough to read. */
const shownCounts = {
  limits: 10,
  pressure: 5,
  nodes: 30,
  tiles: 240,
  findingsOfKind: 5,
} as const;

export interface ClusterReportInput {
  readonly snapshot: ClusterSnapshot;
  /** Of the last request to a kubelet; undefined when it succeeded. */
  readonly failureOf: (nodeName: string) => NodeFailure | undefined;
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
  /** Pods that belong to no workload count in the coverage only. */
  readonly hidesPodsWithoutWorkload: boolean;
  readonly lane: Lane;
}

/** One walk over the pods, node by node, yielding to the event loop between pods. Keeps only what it reports. */
export async function clusterReport(input: ClusterReportInput): Promise<ClusterReport> {
  const { snapshot, isPartial, apiServer, nowMs, lane } = input;
  const lacking = snapshot.workloads.filter(({ complete }) => !complete);
  const incomplete = new Map(lacking.map(({ workload }) => [workloadKey(workload), workload]));
  const parts: Parts = {
    pods: new RankedPods(shownCounts.limits),
    findings: new RankedFindings(shownCounts.findingsOfKind),
    nodes: [],
    gaps: [],
    affectedBy: new Map(),
    ofSilent: new Map(),
    unmeasuredLimitedPodCount: 0,
  };
  await lane.each(stepsOf(parts, input, incomplete), (step) => {
    step();
  });
  const { pods, findings, nodes, gaps, affectedBy, ofSilent } = parts;
  const sources = { apiServer, verdictOf: verdicts({ ...input, readAtMs: nowMs }) };
  const mayLack = lacking.filter((of) => of.mayHaveUnlistedPods).map(({ workload }) => workload);
  const unlisted = incompleteOf(mayLack, incomplete);
  return {
    isPartial,
    summary: {
      ...(await lane.run(() => nodeCounts(nodes))),
      ...pods.counts,
      unknownLimitPodCount: parts.unmeasuredLimitedPodCount + pods.counts.unknownLimitPodCount,
      incompleteWorkloadCount: incomplete.size,
      unlistedNamespaceCount: snapshot.unlistedNamespaces.length,
    },
    limits: await lane.run(() => pods.limits()),
    pressure: await lane.run(() => {
      const pressed = nodes.flatMap((node) => node.pressed ?? []);
      return rankedPressure(pressed, shownCounts.pressure, sources.verdictOf);
    }),
    absences: await lane.run(() => absenceReports(nodes, { affectedBy, apiServer })),
    gaps: await lane.run(() => gapReports(gaps, { incomplete, explained: [ofSilent, unlisted] })),
    unlisted: affectedReport([unlisted]),
    nodes: await lane.run(() => rankedOf(nodes, shownCounts.nodes, silentFirst, (node) => nodeReport(node, sources))),
    grid: await lane.run(() => nodeGrid(nodes, shownCounts.tiles)),
    enforcement: await lane.run(() => enforcementReports(snapshot.nodes)),
    findings: findings.kinds(),
  };
}

/** Nodes without data first, then the fullest. */
const silentFirst = largestFirst<ListedNode>(
  ({ view, fullRatio = 0 }) => (view.state !== 'absent' ? 1 + fullRatio : view.reason === 'skipped' ? 0 : 3),
  ({ view }) => naturalNames(view.nodeName),
);

/** What nodes and pods are added to, one by one. */
interface Parts {
  readonly pods: RankedPods;
  readonly findings: RankedFindings;
  readonly nodes: ListedNode[];
  readonly gaps: PodGap[];
  /** By the names of nodes without data, but for those that are skipped: the workloads that lack their pods. */
  readonly affectedBy: Map<string, IncompleteWorkloads>;
  /** Of all of them. */
  readonly ofSilent: Map<string, Workload>;
  unmeasuredLimitedPodCount: number;
}

/** Returns parts of the report's work, each of which is done at once. */
function* stepsOf(parts: Parts, input: ClusterReportInput, incomplete: IncompleteWorkloads): Iterable<() => void> {
  const { snapshot, failureOf, lastKnownOf, nowMs, hidesPodsWithoutWorkload } = input;
  for (const view of snapshot.nodes) {
    const lastKnown = view.state === 'absent' ? lastKnownOf(view) : undefined;
    const node = listedNode(view, { lastKnown, failure: failureOf(view.nodeName) });
    parts.nodes.push(node);
    yield () => {
      parts.unmeasuredLimitedPodCount += unknownLimitedPodCount(node, hidesPodsWithoutWorkload);
      if (view.state !== 'absent') parts.gaps.push(...podGaps(view, nowMs, incomplete));
      else if (view.reason !== 'skipped') {
        const lacking = view.unmeasured.flatMap(({ workloads }) => workloads);
        const affected = incompleteOf(lacking, incomplete);
        parts.affectedBy.set(view.nodeName, affected);
        for (const [key, workload] of affected) parts.ofSilent.set(key, workload);
      }
    };
    for (const found of findingsOf(node)) {
      yield () => {
        parts.findings.add(found);
      };
    }
    yield* podSteps(parts, node, input);
  }
}

/** Of a node that never had data, what the specs of its pods show. */
function* findingsOf({ view, snapshot }: ListedNode): Iterable<readonly FoundFinding[]> {
  if (snapshot !== undefined) yield* findingsByPod(snapshot);
  else for (const { pod } of view.unmeasured) yield specFindings(pod, view.node);
}

function* podSteps(
  { pods: ranked }: Parts,
  { snapshot, source: node }: ListedNode,
  { formerPodsOf }: ClusterReportInput,
): Iterable<() => void> {
  if (node === undefined || snapshot === undefined) return;
  const { pods, podsWithoutTotal, context } = snapshot;
  const former = pods.some(({ isPending }) => isPending) ? formerPodsOf(snapshot) : undefined;
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

/** Pods that no summary lists whose limits the kubelet enforces, without those that were near one when last known. */
function unknownLimitedPodCount({ view, source, snapshot }: ListedNode, hidesPodsWithoutWorkload: boolean): number {
  if (unenforcedOn(view) === 'isolation_disabled') return 0;
  const known = view.state === 'absent' ? nearPodUids(source, snapshot) : view.snapshot.listedPodUids;
  return view.unmeasured.filter(
    ({ pod, workloads }) =>
      hasLimits(pod) && !known.has(pod.uid) && (workloads.length > 0 || !hidesPodsWithoutWorkload),
  ).length;
}

function nearPodUids(source: ListedNode['source'], snapshot: ListedNode['snapshot']): ReadonlySet<string | undefined> {
  if (source === undefined || snapshot === undefined) return new Set();
  const near = [...snapshot.pods, ...snapshot.podsWithoutTotal].filter((pod) => isNearLimit(source, pod));
  return new Set(near.map(({ bound }) => bound?.pod.uid));
}
