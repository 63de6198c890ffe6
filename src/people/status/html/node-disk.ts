import { formatCount } from '../../../lib/base/text.js';
import { formatAge, formatBytes, formatPercent } from '../../../lib/base/units.js';
import type { DiskPart, DiskReport } from '../../report/disk-report.js';
import type { FilesystemReport } from '../../report/filesystem-report.js';
import { imageTexts } from '../../report/image-texts.js';
import type { NodeObject } from '../views.js';
import { dataTable, emptyText, panel } from './components.js';
import { diskIcicle, partNames } from './disk-icicle.js';
import { type Markup, markup } from './markup.js';
import { isWordOf, limitSeverity, severityClass, term } from './texts.js';

/** What each filesystem of the node holds, drawn and to the byte. */
export function nodeDisk(data: NodeObject): Markup {
  return panel({
    id: 'disk',
    title: 'Disk',
    aside: markup`<p class="small muted">the parts add up to the capacity, to the byte; ${term('unattributed', 'other')}: not pods, not ${term('images')}</p>`,
    body: data.disks.length === 0 ? emptyText(withoutDiskText(data)) : disksPart(data),
  });
}

function withoutDiskText({ node }: NodeObject): string {
  if (node.state === 'absent') return 'Not known: no summary of its kubelet was read since the exporter started.';
  return node.filesystems.length === 0
    ? 'The kubelet reports no filesystem.'
    : 'Not known: the disk of the host has pods that are not of this virtual cluster.';
}

function disksPart({ node, disks }: NodeObject): Markup {
  if (node.state !== 'absent') {
    const images = node.images && markup`<p class="small muted">${imageTexts(node.images).join(' ')}</p>`;
    return markup`${disks.map((disk) => diskPart(disk, node.filesystems))}${images}`;
  }
  const { dataAgeMs, filesystems = [] } = node.lastKnown ?? {};
  return markup`<p class="t-warning">Last known, ${formatAge(dataAgeMs)} ago. What the disk holds now is not known.</p>
<div class="last-known">${disks.map((disk) => diskPart(disk, filesystems))}</div>`;
}

function diskPart(disk: DiskReport, filesystems: readonly FilesystemReport[]): Markup {
  const { filesystem, capacityBytes, parts } = disk;
  const report = filesystems.find((of) => of.filesystem === filesystem);
  const full = report?.fullRatio;
  const rows = [
    ...parts.map((part) => partRow(part, capacityBytes)),
    ...unknownRow(disk),
    markup`<tr role="row" class="sum"><th scope="row" role="rowheader">capacity</th>${amountCells(capacityBytes, capacityBytes)}</tr>`,
  ];
  return markup`<div class="disk"><h3>${term(filesystem)} <span class="${severityClass(limitSeverity(full ?? 0))}">${formatPercent(full)} full</span> <span class="small muted">${thresholdText(disk)}</span></h3>
${diskIcicle(disk)}${countedTwice(disk)}
${dataTable('stack dense parts', `Parts of ${filesystem}`, { Part: 'text', Size: 'number', Bytes: 'number', 'Of capacity': 'number' }, rows)}${report && inodesPart(report)}</div>`;
}

function thresholdText({ thresholdBytes, headroomBytes, isAssumed }: DiskReport): string {
  if (thresholdBytes === undefined) return 'no eviction threshold in bytes is known';
  const assumed = isAssumed === true ? ', assumed' : '';
  const headroom =
    headroomBytes === undefined
      ? 'headroom unknown'
      : headroomBytes < 0
        ? `${formatBytes(-headroomBytes)} missing to the threshold`
        : `headroom ${formatBytes(headroomBytes)}`;
  return `${headroom}; evictions below ${formatBytes(thresholdBytes)} free${assumed}`;
}

function partRow({ kind, bytes }: DiskPart, capacityBytes: number | undefined): Markup {
  const name = isWordOf(kind) ? term(kind, partNames[kind]) : partNames[kind];
  const ofPods = ['rootfs', 'logs', 'emptydir', 'configmap', 'other'].includes(kind);
  return markup`<tr role="row"><th scope="row" role="rowheader">${swatch(kind)}${ofPods ? markup`<span class="muted">pods:</span> ` : undefined}${name}</th>${amountCells(bytes, capacityBytes)}</tr>`;
}

function unknownRow({ unknownBytes, capacityBytes }: DiskReport): readonly Markup[] {
  if (unknownBytes === undefined) return [];
  return [
    markup`<tr role="row"><th scope="row" role="rowheader">${swatch('unknown')}those not known, together</th>${amountCells(unknownBytes, capacityBytes)}</tr>`,
  ];
}

function amountCells(bytes: number | undefined, capacityBytes: number | undefined): Markup {
  const share = bytes === undefined || !capacityBytes ? undefined : bytes / capacityBytes;
  const size = bytes === undefined ? markup`<span class="muted">not known</span>` : formatBytes(bytes);
  return markup`<td role="cell" class="number">${size}</td><td role="cell" class="number low" data-label="Bytes">${formatCount(bytes)}</td><td role="cell" class="number low" data-label="Of capacity">${shareText(share)}</td>`;
}

function shareText(share: number | undefined): string {
  return share === undefined ? '-' : `${(share * 100).toFixed(1)} %`;
}

function swatch(colour: string): Markup {
  return markup`<svg class="swatch" width="12" height="12" aria-hidden="true"><rect class="f-${colour}" width="12" height="12" rx="2"/></svg>`;
}

/** Layers that the runtime counts for each image: then the parts of pods and images are more than the disk holds. */
function countedTwice({ parts }: DiskReport): Markup | undefined {
  const bytes = parts.find(({ kind }) => kind === 'unattributed')?.bytes ?? 0;
  return bytes >= 0
    ? undefined
    : markup`<p class="small t-warning">Pods and images together have ${formatBytes(-bytes)} more than is used: the kubelet or the runtime counts something several times. The drawing is cut off there, and how much is other is not known.</p>`;
}

function inodesPart({ inodes, inodesFree, inodesFullRatio: ratio }: FilesystemReport): Markup | undefined {
  if (ratio === undefined) return undefined;
  return markup`<p class="small">inodes <span class="${severityClass(limitSeverity(ratio))}">${formatPercent(ratio)} used</span>: ${formatCount(inodesFree)} free of ${formatCount(inodes)}</p>`;
}
