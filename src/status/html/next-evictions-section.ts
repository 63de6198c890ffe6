import type { Ranked } from '../../base/ranking.js';
import { formatAge, formatBytes } from '../../base/units.js';
import type { ClusterReport, ClusterSummary } from '../../report/cluster-report.js';
import type { NodePressureReport } from '../../report/pressure-report.js';
import { type PodLimitReport, shownRatio } from '../../report/ranked-pods.js';
import { unreadPodsText } from '../../report/signal-report.js';
import { bar } from './bar.js';
import { dataTable, emptyText, panel } from './components.js';
import { type Markup, markup, type MarkupContent } from './markup.js';
import {
  countText,
  isLastKnown,
  lastKnownChip,
  moreText,
  percentText,
  podChip,
  ratioSeverity,
  rowClass,
  severityClass,
  unenforcedText,
} from './texts.js';

const minuteMs = 60_000;

/** The pods that kubelets may evict next: those near a limit of theirs, and the first ones on nodes near a threshold. */
export function nextEvictions(cluster: ClusterReport | undefined): Markup {
  return panel({
    id: 'next-evictions',
    title: 'Next to be evicted',
    body: cluster === undefined ? undefined : bodyOf(cluster),
  });
}

function bodyOf({ pressure, ...report }: ClusterReport): Markup {
  return markup`${nextText(report.limits, pressure)}<h3>For their own limits <span class="small muted">the kubelet evicts a pod that exceeds any of its limits</span></h3>
${limitTable(report)}
<h3>Under node pressure <span class="small muted">the kubelet evicts one pod after another while its node is below a threshold</span></h3>
${pressureTable(pressure, report.summary)}`;
}

/** Returns what comes first, pod or node, by the forecasts; undefined without one. */
function nextText(limits: ClusterReport['limits'], pressure: ClusterReport['pressure']): Markup | undefined {
  const pods = limits.items.flatMap((limit) =>
    limit.timeToLimitMs === undefined
      ? []
      : [{ timeMs: limit.timeToLimitMs, text: podText(limit), isAbove: limit.timeToLimitMs === 0 }],
  );
  const nodes = pressure.items.flatMap((node) =>
    node.timeToEvictionMs === undefined
      ? []
      : [{ timeMs: node.timeToEvictionMs, text: nodeText(node), isAbove: node.headroom < 0 }],
  );
  const [next] = [...pods, ...nodes].sort((a, b) => a.timeMs - b.timeMs);
  if (next === undefined) return undefined;
  const { timeMs, text, isAbove } = next;
  const when = timeMs === 0 ? 'now' : `in ${formatAge(roughly(timeMs))}`;
  const note = isAbove ? undefined : markup` <span class="small muted">at its present growth</span>`;
  return markup`<p><strong>Next: ${text} ${when}</strong>${note}</p>
`;
}

/** Below a soft threshold, its grace period is what is left. */
function nodeText({ node, signal, headroom }: NodePressureReport): Markup {
  const name = markup`node <span class="name">${node}</span>`;
  return headroom < 0
    ? markup`${name} is below its threshold of ${signal} and evicts pods`
    : markup`${name} crosses its threshold of ${signal}`;
}

function podText(limit: PodLimitReport): Markup {
  const { namespace, pod, rule } = limit;
  const what = rule === 'pod' ? 'its limit' : markup`the limit of ${ruleText(limit)}`;
  return markup`pod <span class="name">${namespace}/${pod}</span> exceeds ${what}`;
}

function limitTable({ limits, summary }: Pick<ClusterReport, 'limits' | 'summary'>): Markup {
  if (limits.items.length === 0) {
    return emptyText(noLimitText(summary));
  }
  const scale = scaleOf(limits.items);
  const table = dataTable(
    'stack dense',
    'Pods nearest to a limit',
    {
      Pod: 'text',
      'Limit of': 'text',
      'Used; the mark is the limit': 'text',
      'Used of limit': 'number',
      Ratio: 'number',
    },
    limits.items.map((limit) => limitRow(limit, scale)),
  );
  return markup`${table}
${moreText(limits, `pods from ${shownRatio * 100} % of a limit on`)}${unknownText(summary)}`;
}

function noLimitText(summary: ClusterSummary): string {
  const unknown = unknownLimitsText(summary);
  return unknown === '' ? noKnownLimitText(summary) : `${noKnownLimitText(summary)} ${unknown}`;
}

function unknownText(summary: ClusterSummary): Markup | undefined {
  const text = unknownLimitsText(summary);
  return text === '' ? undefined : markup`<p class="more">${text}</p>`;
}

/** '' when all is known. */
function unknownLimitsText({ unknownLimitPodCount: count }: ClusterSummary): string {
  return count === 0 ? '' : `Unknown: the usage of ${countText(count, 'pod', 'pods')} with limits.`;
}

function noKnownLimitText({ podCount, limitCount, pendingPodCount }: ClusterSummary): string {
  if (podCount === 0) return 'No pods are measured yet.';
  if (limitCount === 0 && pendingPodCount === 0) return 'No measured pod declares an ephemeral storage limit.';
  return `No measured pod has reached ${shownRatio * 100} % of a limit.`;
}

/** Space beyond the limit for pods that exceed it, capped so that the other bars stay readable. */
function scaleOf(limits: readonly PodLimitReport[]): number {
  const highest = Math.max(...limits.map(({ ratio }) => ratio));
  return Math.min(Math.max(highest, 1.1), 2);
}

function limitRow(limit: PodLimitReport, scale: number): Markup {
  const { namespace, pod, node, usedBytes, limitBytes, ratio } = limit;
  const severity = isLastKnown(limit) ? 'unknown' : ratioSeverity(limit);
  const text = `${percentText(ratio)} of the limit`;
  const overBytes = usedBytes - limitBytes;
  return markup`<tr role="row"${rowClass(limit)}><th scope="row" role="rowheader"><span class="name">${namespace}/${pod}</span> <span class="small muted">${node}</span>${podChip(limit)}</th>
<td role="cell" class="low" data-label="Limit of">${ruleText(limit)}${partMark(limit)}</td>
<td role="cell" class="wide bar-cell">${bar({
    segments: [{ colour: `${severity}-bar`, label: text, amount: Math.min(ratio, scale) }],
    marks: [{ kind: 'limit', label: `limit ${formatBytes(limitBytes)}`, amount: 1 }],
    scale,
    text,
  })}</td>
<td role="cell" class="low number" data-label="Used">${formatBytes(usedBytes)} of ${formatBytes(limitBytes)}${overBytes > 0 ? markup`<br> <span class="small ${severityClass(severity)}">${formatBytes(overBytes)} over</span>` : undefined}</td>
<td role="cell" class="number"><span class="${severityClass(severity)}">${percentText(ratio)}</span>${timeText(limit)}</td></tr>`;
}

function timeText({ timeToLimitMs }: PodLimitReport): Markup | undefined {
  return timeToLimitMs === undefined || timeToLimitMs === 0 ? undefined : timeNote('limit', timeToLimitMs);
}

/** Only a part of what is written is compared: the rest is not seen. */
function partMark({ unenforced }: PodLimitReport): Markup | undefined {
  return unenforced === undefined ? undefined : markup` <span class="chip plain">${unenforcedText(unenforced)}</span>`;
}

function timeNote(what: string, timeMs: number): Markup {
  return markup`<br> <span class="small muted" title="At the present growth">${what} in ${formatAge(roughly(timeMs))}</span>`;
}

/** Returns whole minutes, below three of them steps of ten seconds: growth is no clock. */
function roughly(timeMs: number): number {
  const stepMs = timeMs < 3 * minuteMs ? 10_000 : minuteMs;
  return Math.max(1, Math.round(timeMs / stepMs)) * stepMs;
}

function ruleText({ rule, container, volume }: PodLimitReport): Markup {
  const what = rule === 'emptydir' ? 'emptyDir' : rule;
  return markup`${what} <span class="name">${container ?? volume}</span>`;
}

/** The nodes that are close to evicting pods, each with the pods that it would evict first. */
function pressureTable(nodes: Ranked<NodePressureReport>, { absentNodeCount }: ClusterSummary): Markup {
  const unknown = absentNodeCount === 0 ? '' : ` Unknown: ${countText(absentNodeCount, 'node', 'nodes')} without data.`;
  if (nodes.items.length === 0) return emptyText(`No measured node is close to an eviction threshold.${unknown}`);
  const table = dataTable(
    'stack dense',
    'Nodes close to an eviction threshold',
    { Node: 'text', Available: 'text', 'Above the threshold': 'text', 'Evicted first': 'text' },
    nodes.items.map(pressureRow),
  );
  return markup`${table}
${moreText(nodes, 'nodes close to an eviction threshold')}`;
}

function pressureRow(pressure: NodePressureReport): Markup {
  const { node, signal, available, headroom, isAssumed, timeToEvictionMs } = pressure;
  const threshold = pressure.thresholdBytes ?? pressure.thresholdInodes;
  const assumed = isAssumed
    ? markup` <span class="small muted" title="Set kubelet.readConfig to read it from the kubelet.">default of Kubernetes, assumed</span>`
    : undefined;
  const severity = headroom < 0 ? 't-critical' : 't-warning';
  const missing = headroom < 0 ? `${amountText(pressure, -headroom)} missing` : amountText(pressure, headroom);
  const time = headroom < 0 || timeToEvictionMs === undefined ? undefined : timeNote('threshold', timeToEvictionMs);
  return markup`<tr role="row"${rowClass(pressure)}><th scope="row" role="rowheader"><span class="name">${node}</span> <span class="small muted">${signal}</span>${lastKnownChip(pressure)}</th>
<td role="cell" class="low" data-label="Available">${amountText(pressure, available)}, threshold ${amountText(pressure, threshold)}${assumed}</td>
<td role="cell" class="low" data-label="Above the threshold"><span class="${isLastKnown(pressure) ? '' : severity}">${missing}</span>${time}</td>
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
