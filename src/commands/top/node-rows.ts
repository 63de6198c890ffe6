import { largestFirst } from '../../base/ranking.js';
import { formatAge } from '../../base/units.js';
import type { NodeView } from '../../node/node-view.js';
import type { ClusterReading } from '../../query/cluster-reading.js';
import { hasFilter, knownPods, type PodFilter, podsOf } from '../../query/pod-filter.js';
import { type FilesystemReport, podBytes } from '../../report/filesystem-report.js';
import { type NodeReport, nodeReport } from '../../report/node-report.js';
import { ratioStyle, type Style } from '../text/terminal-text.js';
import { bytesColumn, type View } from './view.js';

const order = largestFirst<NodeReport>(
  (row) => nodefs(row)?.usedBytes,
  ({ node }) => [node],
);

/** PODS is what the listed pods use. */
export const nodesView: View<NodeReport> = {
  rows: (reading, filter) =>
    wanted(reading, filter)
      .map((node) => nodeRow(node, reading, filter))
      .sort(order),
  name: ({ node }) => `node/${node}`,
  columns: [
    { header: 'NODE', text: ({ node }) => node, minWidth: 8 },
    bytesColumn('USED', (row) => nodefs(row)?.usedBytes),
    bytesColumn('AVAILABLE', (row) => nodefs(row)?.availableBytes, { dropRank: 3 }),
    bytesColumn('CAPACITY', (row) => nodefs(row)?.capacityBytes, { dropRank: 5 }),
    {
      header: 'FULL',
      text: (row) => percentText(nodefs(row)?.fullRatio),
      value: (row) => nodefs(row)?.fullRatio,
      align: 'right',
      dropRank: 1,
      style: (row) => ratioStyle(nodefs(row)?.fullRatio),
    },
    bytesColumn('PODS', (row) => (row.state === 'absent' ? undefined : row.podsUsedBytes), { dropRank: 3 }),
    { header: 'STATE', text: ({ state }) => state, dropRank: 2, style: ({ state }) => stateStyles[state] },
    {
      header: 'AGE',
      text: (row) => formatAge(ageOf(row)),
      value: ageOf,
      align: 'right',
      dropRank: 6,
    },
    { header: 'REASON', text: reasonText, dropRank: 4 },
    bytesColumn('IMAGEFS', (row) => filesystem(row, 'imagefs')?.usedBytes, { isWide: true }),
    bytesColumn('ALLOCATABLE', ({ allocatableBytes }) => allocatableBytes, { isWide: true }),
  ],
};

/** Why it has no data, and what of its limits and thresholds does not do what it seems to do. */
function reasonText(row: NodeReport): string {
  const reasons = [...(row.state === 'absent' ? [row.reason] : []), ...(row.enforcement ?? [])];
  return reasons.length === 0 ? '-' : reasons.join(', ');
}

const stateStyles: Readonly<Record<NodeReport['state'], Style | undefined>> = {
  fresh: undefined,
  stale: 'yellow',
  absent: 'red',
};

/** With a filter those that have such pods, measured or not. */
function wanted(reading: ClusterReading, filter: PodFilter): readonly NodeView[] {
  const all = reading.snapshot.nodes;
  if (!hasFilter(filter)) return all;
  const names = new Set(knownPods(reading, filter).map(({ pod }) => pod.nodeName));
  return all.filter((node) => names.has(node.nodeName) || (node.state !== 'absent' && podsOf(node, filter).length > 0));
}

function nodeRow(node: NodeView, reading: ClusterReading, filter: PodFilter): NodeReport {
  const pods = node.state === 'absent' ? [] : podsOf(node, filter);
  return nodeReport(node, podBytes(pods), reading.failures.get(node.nodeName));
}

function nodefs(row: NodeReport): FilesystemReport | undefined {
  return filesystem(row, 'nodefs');
}

function filesystem(row: NodeReport, name: FilesystemReport['filesystem']): FilesystemReport | undefined {
  return row.state === 'absent' ? undefined : row.filesystems.find((candidate) => candidate.filesystem === name);
}

function ageOf(row: NodeReport): number | undefined {
  return row.state === 'absent' ? undefined : row.dataAgeMs;
}

/** Rounded down: 100 % is full. */
function percentText(ratio: number | undefined): string {
  return ratio === undefined ? '-' : `${Math.floor(ratio * 100)}%`;
}
