import { filesystemOwners } from '../../facts/node/filesystem-owners.js';
import { isKnownThreshold } from '../../facts/node/node-thresholds.js';
import { type NodeSnapshot, type NodeView, unenforcedOn } from '../../facts/node/node-view.js';
import type { Lane } from '../../lib/base/lane.js';
import { largestFirst, naturalNames, type Ranking } from '../../lib/base/ranking.js';
import { enforcementKinds } from '../report/enforcement-report.js';
import { podBytes } from '../report/filesystem-report.js';
import { type ListedNode, listedNode, type ListedNodeReport, listedNodeReport } from '../report/node-report.js';
import type { ClusterReading } from './cluster-reading.js';
import { type ListPage, listPage } from './list-page.js';
import { isOther, type ListQuery, matchesSearch } from './list-query.js';

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
  const list = {
    sources: reading.snapshot.nodes,
    addItems: (items: Ranking<ComparedNode>, view: NodeView) => {
      if (isOther(name, view.nodeName) || !matchesSearch(search, view.nodeName)) return;
      const node = listedNode(view, reading);
      if (!meetsCondition(node, query)) return;
      items.add({ node, names: naturalNames(view.nodeName), rank: ranks[order]?.(node) ?? -Infinity });
    },
    compare: largestFirst<ComparedNode>(
      ({ rank }) => rank,
      ({ names }) => names,
    ),
    ranksOf: ({ rank }: ComparedNode) => [rank],
    reportOf: ({ node }: ComparedNode) => listedNodeReport(node, reading),
  };
  return listPage(list, query, lane);
}

const ranks: Readonly<Record<string, (node: ListedNode) => number | undefined>> = {
  urgency: ({ urgency }) => urgency,
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

function meetsCondition({ view, trouble, condition }: ListedNode, { only }: ListQuery): boolean {
  switch (only) {
    case undefined:
      return true;
    case 'near':
      return trouble !== undefined;
    case 'unknown':
      return condition === 'unknown' || (view.state === 'absent' && condition !== 'skipped');
    case 'unenforced':
      return unenforcedOn(view) !== undefined || enforcementKinds(view).length > 0;
  }
}

/** Orders nodes as the list does by `urgency`. */
export const mostUrgent = largestFirst<ListedNode>(
  ({ urgency }) => urgency,
  ({ view }) => naturalNames(view.nodeName),
);
