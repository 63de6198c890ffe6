import type { Ranked } from '../../../lib/base/ranking.js';
import { formatCount } from '../../../lib/base/text.js';
import { formatAge, formatBytes, formatForecast, formatPercent } from '../../../lib/base/units.js';
import { dataTable, emptyText, panel, toneClass } from '../../pens/html-kit.js';
import { type Markup, markup, type MarkupContent } from '../../pens/markup.js';
import type { ClusterReport, ClusterSummary } from '../../report/cluster-report.js';
import { limitText, limitThresholds } from '../../report/limit-report.js';
import { isLastKnown } from '../../report/pod-report.js';
import type { NodePressureReport } from '../../report/pressure-report.js';
import { type PodLimitReport, shownRatio } from '../../report/ranked-pods.js';
import { signalAmount, unreadPodsText } from '../../report/signal-report.js';
import { referenceName } from '../problem-texts.js';
import type { Links } from './links.js';
import { countText, lastKnownChip, moreText, podChip, ratioSeverity, rowClass, unenforcedText } from './texts.js';

/** The others are in the lists. */
const shownLimitCount = 4;
const shownNodeCount = 3;

/** The pods that kubelets may evict next: those near a limit of theirs, and the first ones on nodes near a threshold. */
export function nextEvictions(cluster: ClusterReport | undefined, links: Links): Markup {
  return panel({
    id: 'next-evictions',
    title: 'Next to be evicted',
    aside: links.list('pods', {}, 'all pods'),
    body: cluster === undefined ? undefined : bodyOf(cluster, links),
  });
}

function bodyOf({ pressure, ...report }: ClusterReport, links: Links): Markup {
  return markup`${nextText(report.limits, pressure, links)}<h3>For their own limits <span class="small muted">a kubelet evicts a pod that exceeds one</span></h3>
${limitTable(report, links)}
<h3>Under node pressure <span class="small muted">one pod after another, below a threshold</span></h3>
${pressureTable(pressure, report.summary, links)}`;
}

/** Returns what comes first, pod or node, by the forecasts; undefined without one. */
function nextText(
  limits: ClusterReport['limits'],
  pressure: ClusterReport['pressure'],
  links: Links,
): Markup | undefined {
  const pods = limits.items.flatMap((limit) =>
    limit.timeToLimitMs === undefined
      ? []
      : [{ timeMs: limit.timeToLimitMs, text: podText(limit, links), isAbove: limit.ratio >= limitThresholds.reached }],
  );
  const nodes = pressure.items.flatMap((node) =>
    node.timeToEvictionMs === undefined || node.victims?.length === 0
      ? []
      : [{ timeMs: node.timeToEvictionMs, text: nodeText(node, links), isAbove: (node.headroom ?? 0) < 0 }],
  );
  const [next] = [...pods, ...nodes].sort((a, b) => a.timeMs - b.timeMs);
  if (next === undefined) return undefined;
  const { timeMs, text, isAbove } = next;
  const when = timeMs > 0 ? `in ${formatForecast(timeMs)}` : isAbove ? 'now' : 'at any moment';
  const note = isAbove ? undefined : markup` <span class="small muted">at its present growth</span>`;
  return markup`<p><strong>Next: ${text} ${when}</strong>${note}</p>
`;
}

/** Below a soft threshold, its grace period is what is left. */
function nodeText({ node, signal, headroom = 0 }: NodePressureReport, links: Links): Markup {
  const name = markup`node ${links.node(node)}`;
  return headroom < 0
    ? markup`${name} is below its threshold of ${signal} and evicts pods`
    : markup`${name} crosses its threshold of ${signal}`;
}

function podText(limit: PodLimitReport, links: Links): Markup {
  const { rule } = limit;
  const what = rule === 'pod' ? 'its limit' : markup`the limit of ${ruleText(limit)}`;
  return markup`pod ${links.pod(limit)} exceeds ${what}`;
}

function limitTable({ limits, summary }: Pick<ClusterReport, 'limits' | 'summary'>, links: Links): Markup {
  if (limits.items.length === 0) return emptyText(noLimitText(summary));
  const shown = limits.items.slice(0, shownLimitCount);
  const table = dataTable(
    'stack dense brief small',
    'Pods nearest to a limit, by workload',
    { Pods: 'text', 'Used of limit': 'number', Ratio: 'number' },
    shown.map((limit) => limitRow(limit, links)),
  );
  const what = `of the workloads and bare pods from ${shownRatio * 100} % of a limit on`;
  return markup`${table}
${moreText({ items: shown, totalCount: limits.totalCount }, what, markup`; ${links.list('pods', { only: 'near' }, 'all pods near a limit')}`)}${unknownText(summary)}`;
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

function limitRow(limit: PodLimitReport, links: Links): Markup {
  const { usedBytes, ratio } = limit;
  const severity = isLastKnown(limit) ? 'unknown' : ratioSeverity(limit);
  return markup`<tr role="row"${rowClass(limit)}><th scope="row" role="rowheader">${podsText(limit, links)}${ageChip(limit)}</th>
<td role="cell" class="low number" data-label="Used">${formatBytes(usedBytes)} of ${limitText(limit)} <span class="small muted">${ruleText(limit)}</span>${partMark(limit)}</td>
<td role="cell" class="number"><span class="${toneClass(severity)}">${formatPercent(ratio)}</span>${timeNote('limit', limit.timeToLimitMs)}</td></tr>`;
}

/** Why a node has no data is said above. */
function ageChip(limit: PodLimitReport): Markup | undefined {
  return limit.dataState === 'absent'
    ? markup` <span class="chip plain">last known ${formatAge(limit.dataAgeMs)} ago</span>`
    : podChip(limit);
}

/** A pod, or those of one workload with the soonest of them. */
function podsText(limit: PodLimitReport, links: Links): Markup {
  const { workload, podCount, node } = limit;
  const on = node === undefined ? undefined : markup` <span class="small muted">on</span> ${links.node(node)}`;
  if (workload === undefined || podCount === 1) return markup`${links.pod(limit)}${on}`;
  const name = referenceName(workload);
  return markup`${links.workload(workload, name)} <span class="small">${formatCount(podCount)} pods, first ${links.pod(limit, limit.pod)}</span>`;
}

/** Only a part of what is written is compared: the rest is not seen. */
function partMark({ unenforced }: PodLimitReport): Markup | undefined {
  return unenforced === undefined ? undefined : markup` <span class="chip plain">${unenforcedText(unenforced)}</span>`;
}

function timeNote(what: string, timeMs: number | undefined): Markup | undefined {
  if (timeMs === undefined || timeMs === 0) return undefined;
  return markup` <span class="small muted">${what} in ${formatForecast(timeMs)}</span>`;
}

function ruleText({ rule, container, volume }: PodLimitReport): Markup {
  const what = rule === 'emptydir' ? 'emptyDir' : rule;
  return markup`${what} <span class="name">${container ?? volume}</span>`;
}

/** The nodes that are close to evicting pods, each with the pods that it would evict first. */
function pressureTable(nodes: Ranked<NodePressureReport>, summary: ClusterSummary, links: Links): Markup {
  const unknownCount = summary.absentNodeCount + summary.unknownPressureNodeCount;
  const unknown = unknownCount === 0 ? '' : ` Unknown: ${countText(unknownCount, 'node', 'nodes')}.`;
  if (nodes.items.length === 0) return emptyText(`No measured node is close to an eviction threshold.${unknown}`);
  const shown = nodes.items.slice(0, shownNodeCount);
  const table = dataTable(
    'stack dense brief small of-nodes',
    'Nodes close to an eviction threshold',
    { Node: 'text', 'From its threshold': 'text' },
    shown.map((node) => pressureRow(node, links)),
  );
  return markup`${table}
${moreText({ items: shown, totalCount: nodes.totalCount }, 'nodes close to an eviction threshold', markup`: ${links.list('nodes', { only: 'near' }, 'all of them')}`)}`;
}

function pressureRow(pressure: NodePressureReport, links: Links): Markup {
  const { node, signal, headroom = 0, isAssumed, timeToEvictionMs } = pressure;
  const threshold = pressure.thresholdBytes ?? pressure.thresholdInodes;
  const severity = isLastKnown(pressure) ? '' : headroom < 0 ? 't-critical' : 't-warning';
  const place =
    pressure.headroom === undefined
      ? 'at an unknown distance from'
      : `${signalAmount(signal, Math.abs(headroom))} ${headroom < 0 ? 'below' : 'above'}`;
  const assumed = isAssumed ? ' (assumed)' : '';
  const time = headroom < 0 || timeToEvictionMs === undefined ? '' : `, reached in ${formatForecast(timeToEvictionMs)}`;
  return markup`<tr role="row"${rowClass(pressure)}><th scope="row" role="rowheader">${links.node(node)} <span class="small muted">${signal}</span>${lastKnownChip(pressure)}</th>
<td role="cell" class="wide"><span class="${severity}">${place}</span> <span class="muted">its threshold of ${signalAmount(signal, threshold)}${assumed}${time};</span> ${victimsOf(pressure, links)}</td></tr>`;
}

function victimsOf({ victims, unreadPodCount, headroom }: NodePressureReport, links: Links): MarkupContent {
  if (unreadPodCount !== undefined)
    return markup`<span class="small muted">unknown: ${unreadPodsText(unreadPodCount)}</span>`;
  if (headroom === undefined) return 'may be evicting now';
  if (victims === undefined)
    return markup`<span class="muted">evicts nobody now: DiskPressure is left from a shortage</span>`;
  const [first] = victims;
  if (first === undefined) return 'no pod';
  return markup`<span class="muted">evicts</span> ${links.pod(first)}${victims.length === 1 ? undefined : markup` <span class="muted">first</span>`}`;
}
