import { filesystemOwners } from '../../facts/node/filesystem-owners.js';
import { type NodeStanding, nodeUrgency } from '../../facts/node/node-standing.js';
import { isKnownThreshold } from '../../facts/node/node-thresholds.js';
import { type NodeSnapshot, type NodeView, unenforcedOn } from '../../facts/node/node-view.js';
import type { Lane } from '../../lib/base/lane.js';
import { largestFirst, naturalNames, type Ranking } from '../../lib/base/ranking.js';
import { formatForecast } from '../../lib/base/units.js';
import { enforcementKinds } from '../report/enforcement-report.js';
import { podBytes } from '../report/filesystem-report.js';
import type { NodeCondition } from '../report/node-condition.js';
import { type ListedNode, listedNode, nodeReport, type RankedNodeReport } from '../report/node-report.js';
import { type NodePressureReport, pressureReport } from '../report/pressure-report.js';
import { signalAmount } from '../report/signal-report.js';
import { type VerdictOf, verdicts } from '../report/verdict-report.js';
import type { ClusterReading } from './cluster-reading.js';
import { isOther } from './list-filter.js';
import { type ListPage, listPage } from './list-page.js';
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

interface NodeThresholdReport extends Pick<NodePressureReport, 'signal' | 'isAssumed' | 'timeToEvictionMs'> {
  /** What is left above it, in bytes or inodes; below 0 the kubelet evicts. */
  readonly headroom: number;
}

/** A node as it is compared with the others. */
interface ComparedNode {
  readonly node: ListedNode;
  readonly names: readonly string[];
  readonly rank: number;
}

/** Nodes that evict pods first, then those that have no space and evict none, those without data, those that are close to evicting, and the fullest. */
export async function listNodes(
  reading: ClusterReading,
  query: ListQuery,
  lane: Lane,
): Promise<ListPage<ListedNodeReport>> {
  const { order, search, name } = query;
  const verdictOf = verdicts(reading);
  const list = {
    sources: reading.snapshot.nodes,
    addItems: (items: Ranking<ComparedNode>, view: NodeView) => {
      if (isOther(name, view.nodeName) || !matchesSearch(search, view.nodeName)) return;
      const node = listedNodeOf(view, reading);
      if (!meetsCondition(node, query)) return;
      items.add({ node, names: naturalNames(view.nodeName), rank: ranks[order]?.(node) ?? -Infinity });
    },
    compare: largestFirst<ComparedNode>(
      ({ rank }) => rank,
      ({ names }) => names,
    ),
    ranksOf: ({ rank }: ComparedNode) => [rank],
    reportOf: ({ node }: ComparedNode) => listedNodeReport(node, reading, verdictOf),
  };
  return listPage(list, query, lane);
}

/** The report of one node as lists have it. */
export function nodeReportOf(view: NodeView, reading: ClusterReading): ListedNodeReport {
  return listedNodeReport(listedNodeOf(view, reading), reading, verdicts(reading));
}

/** Returns a node as it is judged and compared. */
export function listedNodeOf(view: NodeView, { failures, lastKnownOf }: ClusterReading): ListedNode {
  const lastKnown = view.state === 'absent' ? lastKnownOf(view) : undefined;
  return listedNode(view, { lastKnown, failure: failures.get(view.nodeName) });
}

const ranks: Readonly<Record<string, (node: ListedNode) => number | undefined>> = {
  urgency: urgencyOf,
  used: ({ snapshot }) => snapshot?.summary.nodefs?.usedBytes,
  full: ({ fullRatio }) => fullRatio,
  headroom: (node) => {
    const headroom = headroomOf(node);
    return headroom === undefined ? undefined : -headroom;
  },
  time: (node) => {
    const { timeMs } = node.standing ?? {};
    if ((headroomOf(node) ?? 0) < 0) return 0;
    return timeMs === undefined ? undefined : -timeMs;
  },
  pods: ({ snapshot }) => snapshot && podsBytes(snapshot),
};

/** What was last known of a node without data is a guess. */
function headroomOf({ view, standing }: ListedNode): number | undefined {
  return view.state === 'absent' || !isKnownThreshold(standing?.nearest) ? undefined : standing.nearest.headroom;
}

/** Returns what pods have of its filesystems; of a node whose disks are not its own, their totals. */
function podsBytes(snapshot: NodeSnapshot): number {
  const owned = filesystemOwners(snapshot).flatMap(({ podsUsedBytes }) => podsUsedBytes ?? []);
  return owned.length === 0 ? podBytes(snapshot.pods).usedBytes : owned.reduce((sum, bytes) => sum + bytes, 0);
}

function urgencyOf({ view, pressed, fullRatio }: ListedNode): number | undefined {
  return nodeUrgency(view, pressed, fullRatio);
}

function meetsCondition({ view, pressed, condition }: ListedNode, { only }: ListQuery): boolean {
  switch (only) {
    case undefined:
      return true;
    case 'near':
      return pressed !== undefined || view.node?.diskPressure === true;
    case 'unknown':
      return view.state !== 'fresh' || condition === 'unknown';
    case 'unenforced':
      return unenforcedOn(view) !== undefined || enforcementKinds(view).length > 0;
  }
}

/** Orders nodes as the list does by `urgency`. */
export const mostUrgent = largestFirst<ListedNode>(urgencyOf, ({ view }) => naturalNames(view.nodeName));

export function listedNodeReport(
  node: ListedNode,
  { apiServer }: ClusterReading,
  verdictOf: VerdictOf,
): ListedNodeReport {
  return {
    ...nodeReport(node, { apiServer, verdictOf }),
    condition: node.condition,
    urgency: urgencyOf(node),
    threshold: thresholdReport(node.standing),
    pressure: node.pressed && pressureReport(node.pressed, verdictOf),
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
