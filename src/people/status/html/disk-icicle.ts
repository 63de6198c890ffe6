import { formatBytes } from '../../../lib/base/units.js';
import type { DiskPartKind, DiskReport } from '../../report/disk-report.js';
import { type Markup, markup } from './markup.js';

/** What parts of a disk are called. */
export const partNames: Readonly<Record<DiskPartKind, string>> = {
  rootfs: 'rootfs',
  logs: 'logs',
  emptydir: 'emptydir',
  configmap: 'configmap',
  other: 'other of pods',
  images: 'images',
  unattributed: 'other',
  reserved: 'reserved',
  free: 'free',
};

interface Block {
  readonly colour: string;
  readonly name: string;
  readonly bytes: number;
  readonly parts: readonly Block[];
}

const labelHeight = 18;
const blockHeight = 26;
const height = 2 * labelHeight + 2 * blockHeight + 2;

/**
 * The disk in two lines: whose bytes it holds, and of what they are. As wide as the capacity; what is counted several times is
 * cut off where the free bytes begin. Undefined without a capacity.
 */
export function diskIcicle(disk: DiskReport): Markup | undefined {
  const { filesystem, capacityBytes = 0, thresholdBytes } = disk;
  if (capacityBytes <= 0) return undefined;
  const free = Math.min(capacityBytes, Math.max(0, bytesOf(disk, 'free')));
  const used = drawn(usedBlocks(disk), 0, capacityBytes - free);
  const freeBlock: Block = { colour: 'free', name: 'free', bytes: free, parts: freeParts(free, disk) };
  const all = [...used, ...drawn([freeBlock], capacityBytes - free, capacityBytes)];
  const scale = (bytes: number): string => `${Number(((bytes / capacityBytes) * 100).toFixed(3))}%`;
  const mark =
    thresholdBytes === undefined || thresholdBytes > capacityBytes
      ? undefined
      : markup`<rect class="mark" x="${scale(capacityBytes - thresholdBytes)}" y="${labelHeight - 4}" width="2" height="${2 * blockHeight + 10}"><title>evictions below ${formatBytes(thresholdBytes)} free</title></rect>`;
  return markup`<svg class="icicle" width="100%" height="${height}" role="img" aria-label="${textOf(filesystem, all)}">${all.map(({ start, block }) => markup`${groupOf(start, block, scale)}${drawn(block.parts, start, start + block.bytes).map((part) => partOf(part.start, part.block, scale))}`)}${mark}</svg>`;
}

function bytesOf({ parts }: DiskReport, kind: DiskPartKind): number {
  return parts.find((part) => part.kind === kind)?.bytes ?? 0;
}

function usedBlocks(disk: DiskReport): readonly Block[] {
  const leaf = (kind: DiskPartKind): Block => ({
    colour: kind,
    name: partNames[kind],
    bytes: bytesOf(disk, kind),
    parts: [],
  });
  const group = (name: string, colour: string, kinds: readonly DiskPartKind[]): Block => {
    const parts = kinds.map(leaf).filter(({ bytes }) => bytes > 0);
    return { colour, name, bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0), parts };
  };
  return [
    group('pods', 'pods', ['rootfs', 'logs', 'emptydir', 'configmap', 'other']),
    leaf('images'),
    leaf('unattributed'),
    { colour: 'unknown', name: 'not known', bytes: disk.unknownBytes ?? 0, parts: [] },
    leaf('reserved'),
  ];
}

/** What may still be written until the kubelet evicts, and what it keeps free. */
function freeParts(free: number, { thresholdBytes, headroomBytes }: DiskReport): readonly Block[] {
  if (thresholdBytes === undefined || headroomBytes === undefined) return [];
  const headroom = Math.max(0, headroomBytes);
  return [
    { colour: 'headroom', name: 'headroom', bytes: headroom, parts: [] },
    { colour: 'threshold', name: 'kept free', bytes: free - headroom, parts: [] },
  ];
}

/** With where they start; those that have no place are left out. */
function drawn(
  blocks: readonly Block[],
  start: number,
  end: number,
): readonly { readonly start: number; readonly block: Block }[] {
  let at = start;
  return blocks.flatMap((block) => {
    const bytes = Math.min(block.bytes, end - at);
    if (bytes <= 0) return [];
    at += bytes;
    return [{ start: at - bytes, block: { ...block, bytes } }];
  });
}

type WidthOf = (bytes: number) => string;

/** Narrower ones have no place for their names. */
const minLabelledPercent = 7;

function labelOf(text: string, y: number, width: string): Markup | undefined {
  return Number.parseFloat(width) < minLabelledPercent ? undefined : markup`<text y="${y}">${text}</text>`;
}

function groupOf(start: number, { colour, name, bytes }: Block, scale: WidthOf): Markup {
  const text = `${name} ${formatBytes(bytes)}`;
  return markup`<svg x="${scale(start)}" width="${scale(bytes)}" height="${labelHeight + blockHeight}" aria-hidden="true"><title>${text}</title>${labelOf(text, 13, scale(bytes))}<rect class="f-${colour}" y="${labelHeight}" width="100%" height="${blockHeight}"/></svg>`;
}

function partOf(start: number, { colour, name, bytes }: Block, scale: WidthOf): Markup {
  const text = `${name} ${formatBytes(bytes)}`;
  return markup`<svg x="${scale(start)}" y="${labelHeight + blockHeight + 1}" width="${scale(bytes)}" height="${labelHeight + blockHeight}" aria-hidden="true"><title>${text}</title><rect class="f-${colour}" width="100%" height="${blockHeight}"/>${labelOf(text, blockHeight + 14, scale(bytes))}</svg>`;
}

function textOf(filesystem: string, blocks: ReturnType<typeof drawn>): string {
  return `${filesystem}: ${blocks.map(({ block: { name, bytes } }) => `${name} ${formatBytes(bytes)}`).join(', ')}`;
}
