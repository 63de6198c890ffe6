import type { EvictionSignal } from '../../cluster/kubelet/eviction-signals.js';
import { type NodeStanding, nodeStanding, nodeUrgency } from '../../facts/node/node-standing.js';
import { isKnownThreshold } from '../../facts/node/node-thresholds.js';
import { type NodeSnapshot, type NodeView, unenforcedOn } from '../../facts/node/node-view.js';
import type { Lane } from '../../lib/base/lane.js';
import { largestFirst, naturalNames } from '../../lib/base/ranking.js';
import { formatForecast } from '../../lib/base/units.js';
import { enforcementKinds } from '../report/enforcement-report.js';
import { fullestRatio } from '../report/filesystem-report.js';
import { type NodeCondition, nodeCondition } from '../report/node-condition.js';
import type { LastKnown } from '../report/node-report.js';
import type { PodSource } from '../report/pod-report.js';
import { type NodePressureReport, type PressedNode, pressedNode, pressureReport } from '../report/pressure-report.js';
import { type RankedNodeReport, rankedNodeReport } from '../report/ranked-nodes.js';
import { signalAmount } from '../report/signal-report.js';
import { type VerdictOf, verdicts } from '../report/verdict-report.js';
import type { ClusterReading } from './cluster-reading.js';
import { type ListItems, type ListPage, listPage } from './list-page.js';
import { type ListQuery, matchesSearch } from './list-query.js';

/** A node, and how near it is to evicting pods. */
export type ListedNodeReport = RankedNodeReport & {
  readonly condition: NodeCondition;
  /** The larger, the sooner it needs somebody: what the order `urgency` goes by. Absent of one that is skipped. */
  readonly urgency?: number | undefined;
  /** The threshold that it is nearest to, or furthest below; absent where none is known. */
  readonly threshold?: NodeThresholdReport | undefined;
  /** Absent of a node that is not close to evicting pods. */
  readonly pressure?: NodePressureReport | undefined;
};

interface NodeThresholdReport {
  readonly signal: EvictionSignal;
  /** What is left above it, in bytes or inodes; below 0 the kubelet evicts. */
  readonly headroom: number;
  /** A default of Kubernetes: the kubelet's configuration is not known. */
  readonly isAssumed: boolean;
  /** See `NodePressureReport`; absent without data, too. */
  readonly timeToEvictionMs?: number | undefined;
}

interface ListedNode {
  readonly view: NodeView;
  readonly lastKnown: LastKnown | undefined;
  /** Undefined where nothing is known of it. */
  readonly standing: NodeStanding | undefined;
  readonly pressed: PressedNode | undefined;
}

/** Nodes that evict pods first, then those that have no space and evict none, those without data, those that are close to evicting, and the fullest. */
export async function listNodes(
  reading: ClusterReading,
  query: ListQuery,
  lane: Lane,
): Promise<ListPage<ListedNodeReport>> {
  const { order, search } = query;
  const verdictOf = verdicts(reading);
  const list = {
    sources: reading.snapshot.nodes,
    addItems: (items: ListItems<ListedNode>, view: NodeView) => {
      if (!matchesSearch(search, view.nodeName)) return;
      const node = listedNode(view, reading);
      if (meetsCondition(node, query)) items.add(node);
    },
    compare: largestFirst<ListedNode>(
      (node) => ranks[order]?.(node),
      ({ view }) => naturalNames(view.nodeName),
    ),
    reportOf: (node: ListedNode) => listedNodeReport(node, reading, verdictOf),
  };
  return listPage(list, query, lane);
}

/** The report of one node as lists have it. */
export function nodeReportOf(view: NodeView, reading: ClusterReading): ListedNodeReport {
  return listedNodeReport(listedNode(view, reading), reading, verdicts(reading));
}

function listedNode(view: NodeView, reading: ClusterReading): ListedNode {
  const lastKnown = view.state === 'absent' ? reading.lastKnownOf(view) : undefined;
  const source: PodSource | undefined =
    view.state === 'absent' ? lastKnown && { ...view, ageMs: lastKnown.ageMs } : view;
  const snapshot = view.state === 'absent' ? lastKnown?.snapshot : view.snapshot;
  if (source === undefined || snapshot === undefined)
    return { view, lastKnown, standing: undefined, pressed: undefined };
  const standing = nodeStanding(source, snapshot);
  return { view, lastKnown, standing, pressed: pressedNode(source, snapshot, standing) };
}

const ranks: Readonly<Record<string, (node: ListedNode) => number | undefined>> = {
  urgency: urgencyOf,
  used: ({ view, lastKnown }) => snapshotOf(view, lastKnown)?.summary.nodefs?.usedBytes,
  full: ({ view, lastKnown }) => fullOf(view, lastKnown),
  name: () => undefined,
};

function snapshotOf(view: NodeView, lastKnown: LastKnown | undefined): NodeSnapshot | undefined {
  return view.state === 'absent' ? lastKnown?.snapshot : view.snapshot;
}

function fullOf(view: NodeView, lastKnown: LastKnown | undefined): number | undefined {
  const snapshot = snapshotOf(view, lastKnown);
  return snapshot && fullestRatio(snapshot);
}

function urgencyOf({ view, lastKnown, pressed }: ListedNode): number | undefined {
  return nodeUrgency(view, pressed, fullOf(view, lastKnown));
}

function meetsCondition({ view, pressed }: ListedNode, { only }: ListQuery): boolean {
  switch (only) {
    case undefined:
      return true;
    case 'near':
      return pressed !== undefined || view.node?.diskPressure === true;
    case 'unknown':
      return view.state !== 'fresh' || nodeCondition(view, pressed, undefined) === 'unknown';
    case 'unenforced':
      return unenforcedOn(view) !== undefined || enforcementKinds(view).length > 0;
  }
}

function listedNodeReport(
  node: ListedNode,
  { failures, apiServer }: ClusterReading,
  verdictOf: VerdictOf,
): ListedNodeReport {
  const { view, lastKnown, pressed, standing } = node;
  const failureOf = (name: string) => failures.get(name);
  const report = rankedNodeReport(view, lastKnown, { failureOf, apiServer, verdictOf });
  return {
    ...report,
    condition: nodeCondition(view, pressed, failureOf(view.nodeName)),
    urgency: urgencyOf(node),
    threshold: thresholdReport(standing),
    pressure: pressed && pressureReport(pressed, verdictOf),
  };
}

function thresholdReport({ nearest, timeMs }: Partial<NodeStanding> = {}): NodeThresholdReport | undefined {
  if (!isKnownThreshold(nearest)) return undefined;
  const { signal, headroom, isAssumed } = nearest;
  return { signal, headroom, isAssumed, timeToEvictionMs: timeMs && Math.round(timeMs) };
}

/** Returns the threshold that a node with data is nearest to: what was last known of others is a guess. */
export function currentThreshold({ state, threshold }: ListedNodeReport): NodeThresholdReport | undefined {
  return state === 'absent' ? undefined : threshold;
}

/** `-` where it is not known. */
export function headroomText(node: ListedNodeReport): string {
  const threshold = currentThreshold(node);
  if (threshold === undefined) return '-';
  const { signal, headroom } = threshold;
  return signalAmount(signal, headroom);
}

/** `-` where no eviction is foreseen. */
export function timeToEvictionText(node: ListedNodeReport): string {
  const { headroom = 0, timeToEvictionMs } = currentThreshold(node) ?? {};
  if (headroom < 0) return node.pressure?.victims?.length === 0 ? 'no pod left' : 'now';
  return timeToEvictionMs === undefined ? '-' : formatForecast(timeToEvictionMs);
}
