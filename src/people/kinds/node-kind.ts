import { formatAge, formatForecast, formatTime } from '../../lib/base/units.js';
import { count, type Line, type Piece, share, type Tone } from '../pens/document.js';
import { absenceNames } from '../report/absence-hints.js';
import type { FilesystemReport } from '../report/filesystem-report.js';
import { fullTone } from '../report/limit-report.js';
import { conditionMarks, isLastTrouble, type NodeCondition } from '../report/node-condition.js';
import type { ListedNodeReport } from '../report/node-report.js';
import { momentText } from '../report/pod-report.js';
import { signalAmount } from '../report/signal-report.js';
import type { Kind } from './kind.js';
import { bytesColumn } from './pod-kind.js';

/** Headroom is what is left above the threshold that the node is nearest to; requested is what its pods request. */
export const nodeKind: Kind<ListedNodeReport> = {
  title: 'Nodes',
  what: 'nodes',
  nameColumn: 'Node',
  nameOf: ({ node }) => `node/${node}`,
  pathOf: ({ node }) => ['nodes', node],
  isOld: ({ state }) => state === 'absent',
  noteOf: (node) => node.verdict?.text ?? (node.state === 'absent' ? node.hint : undefined),
  explain: (nodes) =>
    nodes.some((node) => currentThreshold(node)?.isAssumed === true)
      ? '* Assumed: a default of Kubernetes.'
      : undefined,
  columns: [
    { title: 'Node', minWidth: 8, order: 'name', cell: ({ node }) => node },
    { title: 'State', rank: 1, cell: stateLine },
    {
      title: 'Full',
      isNumber: true,
      rank: 1,
      order: 'full',
      about: 'Of its disks the fullest. The mark is where evictions begin.',
      cell: fullLine,
    },
    {
      title: 'Headroom',
      isNumber: true,
      rank: 1,
      order: 'headroom',
      isRising: true,
      about: 'What is left above the threshold that it is nearest to: below 0 the kubelet evicts pods.',
      cell: headroomLine,
    },
    {
      title: 'To eviction',
      isNumber: true,
      rank: 1,
      isSeldom: true,
      order: 'time',
      isRising: true,
      about: 'Until a threshold is crossed, at the present growth.',
      cell: (node) => timeToEvictionText(node),
    },
    bytesColumn('Used', (node) => nodefs(node)?.usedBytes, { order: 'used', rank: 2, about: 'Of its nodefs.' }),
    bytesColumn('Available', (node) => nodefs(node)?.availableBytes, { rank: 4 }),
    bytesColumn('Capacity', (node) => nodefs(node)?.capacityBytes, { rank: 7 }),
    bytesColumn('Pods', podsBytes, { order: 'pods', rank: 3, about: 'What its pods use.' }),
    bytesColumn('Images', (node) => ownerBytes(node, 'imagesUsedBytes'), { rank: 5 }),
    bytesColumn('Other', (node) => ownerBytes(node, 'unattributedBytes'), { rank: 5, about: 'Not pods, not images.' }),
    bytesColumn('Requested', (node) => (node.state === 'absent' ? undefined : node.podsRequestedBytes), { rank: 6 }),
    {
      title: 'Measured',
      isNumber: true,
      isWide: true,
      about: 'Pods that are measured, of those that should be.',
      cell: ({ measuredPodCount, expectedPodCount }) => [count(measuredPodCount), '/', count(expectedPodCount)],
    },
    {
      title: 'Age',
      isNumber: true,
      rank: 8,
      cell: (node) => formatAge(node.state === 'absent' ? node.lastKnown?.dataAgeMs : node.dataAgeMs),
    },
    { title: 'Reason', rank: 4, isSeldom: true, cell: reasonText },
    bytesColumn('imagefs', (node) => filesystem(node, 'imagefs')?.usedBytes, { isWide: true }),
    bytesColumn('Allocatable', ({ allocatableBytes }) => allocatableBytes, { isWide: true }),
  ],
};

/** Why it has no data, and what of its limits and thresholds does not do what it seems to do. */
function reasonText(node: ListedNodeReport): string {
  const reasons = [...(node.state === 'absent' ? [node.reason] : []), ...(node.enforcement ?? [])];
  return reasons.join(', ') || '-';
}

const states: Partial<Record<NodeCondition, string>> = {
  evicting: 'below threshold',
  no_space: 'no space',
  refusing: 'DiskPressure',
  unprotected: '',
  missing: '',
  ok: '',
  stale: '',
};

/** Of a node under pressure that first; otherwise the state of its data. */
function stateLine(node: ListedNodeReport): Line {
  const { state, condition } = node;
  const { severity, text } = conditionMarks[condition];
  if (node.state === 'absent') return { text: absentText(node), tone: severity };
  const since = node.frozenSinceMs === undefined ? '' : `frozen since ${formatTime(node.frozenSinceMs)}`;
  const texts = [states[condition] ?? text, since].filter(Boolean);
  const isOfData = texts.length === 0 || state !== 'fresh';
  const tone: Tone = severity === 'ok' && state !== 'fresh' ? 'warning' : severity;
  return { text: [...texts, ...(isOfData ? [state] : [])].join(', '), tone };
}

function absentText(node: Extract<ListedNodeReport, { readonly state: 'absent' }>): string {
  const { condition, reason } = node;
  const { text } = conditionMarks[condition];
  if (condition === 'silent') return `${text}: ${absenceNames[reason]}`;
  return `${states[condition] ?? text}${isLastTrouble(node, condition) ? ' when last known' : ''}`;
}

/** What was last known of a silent node has no colour of a state, and health is the colour of nodes alone that are well in all. */
function fullLine(node: ListedNodeReport): Line {
  const isOld = node.state === 'absent';
  const fullest = fullestOf((isOld ? node.lastKnown?.filesystems : node.filesystems) ?? []);
  if (fullest?.fullRatio === undefined) return '-';
  const { fullRatio, filesystem: name } = fullest;
  const tones = [fullTone(fullRatio), conditionMarks[node.condition].severity];
  const tone = isOld ? 'unknown' : (['critical', 'warning', 'unknown'] as const).find((of) => tones.includes(of));
  const piece: Piece = { ...share(fullRatio, tone ?? 'ok'), mark: markOf(fullest) };
  return [piece, sourceText(node, name)];
}

/** Of which filesystem, and of when where it is not now. */
function sourceText(node: ListedNodeReport, name: FilesystemReport['filesystem']): string {
  const place = name === 'nodefs' ? '' : ` ${name}`;
  return node.state === 'absent' ? `${place} ${formatAge(node.lastKnown?.dataAgeMs)} ago` : place;
}

/** How full the filesystem is where evictions begin. */
function markOf({ evictionThresholdBytes: bytes, capacityBytes }: FilesystemReport): number | undefined {
  return bytes === undefined || !capacityBytes ? undefined : 1 - bytes / capacityBytes;
}

function fullestOf(filesystems: readonly FilesystemReport[]): FilesystemReport | undefined {
  return filesystems
    .filter(({ sameAs }) => sameAs === undefined)
    .toSorted((a, b) => (b.fullRatio ?? 0) - (a.fullRatio ?? 0))[0];
}

function headroomLine(node: ListedNodeReport): Line {
  const threshold = currentThreshold(node);
  if (threshold === undefined) return '-';
  const tone = node.pressure === undefined ? 'ok' : threshold.headroom < 0 ? 'critical' : 'warning';
  return { text: `${headroomText(node)}${threshold.isAssumed ? '*' : ''}`, tone };
}

function nodefs(node: ListedNodeReport): FilesystemReport | undefined {
  return filesystem(node, 'nodefs');
}

function filesystem(node: ListedNodeReport, name: FilesystemReport['filesystem']): FilesystemReport | undefined {
  return node.state === 'absent' ? undefined : node.filesystems.find((candidate) => candidate.filesystem === name);
}

/** Of a node whose disks are not its own, the totals of its pods, where all have one. */
function podsBytes(node: ListedNodeReport): number | undefined {
  if (node.state === 'absent') return undefined;
  const ofTotals = node.measuredPodCount < node.expectedPodCount ? undefined : node.podsUsedBytes;
  return ownerBytes(node, 'podsUsedBytes') ?? ofTotals;
}

/** Of all its filesystems; undefined where none shows it. */
function ownerBytes(
  node: ListedNodeReport,
  owner: 'podsUsedBytes' | 'imagesUsedBytes' | 'unattributedBytes',
): number | undefined {
  const values = node.state === 'absent' ? [] : node.filesystems.flatMap((of) => of[owner] ?? []);
  return values.length === 0 ? undefined : values.reduce((sum, each) => sum + each, 0);
}

/** Returns the threshold that a node with data is nearest to: what was last known of others is a guess. */
function currentThreshold({ state, threshold }: ListedNodeReport): ListedNodeReport['threshold'] {
  return state === 'absent' ? undefined : threshold;
}

/** `-` where it is not known. */
function headroomText(node: ListedNodeReport): string {
  const threshold = currentThreshold(node);
  if (threshold === undefined) return '-';
  const { signal, headroom } = threshold;
  return signalAmount(signal, headroom);
}

/** `-` where no eviction is foreseen. */
function timeToEvictionText(node: ListedNodeReport): string {
  const { headroom = 0, timeToEvictionMs } = currentThreshold(node) ?? {};
  if (headroom < 0) return node.pressure?.victims?.length === 0 ? 'no pod left' : momentText(node.pressure ?? {});
  return timeToEvictionMs === undefined ? '-' : formatForecast(timeToEvictionMs);
}
