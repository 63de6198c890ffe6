import { nameStem } from '../../../facts/workload/workload.js';
import { formatCount } from '../../../lib/base/text.js';
import { formatAge, formatBytes, formatForecast } from '../../../lib/base/units.js';
import { dataTable, term, timePart } from '../../pens/html-kit.js';
import { type Markup, markup, type MarkupContent } from '../../pens/markup.js';
import type { NamespaceReport } from '../../query/list-namespaces.js';
import type { ListPage } from '../../query/list-page.js';
import type { ListQuery } from '../../query/list-query.js';
import { causeText } from '../../report/eviction-cause-text.js';
import type { ShownEviction } from '../../report/eviction-report.js';
import { isLastKnown, type PodReport } from '../../report/pod-report.js';
import { onePodNote, type WorkloadReport } from '../../report/workload-report.js';
import { bytesScale, componentBar } from './components.js';
import type { Links } from './links.js';
import { listPart } from './list-part.js';
import { limitRatioPart, workloadLinks } from './object-parts.js';
import { podChip, rowClass } from './texts.js';

/** Of a list: a part of it, the question, and the links of the page. */
export interface ShownList<T> {
  readonly page: ListPage<T>;
  readonly query: ListQuery;
  readonly links: Links;
  readonly fixed?: readonly string[];
}

export function podList(shown: ShownList<PodReport> & { readonly hasBars?: boolean }): Markup {
  const measured = shown.page.items.flatMap((pod) => (pod.state === 'unmeasured' ? [] : [pod.usedBytes]));
  const scale = shown.hasBars === true ? bytesScale(measured.map((usedBytes) => ({ usedBytes }))) : undefined;
  return listPart({
    ...shown,
    kind: 'pods',
    caption: 'pods',
    columns: {
      Pod: 'text',
      Node: 'text',
      Used: 'number',
      'Nearest limit': 'number',
      'Time to limit': 'number',
      ...(scale === undefined ? {} : { 'Used, on one scale': 'text' as const }),
    },
    row: (pod) => podRow(pod, shown.links, scale),
  });
}

/** `scaleBytes`: with a bar, all of one scale. */
function podRow(pod: PodReport, links: Links, scaleBytes: number | undefined): Markup {
  const node = pod.node === undefined ? '-' : links.node(pod.node);
  if (pod.state === 'unmeasured' && pod.nearestLimit === undefined) {
    return markup`<tr role="row"><th scope="row" role="rowheader">${links.pod(pod)}</th><td role="cell" class="low" data-label="Node">${node}</td><td role="cell" class="number">-</td><td role="cell" class="wide muted" colspan="${scaleBytes === undefined ? 2 : 3}">${pod.reason}</td></tr>`;
  }
  const { timeToLimitMs } = pod;
  const bars =
    scaleBytes === undefined
      ? undefined
      : markup`<td role="cell" class="wide bar-cell">${barsOf(pod, scaleBytes)}</td>`;
  return markup`<tr role="row"${rowClass(pod)}><th scope="row" role="rowheader">${links.pod(pod)}${podChip(pod)}</th><td role="cell" class="low" data-label="Node">${node}</td><td role="cell" class="number">${usedText(pod)}</td><td role="cell" class="low number" data-label="Nearest limit">${limitPart(pod)}</td><td role="cell" class="low number" data-label="Time to limit">${timeToLimitMs === undefined ? '-' : formatForecast(timeToLimitMs)}</td>${bars}</tr>`;
}

function usedText(pod: PodReport): string {
  if (pod.state === 'unmeasured') return '-';
  return `${pod.state === 'pending' ? 'at least ' : ''}${formatBytes(pod.usedBytes)}`;
}

function barsOf(pod: PodReport, scaleBytes: number): Markup | undefined {
  return pod.state === 'unmeasured'
    ? undefined
    : componentBar(pod.components, { usedBytes: pod.usedBytes }, scaleBytes);
}

/** Of a pod without a ratio, why it has none. */
function limitPart(pod: PodReport): Markup {
  const { nearestLimit: limit, hasLimits, state } = pod;
  if (limit === undefined) {
    const known =
      hasLimits === undefined || pod.hasUnknownUsage
        ? 'limits unknown'
        : state === 'pending'
          ? 'limits not measured'
          : 'none applies';
    return markup`<span class="muted">${hasLimits === false ? 'no limit' : known}</span>`;
  }
  return limitRatioPart(limit, { isOld: isLastKnown(pod), what: limit.rule });
}

const workloadColumns = {
  Workload: 'text',
  Namespace: 'text',
  Type: 'text',
  Used: 'number',
  'Largest pod': 'number',
  Pods: 'number',
} as const;

export function workloadList(shown: ShownList<WorkloadReport>): Markup {
  const { links } = shown;
  const row = (of: WorkloadReport): Markup => workloadRow(of, links);
  const note = onePodNote(shown.page.items);
  return markup`${listPart({ ...shown, kind: 'workloads', caption: 'workloads', columns: workloadColumns, row })}${note && markup`<p class="small muted">${note}</p>`}`;
}

/** The same without a form. */
export function workloadTable(workloads: readonly WorkloadReport[], links: Links): Markup {
  return dataTable(
    'stack dense',
    'workloads',
    workloadColumns,
    workloads.map((of) => workloadRow(of, links)),
  );
}

function workloadRow(of: WorkloadReport, links: Links): Markup {
  const { workloadNamespace, workloadType, isComplete, usedBytes, podMaxUsedBytes } = of;
  const lack = isComplete ? undefined : markup` <span class="chip warning">${term('incomplete')}</span>`;
  return markup`<tr role="row"><th scope="row" role="rowheader">${links.workload(of, workloadText(of))}${lack}</th><td role="cell" class="low" data-label="Namespace">${workloadNamespace === '' ? 'any' : links.namespace(workloadNamespace)}</td><td role="cell" class="low" data-label="Type">${workloadType}</td><td role="cell" class="number">${isComplete || usedBytes === undefined ? '' : 'at least '}${formatBytes(usedBytes)}</td><td role="cell" class="low number" data-label="Largest pod">${formatBytes(podMaxUsedBytes)}</td><td role="cell" class="low number" data-label="Pods measured">${formatCount(of.measuredPodCount)} of ${formatCount(of.expectedPodCount)}</td></tr>`;
}

/** Of a name that ends at random, the end is muted: the rest is what people know. */
function workloadText({ workload, workloadType: type }: WorkloadReport): MarkupContent {
  const stem = nameStem({ type, name: workload });
  return stem === undefined ? workload : markup`${stem}<span class="muted">${workload.slice(stem.length)}</span>`;
}

export function namespaceList(shown: ShownList<NamespaceReport>): Markup {
  const { links } = shown;
  return listPart({
    ...shown,
    kind: 'namespaces',
    caption: 'namespaces',
    columns: { Namespace: 'text', Used: 'number', Pods: 'number', 'Near a limit': 'number', Evictions: 'number' },
    row: (of) => namespaceRow(of, links),
  });
}

/** Of pods without figures, nothing is known: neither what they use, nor how near they are to a limit. */
function namespaceRow(of: NamespaceReport, links: Links): Markup {
  const { namespace, usedBytes, measuredPodCount, unmeasuredPodCount, nearLimitPodCount, isUnlisted } = of;
  const isPart = unmeasuredPodCount > 0 || isUnlisted;
  const used = measuredPodCount === 0 && isPart ? '-' : `${isPart ? 'at least ' : ''}${formatBytes(usedBytes)}`;
  const missing = unmeasuredPodCount > 0 ? ` and ${formatCount(unmeasuredPodCount)} not measured` : '';
  return markup`<tr role="row"><th scope="row" role="rowheader">${links.namespace(namespace)}</th><td role="cell" class="number">${used}</td><td role="cell" class="low number" data-label="Pods">${formatCount(measuredPodCount)}${missing}${isUnlisted ? ', not listed' : ''}</td><td role="cell" class="low number" data-label="Near a limit">${formatCount(nearLimitPodCount)}${isPart ? ' or more' : ''}</td><td role="cell" class="low number" data-label="Evictions">${formatCount(of.evictionCount)}</td></tr>`;
}

export function evictionList(shown: ShownList<ShownEviction>): Markup {
  const { links } = shown;
  return listPart({
    ...shown,
    kind: 'evictions',
    caption: 'evictions',
    columns: { Time: 'text', Pod: 'text', Workload: 'text', Node: 'text', Cause: 'text', Why: 'text' },
    row: (of) =>
      markup`<tr role="row"><th scope="row" role="rowheader">${links.eviction(of.uid, timePart(of.evictedAtMs))} <span class="small muted">${formatAge(of.ageMs)} ago</span></th><td role="cell" class="low" data-label="Pod">${links.pod(of)}</td><td role="cell" class="low" data-label="Workload">${workloadLinks(of.workloads, links)}</td><td role="cell" class="low" data-label="Node">${links.node(of.node)}</td><td role="cell" class="low" data-label="Cause">${causeText(of)}</td><td role="cell" class="wide">${of.verdict?.text ?? of.message.trim()}</td></tr>`,
  });
}
