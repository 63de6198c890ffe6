import { formatBytes } from '../../base/units.js';
import type { ClusterSummary } from '../../report/cluster-report.js';
import type { NodePressureReport } from '../../report/pressure-report.js';
import type { Ranked } from '../../report/ranked.js';
import { unreadPodsText } from '../../report/unread-pods-text.js';
import { isLastKnown, lastKnownChip, rowClass } from './last-known.js';
import { type Markup, markup, type MarkupContent } from './markup.js';
import { emptyText } from './panel.js';
import { countText, moreText } from './texts.js';

/** The nodes that are close to evicting pods, each with the pods that it would evict first. */
export function pressureTable(nodes: Ranked<NodePressureReport>, { absentNodeCount }: ClusterSummary): Markup {
  const unknown = absentNodeCount === 0 ? '' : ` Unknown: ${countText(absentNodeCount, 'node', 'nodes')} without data.`;
  if (nodes.items.length === 0) return emptyText(`No measured node is close to an eviction threshold.${unknown}`);
  return markup`<table class="stack dense" role="table"><caption class="visually-hidden">Nodes close to an eviction threshold</caption>
<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Node</th><th scope="col" role="columnheader">Available</th><th scope="col" role="columnheader">Above the threshold</th><th scope="col" role="columnheader">Evicted first</th></tr></thead>
<tbody role="rowgroup">${nodes.items.map(row)}</tbody></table>
${moreText(nodes, 'nodes close to an eviction threshold')}`;
}

function row(pressure: NodePressureReport): Markup {
  const { node, signal, available, headroom, isAssumed } = pressure;
  const threshold = pressure.thresholdBytes ?? pressure.thresholdInodes;
  const assumed = isAssumed
    ? markup` <span class="small muted" title="Set kubelet.readConfig to read it from the kubelet.">default of Kubernetes, assumed</span>`
    : undefined;
  const severity = headroom < 0 ? 't-critical' : 't-warning';
  const missing = headroom < 0 ? `${amountText(pressure, -headroom)} missing` : amountText(pressure, headroom);
  return markup`<tr role="row"${rowClass(pressure)}><th scope="row" role="rowheader"><span class="name">${node}</span> <span class="small muted">${signal}</span>${lastKnownChip(pressure)}</th>
<td role="cell" class="low" data-label="Available">${amountText(pressure, available)}, threshold ${amountText(pressure, threshold)}${assumed}</td>
<td role="cell" class="low" data-label="Above the threshold"><span class="${isLastKnown(pressure) ? '' : severity}">${missing}</span></td>
<td role="cell" class="wide">${victimsOf(pressure)}</td></tr>`;
}

function victimsOf({ victims = [], unreadPodCount }: NodePressureReport): MarkupContent {
  if (unreadPodCount !== undefined)
    return markup`<span class="small muted">unknown: ${unreadPodsText(unreadPodCount)}</span>`;
  if (victims.length === 0) return 'no pod';
  return markup`<ol>${victims.map(
    ({ rank, namespace, pod }) => markup`<li>${rank}. <span class="name">${namespace}/${pod}</span></li>`,
  )}</ol>`;
}

function amountText({ thresholdInodes }: NodePressureReport, amount: number | undefined): string {
  return thresholdInodes === undefined ? formatBytes(amount) : `${amount ?? '-'} inodes`;
}
