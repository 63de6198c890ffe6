import { formatAge, formatBytes } from '../../lib/base/units.js';
import { type BarPart, type Block, bytes, count, type Line, type Row, share } from '../pens/document.js';
import { isWord } from '../pens/words.js';
import type { NodeObject } from '../query/node-explanation.js';
import type { DiskPart, DiskPartKind, DiskReport } from '../report/disk-report.js';
import type { FilesystemReport } from '../report/filesystem-report.js';
import { fullTone } from '../report/limit-report.js';

/** What each filesystem of the node holds. */
export function diskBlocks({ node, disks }: NodeObject): readonly Block[] {
  const isOld = node.state === 'absent';
  if (disks.length === 0) return [{ is: 'text', line: lackText(node) }];
  const filesystems = isOld ? (node.lastKnown?.filesystems ?? []) : node.filesystems;
  const age = isOld ? node.lastKnown?.dataAgeMs : undefined;
  const old = `Last known, ${formatAge(age)} ago. What the disk holds now is not known.`;
  const reportOf = (disk: DiskReport) => filesystems.find(({ filesystem }) => filesystem === disk.filesystem);
  return [
    ...(isOld ? [{ is: 'text', line: old, tone: 'warning' } as const] : []),
    ...disks.flatMap((disk) => blocksOf(disk, reportOf(disk), isOld)),
  ];
}

function lackText(node: NodeObject['node']): string {
  if (node.state === 'absent') return 'Not known: no summary of its kubelet was read since the exporter started.';
  return node.filesystems.length === 0
    ? 'The kubelet reports no filesystem.'
    : 'Not known: the disk of the host has pods that are not of this virtual cluster.';
}

function blocksOf(disk: DiskReport, report: FilesystemReport | undefined, isOld: boolean): readonly Block[] {
  const { isFrozen = false } = disk;
  const bar = barOf(disk, isOld || isFrozen);
  return [
    { is: 'text', line: headLine(disk, report) },
    ...(isFrozen ? [{ is: 'text', line: frozenText, tone: 'warning' } as const] : []),
    ...(bar === undefined ? [] : [bar]),
    ...countedTwice(disk),
    partTable(disk),
    ...inodesText(report),
  ];
}

const frozenText = 'The kubelet measures it no longer. What the disk holds now is not known.';

function headLine(
  { filesystem, thresholdBytes, headroomBytes, isAssumed }: DiskReport,
  report?: FilesystemReport,
): Line {
  const full = report?.fullRatio;
  const place: Line = [{ word: filesystem }, ' ', share(full, fullTone(full ?? 0)), ' full; '];
  if (thresholdBytes === undefined) return [...place, 'no eviction threshold in bytes is known'];
  const room =
    headroomBytes === undefined
      ? ['headroom unknown']
      : headroomBytes < 0
        ? [bytes(-headroomBytes), ' missing to the threshold']
        : ['headroom ', bytes(headroomBytes)];
  return [
    ...place,
    ...room,
    '; evictions below ',
    bytes(thresholdBytes),
    ` free${isAssumed === true ? ', assumed' : ''}`,
  ];
}

/** What a part of a disk is called. */
function nameOf(kind: DiskPartKind): string {
  if (kind === 'other') return 'other of pods';
  return kind === 'unattributed' ? 'other' : kind;
}

const kindsOfPods: readonly DiskPartKind[] = ['rootfs', 'logs', 'emptydir', 'configmap', 'other'];

/** Whose bytes the disk holds, and of what they are. What is counted several times is cut off where the free bytes begin. */
function barOf(disk: DiskReport, isOld: boolean): Block | undefined {
  const { filesystem, capacityBytes = 0, thresholdBytes, headroomBytes, unknownBytes = 0 } = disk;
  if (capacityBytes <= 0) return undefined;
  const bytesOf = (kind: DiskPartKind): number => disk.parts.find((part) => part.kind === kind)?.bytes ?? 0;
  const part = (kind: DiskPartKind): BarPart => ({ name: nameOf(kind), colour: kind, amount: bytesOf(kind) });
  const ofPods = kindsOfPods.map(part);
  const free = Math.min(capacityBytes, Math.max(0, bytesOf('free')));
  const headroom = Math.max(0, headroomBytes ?? 0);
  const ofFree: readonly BarPart[] =
    thresholdBytes === undefined || headroomBytes === undefined
      ? []
      : [
          { name: 'headroom', colour: 'headroom', amount: headroom },
          { name: 'kept free', colour: 'threshold', amount: free - headroom },
        ];
  const used = cutOff(
    [
      { name: 'pods', colour: 'pods', amount: sumOf(ofPods), parts: ofPods },
      part('images'),
      part('unattributed'),
      { name: 'not known', colour: 'unknown', amount: unknownBytes },
      part('reserved'),
    ],
    capacityBytes - free,
  );
  const gap = { name: 'not known', colour: 'unknown', amount: capacityBytes - free - sumOf(used) };
  return {
    is: 'bar',
    caption: filesystem,
    unit: 'bytes',
    whole: capacityBytes,
    parts: [...used, gap, { name: 'free', colour: 'free', amount: free, parts: ofFree }],
    marks:
      thresholdBytes === undefined || thresholdBytes > capacityBytes
        ? []
        : [{ name: `evictions below ${formatBytes(thresholdBytes)} free`, at: capacityBytes - thresholdBytes }],
    isOld,
  };
}

const sumOf = (parts: readonly BarPart[]): number => parts.reduce((sum, { amount }) => sum + Math.max(0, amount), 0);

/** Returns those that have a place, the last of them as far as it has. */
function cutOff(parts: readonly BarPart[], end: number): readonly BarPart[] {
  let at = 0;
  return parts.flatMap((part) => {
    const amount = Math.min(part.amount, end - at);
    if (amount <= 0) return [];
    at += amount;
    return [{ ...part, amount, ...(part.parts && { parts: cutOff(part.parts, amount) }) }];
  });
}

/** Layers that the runtime counts for each image: then the parts of pods and images are more than the disk holds. */
function countedTwice({ parts }: DiskReport): readonly Block[] {
  const amount = parts.find(({ kind }) => kind === 'unattributed')?.bytes ?? 0;
  if (amount >= 0) return [];
  const line = [
    'Pods and images together have ',
    bytes(-amount),
    ' more than is used: the kubelet or the runtime counts something several times. How much is other is not known.',
  ];
  return [{ is: 'text', line, tone: 'warning' }];
}

function partTable({ filesystem, capacityBytes, parts, unknownBytes }: DiskReport): Block {
  const row = (name: Line, amount: number | undefined, colour?: string): Row => ({
    ...(colour !== undefined && { colour }),
    cells: [
      name,
      amount === undefined ? 'not known' : bytes(amount),
      amount === undefined || !capacityBytes ? '-' : `${((amount / capacityBytes) * 100).toFixed(1)} %`,
    ],
  });
  const nameLine = ({ kind }: DiskPart): Line => [
    kindsOfPods.includes(kind) ? 'pods: ' : '',
    isWord(kind) ? { word: kind, shown: nameOf(kind) } : nameOf(kind),
  ];
  return {
    is: 'table',
    detail: 'folded',
    caption: `Parts of ${filesystem}`,
    columns: [{ title: 'Part' }, { title: 'Size', isNumber: true }, { title: 'Of capacity', isNumber: true, rank: 1 }],
    rows: [
      ...parts.map((part) => row(nameLine(part), part.bytes, part.kind)),
      ...(unknownBytes === undefined ? [] : [row('those not known, together', unknownBytes, 'unknown')]),
      row('capacity', capacityBytes),
    ],
  };
}

/** Below what is full of them, they are details. */
function inodesText(report: FilesystemReport | undefined): readonly Block[] {
  const { inodesFullRatio: ratio, inodesFree, inodes } = report ?? {};
  if (ratio === undefined) return [];
  const tone = fullTone(ratio);
  const line = ['inodes ', share(ratio, tone), ' used: ', count(inodesFree), ' free of ', count(inodes)];
  return [{ is: 'text', line, detail: tone === 'ok' ? 'open' : undefined }];
}
