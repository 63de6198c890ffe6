import { hasLimits } from '../../facts/node/limits.js';
import { unenforcedOn } from '../../facts/node/node-view.js';
import { isNearLimit } from '../../facts/node/standing.js';
import { workloadKey } from '../../facts/workload/workload.js';
import type { Lane } from '../../lib/base/lane.js';
import { largestFirst, naturalNames, type Ranked, rankedOf, Ranking } from '../../lib/base/ranking.js';
import { nodeCounts, PodCounts } from '../report/cluster-counts.js';
import { type EnforcementReport, enforcementReports } from '../report/enforcement-report.js';
import {
  type FindingKindReport,
  findingsByPod,
  type FoundFinding,
  RankedFindings,
  specFindings,
} from '../report/finding-report.js';
import {
  type AbsenceReport,
  absenceReports,
  type GapReport,
  gapReports,
  type PodGap,
  podGaps,
} from '../report/lack-report.js';
import { nodeGrid, type NodeGridReport } from '../report/node-grid.js';
import { type ListedNode, listedNode, type ListedNodeReport, listedNodeReport } from '../report/node-report.js';
import type { PodPlace, PodReport } from '../report/pod-report.js';
import {
  affectedReport,
  type AffectedWorkloadsReport,
  incompleteOf,
  type IncompleteWorkloads,
} from '../report/workload-report.js';
import type { ClusterReading } from './cluster-reading.js';
import { mostUrgent } from './list-nodes.js';
import {
  isUnenforced,
  type ListedPod,
  listedRecords,
  podOrder,
  podReport,
  rankOf,
  unmeasuredPods,
} from './list-pods.js';

export interface ClusterReport {
  /** Nodes had not answered by the deadline: they are reported from the cache. */
  readonly isPartial: boolean;
  readonly summary: ClusterSummary;
  /** Pods above a limit or near one, by what was last known of those without data; the first to be evicted first. */
  readonly nearPods: Ranked<PodReport>;
  /** Pods above a limit, none of whose limits can bind: the first of them by node. */
  readonly unenforcedReachedPods: readonly PodPlace[];
  /** Nodes that are close to evicting pods, or do; the nearest first. */
  readonly nearNodes: Ranked<ListedNodeReport>;
  /** Nodes without data by reason, those that cost most pods first; without those that are skipped. */
  readonly absences: readonly AbsenceReport[];
  /** What lacks values although its nodes have data, by cause. */
  readonly gaps: readonly GapReport[];
  /** The workloads that may have pods in namespaces whose pods are not known. */
  readonly unlisted: AffectedWorkloadsReport;
  /** Those that need somebody first. */
  readonly nodes: Ranked<ListedNodeReport>;
  readonly grid: NodeGridReport;
  /** Nodes whose limits or thresholds do not do what they seem to do, by kind. */
  readonly enforcement: readonly EnforcementReport[];
  /** By kind; kinds without any are left out. Of silent nodes by their last values. */
  readonly findings: readonly FindingKindReport[];
}

export interface ClusterSummary extends Readonly<PodCounts['counts']> {
  readonly freshNodeCount: number;
  readonly staleNodeCount: number;
  /** Without those that are skipped. */
  readonly absentNodeCount: number;
  /** Of the absent ones, those whose last request failed. */
  readonly failedNodeCount: number;
  readonly skippedNodeCount: number;
  /** Of nodes in no worse trouble, those with a filesystem that is full in bytes or inodes, or was when they were last known. */
  readonly fullNodeCount: number;
  /** Those that fill up to the end, or are about to, and evict nobody for it: no threshold is in force. */
  readonly noSpaceNodeCount: number;
  /** Of the oldest data that is served. */
  readonly oldestDataAgeMs?: number | undefined;
  /** Pods that the summaries of scraped nodes should have, and those of them that were measured. */
  readonly expectedPodCount: number;
  readonly measuredPodCount: number;
  /** Nodes with a threshold that is crossed, or was when they were last known. */
  readonly pressedNodeCount: number;
  /** Of them, those with no pod left that may be evicted. */
  readonly pressedEmptyNodeCount: number;
  /** Under DiskPressure, and below no threshold that is known. */
  readonly refusingNodeCount: number;
  /** The others above a threshold that they are close to, or would cross within ten minutes, or were when they were last known. */
  readonly nearPressureNodeCount: number;
  /** Nodes with data that may be below a threshold: what is free, or the threshold, is not known. */
  readonly unknownPressureNodeCount: number;
  readonly incompleteWorkloadCount: number;
  /** Namespaces in scope whose pods are not known: they are in none of the counts. */
  readonly unlistedNamespaceCount: number;
}

/** How many of each are reported: enough to see what is wrong, few enough to read. */
const shownCounts = {
  pods: 10,
  pressed: 5,
  nodes: 30,
  tiles: 240,
  findingsOfKind: 5,
} as const;

interface ReportOptions {
  readonly isPartial: boolean;
  /** Pods that belong to no workload count in the coverage only. */
  readonly hidesPodsWithoutWorkload: boolean;
  readonly lane: Lane;
}

/** One walk over the pods, node by node, yielding to the event loop between pods. Keeps only what it reports. */
export async function clusterReport(reading: ClusterReading, options: ReportOptions): Promise<ClusterReport> {
  const { isPartial, lane } = options;
  const { snapshot, apiServer } = reading;
  const lacking = snapshot.workloads.filter(({ complete }) => !complete);
  const incomplete = new Map(lacking.map(({ workload }) => [workloadKey(workload), workload]));
  const parts: Parts = {
    pods: new PodCounts(),
    near: new Ranking(shownCounts.pods, podOrder('urgency')),
    findings: new RankedFindings(shownCounts.findingsOfKind),
    nodes: [],
    gaps: [],
    affectedBy: new Map(),
  };
  await lane.each(walk(parts, reading, options.hidesPodsWithoutWorkload, incomplete), () => undefined);
  const { pods, findings, nodes, gaps, affectedBy } = parts;
  const pressed = nodes.filter((node) => node.pressed !== undefined);
  const reportOf = (node: ListedNode) => listedNodeReport(node, reading);
  const mayLack = lacking.filter((of) => of.mayHaveUnlistedPods).map(({ workload }) => workload);
  const unlisted = incompleteOf(mayLack, incomplete);
  return {
    isPartial,
    summary: {
      ...(await lane.run(() => nodeCounts(nodes))),
      ...pods.counts,
      incompleteWorkloadCount: incomplete.size,
      unlistedNamespaceCount: snapshot.unlistedNamespaces.length,
    },
    nearPods: await lane.run(() => parts.near.ranked(({ of, ...pod }) => podReport({ ...of, ...pod }, reading))),
    unenforcedReachedPods: pods.unenforcedReachedPods,
    nearNodes: await lane.run(() => rankedOf(pressed, shownCounts.pressed, nearestFirst, reportOf)),
    absences: await lane.run(() => absenceReports(nodes, affectedBy, apiServer)),
    gaps: await lane.run(() => gapReports(gaps, incomplete, [...affectedBy.values(), unlisted])),
    unlisted: affectedReport([unlisted]),
    nodes: await lane.run(() => rankedOf(nodes, shownCounts.nodes, mostUrgent, reportOf)),
    grid: await lane.run(() => nodeGrid(nodes, shownCounts.tiles)),
    enforcement: await lane.run(() => enforcementReports(snapshot.nodes)),
    findings: findings.kinds(),
  };
}

/** Whether or not they have data. */
const nearestFirst = largestFirst<ListedNode>(
  ({ standing }) => standing?.urgency,
  ({ view }) => naturalNames(view.nodeName),
);

/** What nodes and pods are added to, one by one. */
interface Parts {
  readonly pods: PodCounts;
  readonly near: Ranking<ListedPod>;
  readonly findings: RankedFindings;
  readonly nodes: ListedNode[];
  readonly gaps: PodGap[];
  /** By the names of nodes without data, but for those that are skipped: the workloads that lack their pods. */
  readonly affectedBy: Map<string, IncompleteWorkloads>;
}

/** Adds a node, or a pod, each time that it is resumed. */
function* walk(
  parts: Parts,
  reading: ClusterReading,
  hidesPodsWithoutWorkload: boolean,
  incomplete: IncompleteWorkloads,
): Iterable<void> {
  for (const view of reading.snapshot.nodes) {
    const node = listedNode(view, reading);
    parts.nodes.push(node);
    parts.pods.counts.unknownLimitPodCount += unknownLimitedPodCount(node, hidesPodsWithoutWorkload);
    parts.pods.counts.unenforcedPodCount += unenforcedPodCount(node);
    if (view.state !== 'absent') parts.gaps.push(...podGaps(view, reading.readAtMs, incomplete));
    else if (view.reason !== 'skipped') {
      const affected = view.unmeasured.flatMap(({ workloads }) => workloads);
      parts.affectedBy.set(view.nodeName, incompleteOf(affected, incomplete));
    }
    yield;
    for (const found of findingsOf(node)) {
      parts.findings.add(found);
      yield;
    }
    yield* addPods(parts, node);
  }
}

/** Of a node that never had data, what the specs of its pods show. */
function* findingsOf({ view, snapshot }: ListedNode): Iterable<readonly FoundFinding[]> {
  if (snapshot !== undefined) yield* findingsByPod(snapshot);
  else for (const { pod } of view.unmeasured) yield specFindings(pod, view.node);
}

function* addPods({ pods, near }: Parts, { view, snapshot, source }: ListedNode): Iterable<void> {
  if (source === undefined || snapshot === undefined) return;
  const of = { view, data: { snapshot, source }, sortName: '' };
  for (const record of listedRecords(snapshot)) {
    if (pods.add({ node: source, pod: record }, snapshot.context)) {
      const { bound, summary: names } = record;
      near.add({ of, record, bound, names, rank: rankOf({ record, bound }, 'urgency', source) });
    }
    yield;
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

function unenforcedPodCount({ view, snapshot }: ListedNode): number {
  const records = snapshot === undefined ? [] : listedRecords(snapshot);
  const ofRecords = records.filter((record) => isUnenforced({ record, bound: record.bound }, view)).length;
  if (unenforcedOn(view) === undefined) return ofRecords;
  const others = unmeasuredPods(view, snapshot);
  return ofRecords + others.filter((bound) => isUnenforced({ record: undefined, bound }, view)).length;
}

function nearPodUids(source: ListedNode['source'], snapshot: ListedNode['snapshot']): ReadonlySet<string | undefined> {
  if (source === undefined || snapshot === undefined) return new Set();
  const near = [...snapshot.pods, ...snapshot.podsWithoutTotal].filter((pod) => isNearLimit(source, pod));
  return new Set(near.map(({ bound }) => bound?.pod.uid));
}
