import { formatCount } from '../../base/text.js';
import { formatAge, formatBytes, formatPercent } from '../../base/units.js';
import { type Derivation, fullDerivation, inodesDerivation, partDerivation } from '../../report/disk-derivation.js';
import type { DiskPart, DiskReport } from '../../report/disk-report.js';
import type { FilesystemReport } from '../../report/filesystem-report.js';
import { imageTexts } from '../../report/image-texts.js';
import type { NodeObject } from '../views.js';
import { dataTable, emptyText, panel } from './components.js';
import { diskIcicle, partNames } from './disk-icicle.js';
import { type Markup, markup, type MarkupContent } from './markup.js';
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
  return node.state === 'absent'
    ? 'Not known: no summary of its kubelet was read since the exporter started.'
    : 'The kubelet reports no filesystem.';
}

function disksPart({ node, disks }: NodeObject): Markup {
  if (node.state !== 'absent') {
    const images = node.images && markup`<p class="small muted">${imageTexts(node.images).join(' ')}</p>`;
    return markup`${disks.map((disk) => diskPart(disk, node.node, node.filesystems))}${images}`;
  }
  const { dataAgeMs, filesystems = [] } = node.lastKnown ?? {};
  return markup`<p class="t-warning">Last known, ${formatAge(dataAgeMs)} ago. What the disk holds now is not known.</p>
<div class="last-known">${disks.map((disk) => diskPart(disk, node.node, filesystems))}</div>`;
}

function diskPart(disk: DiskReport, node: string, filesystems: readonly FilesystemReport[]): Markup {
  const { filesystem, capacityBytes, parts } = disk;
  const report = filesystems.find((of) => of.filesystem === filesystem);
  const full = report?.fullRatio;
  const rows = [
    ...parts.map((part) => partRow(part, disk, node)),
    ...unknownRow(disk),
    markup`<tr role="row" class="sum"><th scope="row" role="rowheader">capacity</th>${amountCells(capacityBytes, capacityBytes)}<td role="cell" class="wide"></td></tr>`,
  ];
  return markup`<div class="disk"><h3>${term(filesystem)} <span class="${severityClass(limitSeverity(full ?? 0))}">${formatPercent(full)} full</span> <span class="small muted">${thresholdText(disk)}</span></h3>
${diskIcicle(disk)}${countedTwice(disk)}
${dataTable('stack dense parts', `Parts of ${filesystem}`, { Part: 'text', Size: 'number', Bytes: 'number', 'Of capacity': 'number', 'How it comes about': 'text' }, rows)}
<div class="sums small"><div>${formatPercent(full)} full ${derivation(`${filesystem}-full`, fullDerivation(disk, node), 'how full')}</div>${report === undefined ? undefined : inodesPart(report, node)}</div></div>`;
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

function partRow({ kind, bytes }: DiskPart, disk: DiskReport, node: string): Markup {
  const { filesystem, capacityBytes } = disk;
  const name = isWordOf(kind) ? term(kind, partNames[kind]) : partNames[kind];
  const ofPods = ['rootfs', 'logs', 'emptydir', 'configmap', 'other'].includes(kind);
  return markup`<tr role="row"><th scope="row" role="rowheader">${swatch(kind)}${ofPods ? markup`<span class="muted">pods:</span> ` : undefined}${name}</th>${amountCells(bytes, capacityBytes)}<td role="cell" class="wide">${derivation(`${filesystem}-${kind}`, partDerivation(kind, disk, node), partNames[kind])}</td></tr>`;
}

function unknownRow({ unknownBytes, capacityBytes }: DiskReport): readonly Markup[] {
  if (unknownBytes === undefined) return [];
  return [
    markup`<tr role="row"><th scope="row" role="rowheader">${swatch('unknown')}those not known, together</th>${amountCells(unknownBytes, capacityBytes)}<td role="cell" class="wide"></td></tr>`,
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

function inodesPart(report: FilesystemReport, node: string): Markup | undefined {
  const { filesystem, inodes, inodesFree, inodesFullRatio: ratio } = report;
  if (ratio === undefined) return undefined;
  return markup`<div>inodes <span class="${severityClass(limitSeverity(ratio))}">${formatPercent(ratio)} used</span>: ${formatCount(inodesFree)} free of ${formatCount(inodes)} ${derivation(`${filesystem}-inodes`, inodesDerivation(report, node), 'inodes')}</div>`;
}

/** How a figure comes about, and the PromQL that gives it. `what`: for those who do not see where it is. */
export function derivation(id: string, { text, query }: Derivation, what: MarkupContent): Markup {
  return markup`<details id="how-${id}" class="how small"><summary data-key="how-${id}">Arithmetic and PromQL<span class="visually-hidden"> of ${what}</span></summary><p>${text}</p>${query === undefined ? undefined : markup`<p class="commands"><code>${query}</code></p>`}</details>`;
}
