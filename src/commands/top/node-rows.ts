import { formatAge, formatPercent, formatTime } from '../../lib/base/units.js';
import type { Style } from '../../people/pens/terminal-text.js';
import {
  currentThreshold,
  headroomText,
  type ListedNodeReport,
  timeToEvictionText,
} from '../../people/query/list-nodes.js';
import type { FilesystemReport } from '../../people/report/filesystem-report.js';
import type { NodeCondition } from '../../people/report/node-condition.js';
import { ratioStyle } from '../text/output.js';
import { bytesColumn, type View } from './view.js';

/** HEADROOM is what is left above the threshold that the node is nearest to; REQUESTED is what its pods request. */
export const nodesView: View<ListedNodeReport> = {
  read: (reader, { parameters, count }) => reader.list('nodes', parameters, count),
  name: ({ node }) => `node/${node}`,
  columns: [
    { header: 'NODE', text: ({ node }) => node, minWidth: 8, order: 'name' },
    bytesColumn('USED', (row) => nodefs(row)?.usedBytes, { order: 'used', dropRank: 2 }),
    bytesColumn('AVAILABLE', (row) => nodefs(row)?.availableBytes, { dropRank: 4 }),
    bytesColumn('CAPACITY', (row) => nodefs(row)?.capacityBytes, { dropRank: 7 }),
    {
      header: 'FULL',
      text: (row) => formatPercent(nodefs(row)?.fullRatio).replace(' ', ''),
      value: (row) => nodefs(row)?.fullRatio,
      align: 'right',
      dropRank: 1,
      style: (row) => ratioStyle(nodefs(row)?.fullRatio),
    },
    {
      header: 'HEADROOM',
      text: headroomText,
      value: (row) => -(currentThreshold(row)?.headroom ?? Infinity),
      align: 'right',
      dropRank: 1,
      style: (row) => ((currentThreshold(row)?.headroom ?? 0) < 0 ? 'bold-red' : undefined),
    },
    {
      header: 'TO-EVICTION',
      text: timeToEvictionText,
      value: (row) => (timeToEvictionText(row) === '-' ? undefined : -(currentThreshold(row)?.timeToEvictionMs ?? 0)),
      align: 'right',
      dropRank: 1,
      isSeldom: true,
    },
    bytesColumn('PODS', podsBytes, { dropRank: 3 }),
    bytesColumn('IMAGES', (row) => ownerBytes(row, 'imagesUsedBytes'), { dropRank: 5 }),
    bytesColumn('OTHER', (row) => ownerBytes(row, 'unattributedBytes'), { dropRank: 5 }),
    bytesColumn('REQUESTED', (row) => (row.state === 'absent' ? undefined : row.podsRequestedBytes), { dropRank: 6 }),
    { header: 'STATE', text: stateText, dropRank: 2, style: styleOf },
    {
      header: 'AGE',
      text: (row) => formatAge(ageOf(row)),
      value: ageOf,
      align: 'right',
      dropRank: 8,
    },
    { header: 'REASON', text: reasonText, value: reasonCount, isSeldom: true, dropRank: 4 },
    bytesColumn('IMAGEFS', (row) => filesystem(row, 'imagefs')?.usedBytes, { isWide: true }),
    bytesColumn('ALLOCATABLE', ({ allocatableBytes }) => allocatableBytes, { isWide: true }),
  ],
};

/** Why it has no data, and what of its limits and thresholds does not do what it seems to do. */
function reasonsOf(row: ListedNodeReport): readonly string[] {
  return [...(row.state === 'absent' ? [row.reason] : []), ...(row.enforcement ?? [])];
}

function reasonText(row: ListedNodeReport): string {
  return reasonsOf(row).join(', ') || '-';
}

function reasonCount(row: ListedNodeReport): number | undefined {
  return reasonsOf(row).length || undefined;
}

const states: Partial<Record<NodeCondition, readonly [text: string, style: Style]>> = {
  evicting: ['below threshold', 'bold-red'],
  no_space: ['no space', 'bold-red'],
  unknown: ['headroom unknown', 'yellow'],
  refusing: ['DiskPressure', 'yellow'],
  near: ['near threshold', 'yellow'],
  full: ['nearly full', 'yellow'],
};

function stateText({ state, condition, frozenSinceMs }: ListedNodeReport): string {
  const since = frozenSinceMs === undefined ? [] : [`frozen since ${formatTime(frozenSinceMs)}`];
  const texts = [...(states[condition]?.slice(0, 1) ?? []), ...since];
  return [...texts, ...(texts.length > 0 && state === 'fresh' ? [] : [state])].join(', ');
}

function styleOf({ state, condition }: ListedNodeReport): Style | undefined {
  const ofData = ({ fresh: undefined, stale: 'yellow', absent: 'red' } as const)[state];
  return states[condition]?.[1] ?? ofData;
}

function nodefs(row: ListedNodeReport): FilesystemReport | undefined {
  return filesystem(row, 'nodefs');
}

function filesystem(row: ListedNodeReport, name: FilesystemReport['filesystem']): FilesystemReport | undefined {
  return row.state === 'absent' ? undefined : row.filesystems.find((candidate) => candidate.filesystem === name);
}

/** Of a node whose disks are not its own, the totals of its pods, where all have one. */
function podsBytes(row: ListedNodeReport): number | undefined {
  if (row.state === 'absent') return undefined;
  const ofTotals = row.measuredPodCount < row.expectedPodCount ? undefined : row.podsUsedBytes;
  return ownerBytes(row, 'podsUsedBytes') ?? ofTotals;
}

/** Of all its filesystems; undefined where none shows it. */
function ownerBytes(
  row: ListedNodeReport,
  owner: 'podsUsedBytes' | 'imagesUsedBytes' | 'unattributedBytes',
): number | undefined {
  const values = row.state === 'absent' ? [] : row.filesystems.flatMap((filesystem) => filesystem[owner] ?? []);
  return values.length === 0 ? undefined : values.reduce((sum, bytes) => sum + bytes, 0);
}

function ageOf(row: ListedNodeReport): number | undefined {
  return row.state === 'absent' ? undefined : row.dataAgeMs;
}
