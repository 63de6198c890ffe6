import { mostSpecific } from '../../../facts/workload/workload.js';
import { formatCount } from '../../../lib/base/text.js';
import { formatAge, formatBytes } from '../../../lib/base/units.js';
import { dataTable, emptyText, panel, term, timePart } from '../../pens/html-kit.js';
import { lines, type Markup, markup } from '../../pens/markup.js';
import { causeText, eventText, unknownUsageText } from '../../report/eviction-cause-text.js';
import type { ShownEviction } from '../../report/eviction-report.js';
import { type LastUsageReport, ownBytes } from '../../report/eviction-report.js';
import type { LimitReport } from '../../report/limit-report.js';
import { growthText } from '../../report/pod-growth.js';
import { componentOrder } from '../../report/pod-report.js';
import type { Status } from '../status.js';
import type { PageView } from '../views.js';
import { componentBar, componentLegend } from './components.js';
import type { Links } from './links.js';
import { objectLinkList } from './object-links.js';
import { factList, limitName, limitTable, verdictPart, workloadLinks } from './object-parts.js';
import { sparkline } from './sparkline.js';

/** All that is remembered of one eviction: a link to it stays the same. */
export function evictionPage(
  { data }: PageView & { readonly kind: 'eviction' },
  links: Links,
  { links: elsewhere, clusterName, notListed }: Status,
): Markup {
  const { namespace, pod, node, workloads, message, lastUsage, verdict, cause } = data;
  const values = { cluster: clusterName, namespace, pod, node, workload: mostSpecific(workloads)?.workload };
  const { commands = [], text: sentence = message.trim() } = verdict ?? {};
  return markup`<h1>${eventText(data) === 'refused' ? 'Refusal' : 'Eviction'} of pod <span class="name">${links.pod(data)}</span></h1>
${objectLinkList(elsewhere, values)}
${verdictPart({ text: sentence, commands }, cause === 'node_admission' ? 'warning' : 'critical')}
<div id="part-facts" data-part>${notListed && markup`<p class="small t-warning">${notListed}</p>`}${facts(data, links)}</div>
${lastUsage === undefined ? panel({ id: 'held', title: 'What it held', body: emptyText(unknownUsageText(data)) }) : usagePanels(lastUsage, data)}
${panel({ id: 'message', title: 'Message of the kubelet', body: markup`<pre tabindex="0" role="region" aria-label="The message, word for word" data-key="message">${lines(message)}</pre>` })}`;
}

function facts(eviction: ShownEviction, links: Links): Markup {
  const { namespace, node, workloads, evictedAtMs, ageMs, lastUsage, diskPressure, seenAtMs, uid } = eviction;
  return factList({
    [eventText(eviction) === 'refused' ? 'Refused' : 'Evicted']:
      markup`${timePart(evictedAtMs)}, ${formatAge(ageMs)} ago`,
    For: causeText(eviction),
    'Exceeded limit': exceededText(eviction),
    Node: links.node(node),
    Namespace: links.namespace(namespace),
    Workloads: workloadLinks(workloads, links),
    'Last measured': lastUsage && markup`${timePart(lastUsage.fetchedAtMs)}, ${formatAge(lastUsage.ageMs)} before`,
    'Disk pressure then': diskPressure === undefined ? 'unknown' : diskPressure ? 'yes' : 'no',
    Seen: timePart(seenAtMs),
    UID: uid,
  });
}

function exceededText({ limitBytes, container, volume }: ShownEviction): Markup | undefined {
  if (limitBytes === undefined) return undefined;
  const rule = container !== undefined ? 'container' : volume !== undefined ? 'emptydir' : 'pod';
  return markup`${formatBytes(limitBytes)} of ${limitName({ rule, container, volume })}`;
}

function usagePanels(usage: LastUsageReport, eviction: ShownEviction): Markup {
  return markup`<div class="pair">${heldPanel(usage, eviction)}${beforePanel(usage)}</div>
${usage.limits.length === 0 ? undefined : panel({ id: 'limits', title: 'Limits, as last measured', body: limitTable(usage.limits, { isOld: true, marked: exceededLimit(usage.limits, eviction), mark: 'exceeded' }) })}
${partsPanel(usage)}`;
}

function exceededLimit(limits: readonly LimitReport[], eviction: ShownEviction): LimitReport | undefined {
  const rules: Partial<Record<ShownEviction['cause'], LimitReport['rule']>> = {
    emptydir_limit: 'emptydir',
    pod_limit: 'pod',
    container_limit: 'container',
  };
  return limits.find(
    ({ rule, container, volume }) =>
      rule === rules[eviction.cause] && container === eviction.container && volume === eviction.volume,
  );
}

function heldPanel(
  { components, usedBytes, isPending }: LastUsageReport,
  { cause, limitBytes }: ShownEviction,
): Markup {
  const isKnown = components !== undefined && usedBytes !== undefined;
  const rows = componentOrder.map(
    (component) =>
      markup`<tr role="row"><th scope="row" role="rowheader">${term(component)}</th><td role="cell" class="number">${formatCount(components?.[component])}</td><td role="cell" class="number">${formatBytes(components?.[component])}</td></tr>`,
  );
  const total = markup`<tr role="row"><th scope="row" role="rowheader"><strong>total</strong></th><td role="cell" class="number">${formatCount(usedBytes)}</td><td role="cell" class="number">${formatBytes(usedBytes)}</td></tr>`;
  const limit = cause === 'pod_limit' ? limitBytes : undefined;
  return panel({
    id: 'held',
    title: 'What it held',
    aside: componentLegend(),
    body: isKnown
      ? markup`${isPending ? markup`<p class="small">Its volumes were not measured: the total is too low.</p>` : undefined}${componentBar(components, { usedBytes, limitBytes: limit }, Math.max(1, usedBytes))}${dataTable('dense totals', 'Bytes by component', { Component: 'text', Bytes: 'number', Size: 'number' }, [...rows, total])}`
      : emptyText('The kubelet reported no total.'),
  });
}

function beforePanel({ samples }: LastUsageReport): Markup {
  const [first, last] = [samples[0], samples.at(-1)];
  return panel({
    id: 'before',
    title: 'The time before',
    body:
      first === undefined || last === undefined || samples.length < 2
        ? emptyText('It was measured once: its growth is not known.')
        : markup`${sparkline(samples, 'Total')}
<p class="row small muted"><span>${timePart(first.atMs)}: ${formatBytes(first.usedBytes)}</span><span>${timePart(last.atMs)}: ${formatBytes(last.usedBytes)}</span></p>
<p>${growthText(samples)}</p>`,
  });
}

function partsPanel({ containers, volumes }: LastUsageReport): Markup | undefined {
  if (containers.length + volumes.length === 0) return undefined;
  const rows = [
    ...containers.map(
      (container) =>
        markup`<tr role="row"><th scope="row" role="rowheader">container <span class="name">${container.container}</span></th><td role="cell" class="number">${formatBytes(ownBytes(container))}</td><td role="cell" class="low" data-label="Of it">files ${formatBytes(container.rootfsBytes)}, logs ${formatBytes(container.logsBytes)}</td></tr>`,
    ),
    ...volumes.map(
      ({ volume, type, medium, usedBytes, isCounted }) =>
        markup`<tr role="row"><th scope="row" role="rowheader">${type}${medium === '' ? '' : ` (${medium})`} <span class="name">${volume}</span></th><td role="cell" class="number">${formatBytes(usedBytes)}</td><td role="cell" class="low" data-label="Of it">${isCounted ? 'in the total' : 'not in the total'}</td></tr>`,
    ),
  ];
  return panel({
    id: 'parts',
    title: 'Containers and volumes',
    body: dataTable('stack dense', 'Containers and volumes', { Part: 'text', Used: 'number', 'Of it': 'text' }, rows),
  });
}
