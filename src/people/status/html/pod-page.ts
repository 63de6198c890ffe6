import { mostSpecific } from '../../../facts/workload/workload.js';
import { formatCount } from '../../../lib/base/text.js';
import { formatAge, formatBytes, formatForecast } from '../../../lib/base/units.js';
import type { Tone } from '../../pens/document.js';
import { dataTable, emptyText, panel, timePart } from '../../pens/html-kit.js';
import { type Markup, markup, type MarkupContent } from '../../pens/markup.js';
import type { MeasuredPodWithOutlook, PodWithOutlook } from '../../query/pod-outlook.js';
import { nearestBinding } from '../../report/limit-report.js';
import { grewText, growthWithoutForecast } from '../../report/pod-growth.js';
import { evictedVerdict, isSameLimit, type PodVerdictReport } from '../../report/pod-verdict.js';
import type { Status } from '../status.js';
import type { PageView } from '../views.js';
import { bytesScale, componentBar, componentLegend } from './components.js';
import type { Links } from './links.js';
import { objectLinkList } from './object-links.js';
import { evictionItems, factList, limitName, limitTable, verdictPart, workloadLinks } from './object-parts.js';
import { breakdownPanel, volumesPanel } from './pod-breakdown.js';
import { changeText, isFlat, sparkline } from './sparkline.js';
import { isLastKnown, lastKnownChip, podChip } from './texts.js';

type PodView = PageView & { readonly kind: 'pod' };

/** Of a pod that is known by its evictions alone, these. */
export function podPage({ data }: PodView, links: Links, { links: elsewhere, clusterName }: Status): Markup {
  const { pods, evictions } = data;
  const first = pods[0] ?? evictions[0];
  if (first === undefined) return markup``;
  const { namespace, pod, node, workloads } = first;
  const values = { cluster: clusterName, namespace, pod, node, workload: mostSpecific(workloads)?.workload };
  return markup`<h1>Pod <span class="name">${links.namespace(namespace)}/${pod}</span></h1>
${objectLinkList(elsewhere, values)}
${pods.length === 0 ? goneParts(evictions, links) : pods.map((each, index) => podParts(each, index, links))}
${evictions[0] === undefined ? undefined : panel({ id: 'evictions', title: 'Evictions of this name', body: evictionItems(evictions, links) })}`;
}

function goneParts(evictions: PodView['data']['evictions'], links: Links): Markup | undefined {
  const [last] = evictions;
  if (last === undefined) return undefined;
  return markup`${verdictPart(evictedVerdict(last), 'unknown')}
${factList({ State: 'not in the cluster any longer', Node: links.node(last.node), Workloads: workloadLinks(last.workloads, links) })}`;
}

/** Several pods have one name where kubelets still report former ones. */
function podParts(pod: PodWithOutlook, index: number, links: Links): Markup {
  const heading = index === 0 ? undefined : markup`<h2>Another pod of this name</h2>`;
  if (index > 0) return markup`${heading}<p class="muted">${pod.verdict.text} ${podChip(pod)}</p>`;
  return markup`${verdictPart(pod.verdict, severityOf(pod))}
${pressurePart(pod, links)}
<div id="part-facts" data-part>${facts(pod, links)}</div>
${pod.state === 'unmeasured' ? limitsPanel(pod) : markup`${limitsPanel(pod)}${growthPanel(pod)}${breakdownPanel(pod)}${volumesPanel(pod)}`}
${findingsPanel(pod)}${neighboursPanel(pod, links)}`;
}

/** Whatever its own limits are: the kubelet may evict it for the disk of its node before. */
function pressurePart({ nodePressure }: PodWithOutlook, links: Links): Markup {
  if (nodePressure === undefined) return markup`<p id="part-pressure" data-part hidden></p>`;
  const { node, signal, headroom, timeToEvictionMs: timeMs, rank } = nodePressure;
  const close =
    timeMs === undefined
      ? `is close to its threshold of ${signal}`
      : `crosses its threshold of ${signal} in ${formatForecast(timeMs)} if its disk goes on to fill`;
  const state = headroom < 0 ? `is below its threshold of ${signal}` : close;
  return markup`<p id="part-pressure" data-part class="banner warning">Node ${links.node(node)} ${state}: this pod is number ${rank} of those that it evicts.</p>`;
}

const severities: Readonly<Record<PodVerdictReport['kind'], Tone>> = {
  evicted: 'critical',
  above: 'critical',
  near: 'warning',
  within: 'ok',
  unenforced: 'unknown',
  unbounded: 'unknown',
  ended: 'unknown',
  unknown: 'unknown',
};

/** What is only last known is in no colour of a state. */
function severityOf(pod: PodWithOutlook): Tone {
  return isLastKnown(pod) ? 'unknown' : severities[pod.verdict.kind];
}

function facts(pod: PodWithOutlook, links: Links): Markup {
  const { node, namespace, workloads, isKnown, requestBytes, limitBytes } = pod;
  return factList({
    ...(pod.state === 'unmeasured' ? {} : figures(pod)),
    'Pod limit': formatBytes(limitBytes),
    Request: formatBytes(requestBytes),
    Node: node === undefined ? 'not scheduled yet' : links.node(node),
    Namespace: links.namespace(namespace),
    Workloads: workloadLinks(workloads, links),
    ...specFacts(pod),
    'API server': isKnown ? undefined : 'does not know this pod',
  });
}

function figures(pod: MeasuredPodWithOutlook): Readonly<Record<string, MarkupContent>> {
  const { usedBytes, inodesUsed, dataState, dataAgeMs } = pod;
  return {
    Used: markup`<strong>${atLeast(pod)}${formatBytes(usedBytes)}</strong>${podChip(pod)}`,
    Inodes: inodesUsed === undefined ? undefined : formatCount(inodesUsed),
    Data: isLastKnown(pod) ? undefined : `${dataState}, ${formatAge(dataAgeMs)} old`,
  };
}

function specFacts({ spec, isExempt }: PodWithOutlook): Readonly<Record<string, MarkupContent>> {
  if (spec === undefined) return {};
  const { phase, qosClass, priorityClass, startTimeMs, isStatic } = spec;
  return {
    Phase: phase,
    'QoS class': qosClass,
    'Priority class': priorityClass,
    Started: startTimeMs === undefined ? undefined : timePart(startTimeMs),
    Eviction: isExempt ? `never: ${isStatic ? 'static' : 'system-critical'}` : undefined,
  };
}

function atLeast({ state }: MeasuredPodWithOutlook): string {
  return state === 'pending' ? 'at least ' : '';
}

function limitsPanel(pod: PodWithOutlook): Markup {
  const { limits, next } = pod;
  const isOld = isLastKnown(pod);
  const coming = next && limits.find((limit) => isSameLimit(limit, next));
  const marked = coming ?? nearestBinding(limits);
  return panel({
    id: 'limits',
    title: 'Limits',
    body: markup`${limits.length === 0 ? emptyText(noLimitsText(pod)) : limitTable(limits, { isOld, marked })}`,
  });
}

function noLimitsText({ hasLimits, isKnown, state, hasUnknownUsage }: PodWithOutlook): string {
  if (!isKnown) return 'Its limits are not known: the API server does not know this pod.';
  if (hasLimits !== true) return 'Neither the pod, nor a container, nor an emptyDir of it has a limit.';
  return state === 'measured' && hasUnknownUsage !== true
    ? 'It has limits, and its kubelet compares none of them.'
    : 'It has limits; what counts towards them is not measured.';
}

/** What the pod will use. The total of one without a limit is drawn here, that of others beside the limit. */
function growthPanel(pod: MeasuredPodWithOutlook): Markup {
  const { samples, limits } = pod;
  const isDrawn = limits.some(({ rule }) => rule === 'pod');
  return panel({
    id: 'growth',
    title: 'Growth',
    aside: lastKnownChip(pod),
    body: markup`${isDrawn ? undefined : totalPart(samples)}<p class="small">${growthText(pod)}</p>`,
  });
}

function totalPart(samples: MeasuredPodWithOutlook['samples']): Markup | undefined {
  const change = changeText(samples);
  return change === undefined
    ? undefined
    : markup`${isFlat(samples) ? undefined : sparkline(samples, 'Total')}<p class="small">Total: ${change}.</p>`;
}

function growthText({
  growthBytesPerSecond: rate = 0,
  next,
  dataState,
  state,
  limits,
  samples,
}: MeasuredPodWithOutlook): MarkupContent {
  const grew = rate > 0 ? grewText(rate) : '';
  if (next !== undefined) {
    return markup`${grew} It reaches the limit of ${limitName(next)} ${next.timeToLimitMs === 0 ? 'at any moment' : `in ${formatForecast(next.timeToLimitMs)}`} if it goes on to grow.`;
  }
  if (dataState === 'absent') return `${grew} No forecast: the node has no data.`;
  return state === 'pending'
    ? `${grew} No forecast: its volumes are not measured.`
    : growthWithoutForecast(limits, samples);
}

function findingsPanel({ findings, isKnown }: PodWithOutlook): Markup | undefined {
  if (findings.length === 0 && isKnown) return undefined;
  const items = findings.map(({ what, fix }) => markup`<li>${what}<br><span class="muted">${fix}</span></li>`);
  const body = isKnown
    ? markup`<ul class="lines small">${items}</ul>`
    : emptyText('Not checked: its specification is not known.');
  return panel({ id: 'findings', title: 'Warnings', body });
}

function neighboursPanel({ neighbours, node }: PodWithOutlook, links: Links): Markup | undefined {
  if (node === undefined) return undefined;
  const measured = neighbours.flatMap((other) => (other.state === 'unmeasured' ? [] : [other]));
  const scale = bytesScale(measured.map(({ usedBytes }) => ({ usedBytes })));
  const rows = measured.map(
    (other) =>
      markup`<tr role="row"${isLastKnown(other) ? markup` class="last"` : undefined}><th scope="row" role="rowheader">${links.pod(other)}${podChip(other)}</th><td role="cell" class="number">${formatBytes(other.usedBytes)}</td><td role="cell" class="wide">${componentBar(other.components, { usedBytes: other.usedBytes }, scale)}</td></tr>`,
  );
  return panel({
    id: 'neighbours',
    title: 'Largest other pods of its node',
    aside: componentLegend(),
    body: markup`${rows.length === 0 ? emptyText('No other pod is measured.') : dataTable('rows', 'Largest other pods', { Pod: 'text', Used: 'number', 'By component': 'text' }, rows)}
<p class="more">${links.list('pods', { node, order: 'used' }, 'All pods of the node')}</p>`,
  });
}
