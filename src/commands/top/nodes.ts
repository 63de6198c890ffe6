import { formatAge } from '../../base/units.js';
import type { FsStats } from '../../kubelet/summary.js';
import type { NodeState } from '../../scrape/snapshot.js';
import type { ClusterReading } from '../cluster-reader.js';
import { hasFilter, knownPods, measuredPods, type PodFilter, podsOf } from './filter.js';
import { biggestFirst, bytesColumn, type View } from './view.js';

interface Filesystem {
  readonly usedBytes: number | undefined;
  readonly availableBytes: number | undefined;
  readonly capacityBytes: number | undefined;
}

interface NodeRow {
  readonly node: string;
  readonly state: NodeState['state'];
  readonly allocatableBytes: number | undefined;
  /** Why there is no data; of absent nodes only. */
  readonly reason?: string;
  readonly error?: string | undefined;
  /** Of nodes with data, as the following ones. */
  readonly summaryAgeMs?: number;
  readonly nodefs?: Filesystem | undefined;
  readonly imagefs?: Filesystem | undefined;
  readonly containerfs?: Filesystem | undefined;
  readonly hasDedicatedImagefs?: boolean | undefined;
  /** Of the pods that are looked at. */
  readonly podsUsedBytes?: number;
  readonly podCount?: number;
}

export const nodesView: View<NodeRow> = {
  rows: (reading, filter) => {
    const rows = wanted(reading, filter).map((node) => nodeRow(node, { reading, filter }));
    return biggestFirst(
      rows,
      ({ nodefs }) => nodefs?.usedBytes,
      ({ node }) => node,
    );
  },
  columns: [
    { header: 'NODE', text: ({ node }) => node, minWidth: 8 },
    bytesColumn('USED', ({ nodefs }) => nodefs?.usedBytes),
    bytesColumn('AVAILABLE', ({ nodefs }) => nodefs?.availableBytes, 1),
    bytesColumn('CAPACITY', ({ nodefs }) => nodefs?.capacityBytes, 5),
    bytesColumn('PODS', ({ podsUsedBytes }) => podsUsedBytes, 3),
    { header: 'STATE', text: ({ state }) => state, dropRank: 2 },
    { header: 'AGE', text: ({ summaryAgeMs }) => formatAge(summaryAgeMs), align: 'right', dropRank: 6 },
    { header: 'REASON', text: ({ reason }) => reason ?? '-', dropRank: 4 },
  ],
};

/** With a filter those that have such pods, measured or not. */
function wanted(reading: ClusterReading, filter: PodFilter): readonly NodeState[] {
  const all = reading.snapshot.nodes;
  if (!hasFilter(filter)) return all;
  const names = new Set([
    ...knownPods(reading, filter).map(({ pod }) => pod.nodeName),
    ...measuredPods(reading, filter).map(({ node }) => node.nodeName),
  ]);
  return all.filter(({ nodeName }) => names.has(nodeName));
}

interface Question {
  readonly reading: ClusterReading;
  readonly filter: PodFilter;
}

function nodeRow(node: NodeState, { reading, filter }: Question): NodeRow {
  const { nodeName, state, allocatableBytes } = node;
  const common = { node: nodeName, state, allocatableBytes };
  if (node.state === 'absent') {
    return { ...common, reason: node.reason, error: reading.nodeErrors.get(nodeName) };
  }
  const { summary, layout } = node.snapshot;
  const pods = podsOf(node, filter);
  return {
    ...common,
    summaryAgeMs: Math.round(node.ageMs),
    nodefs: filesystem(summary.nodefs),
    imagefs: filesystem(summary.imagefs),
    containerfs: filesystem(summary.containerfs),
    hasDedicatedImagefs: layout.hasDedicatedImagefs,
    podsUsedBytes: pods.reduce((sum, { usage }) => sum + usage.usedBytes, 0),
    podCount: pods.length,
  };
}

function filesystem(stats: FsStats | undefined): Filesystem | undefined {
  if (stats === undefined) return undefined;
  const { usedBytes, availableBytes, capacityBytes } = stats;
  return { usedBytes, availableBytes, capacityBytes };
}
