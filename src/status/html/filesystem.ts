import { formatBytes } from '../../base/units.js';
import type { FilesystemReport } from '../../report/filesystem-report.js';
import { bar, type Segment } from './bar.js';
import { type Markup, markup } from './markup.js';
import { term } from './terms.js';
import { limitSeverity, percentText, severityClass } from './texts.js';

/** Each filesystem once, with whose bytes it holds. */
export function filesystems({
  filesystems: all,
}: {
  readonly filesystems: readonly FilesystemReport[];
}): readonly Markup[] {
  return all.filter(({ sameAs }) => sameAs === undefined).map(filesystemOf);
}

function filesystemOf(filesystem: FilesystemReport): Markup {
  const { filesystem: name, capacityBytes, availableBytes, fullRatio: full, inodesFullRatio } = filesystem;
  const segments = segmentsOf(filesystem);
  const parts = segments.map(({ label }) => label).join(' · ');
  return markup`<div class="filesystem"><div class="row small"><span>${term(name)} <span class="${severityClass(limitSeverity(full ?? 0))}">${percentText(full)} full</span></span><span>${formatBytes(availableBytes)} free of ${formatBytes(capacityBytes)}</span></div>
${capacityBytes === undefined ? undefined : bar({ segments, marks: marksOf(filesystem, capacityBytes), scale: capacityBytes, text: `${name} ${percentText(full)} full: ${parts}` })}
<div class="row small muted"><span>${parts}</span>${inodesText(inodesFullRatio)}</div></div>`;
}

/**
 * The segments together never exceed the occupied bytes: a runtime may count bytes of images several times, and then
 * less than nothing is left over.
 */
function segmentsOf({ usedBytes, capacityBytes, availableBytes, ...owners }: FilesystemReport): readonly Segment[] {
  const { podsUsedBytes, imagesUsedBytes, unattributedBytes } = owners;
  const isKnown = capacityBytes !== undefined && availableBytes !== undefined;
  let remainingBytes = (isKnown ? capacityBytes - availableBytes : usedBytes) ?? Infinity;
  const all = [
    ['pods', 'pods', podsUsedBytes],
    ['images', 'images', imagesUsedBytes],
    ['other', 'neither', unattributedBytes],
  ] as const;
  return all.flatMap(([colour, what, bytes = 0]) => {
    if (bytes <= 0) return [];
    const amount = Math.min(bytes, remainingBytes);
    remainingBytes -= amount;
    return [{ colour, label: `${what} ${formatBytes(bytes)}`, amount }];
  });
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
  return markup`<span class="${severityClass(limitSeverity(ratio))}">inodes ${percentText(ratio)}</span>`;
}
