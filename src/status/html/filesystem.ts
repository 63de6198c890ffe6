import { formatBytes } from '../../base/units.js';
import { type FilesystemReport, fullRatio } from '../../report/filesystem-report.js';
import type { MeasuredNodeReport } from '../../report/node-report.js';
import { bar, type Segment } from './bar.js';
import { type Markup, markup } from './markup.js';
import { percentText } from './texts.js';

/** Each filesystem once: when imagefs is the same as nodefs, its images are a part of nodefs' bar. */
export function filesystems({ filesystems: all }: MeasuredNodeReport): readonly Markup[] {
  return all
    .filter(({ sameAs }) => sameAs === undefined)
    .map((filesystem) => filesystemOf(filesystem, imagesOf(filesystem, all)));
}

function imagesOf({ filesystem }: FilesystemReport, all: readonly FilesystemReport[]): number | undefined {
  if (filesystem !== 'nodefs') return undefined;
  return all.find((other) => other.filesystem === 'imagefs' && other.sameAs === 'nodefs')?.usedBytes;
}

function filesystemOf(filesystem: FilesystemReport, imagesBytes: number | undefined): Markup {
  const { filesystem: name, capacityBytes, availableBytes, fullRatio: full, inodesFullRatio } = filesystem;
  const segments = segmentsOf(filesystem, imagesBytes);
  const parts = segments.map(({ label }) => label).join(' · ');
  const isFull = (full ?? 0) >= fullRatio;
  return markup`<div class="filesystem"><div class="row small"><span>${name} <span class="${isFull ? 't-warning' : ''}">${percentText(full)} full</span></span><span>${formatBytes(availableBytes)} free of ${formatBytes(capacityBytes)}</span></div>
${capacityBytes === undefined ? undefined : bar({ segments, marks: marksOf(filesystem, capacityBytes), scale: capacityBytes, text: `${name} ${percentText(full)} full: ${parts}` })}
<div class="row small muted"><span>${parts}</span>${inodesText(inodesFullRatio)}</div></div>`;
}

/**
 * The segments together never exceed the occupied bytes: runtimes count writable layers as images too, and some count
 * shared image layers several times.
 */
function segmentsOf(filesystem: FilesystemReport, imagesBytes: number | undefined): readonly Segment[] {
  const { filesystem: name, usedBytes, capacityBytes, availableBytes, podsUsedBytes } = filesystem;
  const occupiedBytes =
    capacityBytes === undefined || availableBytes === undefined ? usedBytes : capacityBytes - availableBytes;
  const known: readonly (readonly [colour: string, what: string, bytes: number | undefined])[] =
    name === 'nodefs'
      ? [
          ['pods', 'pods', podsUsedBytes],
          ['images', 'images', imagesBytes],
        ]
      : [['images', name === 'imagefs' ? 'images' : 'layers', usedBytes]];
  const knownBytes = known.reduce((sum, [, , bytes]) => sum + (bytes ?? 0), 0);
  let remainingBytes = occupiedBytes ?? Infinity;
  return [...known, ['other', 'other', Math.max(0, (occupiedBytes ?? 0) - knownBytes)] as const].flatMap(
    ([colour, what, bytes]) => {
      if (bytes === undefined || bytes === 0) return [];
      const amount = Math.min(bytes, remainingBytes);
      remainingBytes -= amount;
      return [{ colour, label: `${what} ${formatBytes(bytes)}`, amount }];
    },
  );
}

function marksOf(
  { evictionThresholdBytes: bytes }: FilesystemReport,
  capacityBytes: number,
): Parameters<typeof bar>[0]['marks'] & object {
  return bytes === undefined
    ? []
    : [{ kind: 'limit', label: `evictions below ${formatBytes(bytes)} free`, amount: capacityBytes - bytes }];
}

function inodesText(ratio: number | undefined): Markup | undefined {
  if (ratio === undefined) return undefined;
  return markup`<span class="${ratio >= fullRatio ? 't-warning' : ''}">inodes ${percentText(ratio)}</span>`;
}
