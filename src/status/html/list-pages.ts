import { formatAge, formatBytes } from '../../base/units.js';
import type { NamespaceReport } from '../../query/list-namespaces.js';
import type { ListPage } from '../../query/list-page.js';
import type { ListQuery } from '../../query/list-query.js';
import type { EvictionReport } from '../../report/eviction-report.js';
import type { PodReport } from '../../report/pod-report.js';
import type { WorkloadReport } from '../../report/workload-report.js';
import type { Links } from './links.js';
import { listPart } from './list-part.js';
import { type Markup, markup } from './markup.js';
import { percentText, ratioSeverity, severityClass, timeText } from './texts.js';

/** Of a list: a part of it, the question, and the links of the page. */
export interface ShownList<T> {
  readonly page: ListPage<T>;
  readonly query: ListQuery;
  readonly links: Links;
  readonly fixed?: readonly string[];
}

export function podList(shown: ShownList<PodReport>): Markup {
  return listPart({
    ...shown,
    kind: 'pods',
    caption: 'pods',
    columns: { Pod: 'text', Node: 'text', Used: 'number', 'Nearest limit': 'number', 'Time to limit': 'number' },
    row: (pod) => podRow(pod, shown.links),
  });
}

function podRow(pod: PodReport, links: Links): Markup {
  const node = pod.node === undefined ? '-' : links.node(pod.node);
  if (pod.state === 'unmeasured') {
    return markup`<tr role="row"><th scope="row" role="rowheader">${links.pod(pod)}</th><td role="cell">${node}</td><td role="cell" class="number">-</td><td role="cell" class="wide muted">${pod.reason}</td><td role="cell"></td></tr>`;
  }
  const { nearestLimit, timeToLimitMs } = pod;
  const limit =
    nearestLimit === undefined
      ? markup`<span class="muted">no limit</span>`
      : markup`<span class="${severityClass(ratioSeverity(nearestLimit))}">${percentText(nearestLimit.ratio)}</span> <span class="small muted">of ${formatBytes(nearestLimit.limitBytes)} ${nearestLimit.rule}</span>`;
  return markup`<tr role="row"><th scope="row" role="rowheader">${links.pod(pod)}</th><td role="cell">${node}</td><td role="cell" class="number">${pod.state === 'pending' ? 'at least ' : ''}${formatBytes(pod.usedBytes)}</td><td role="cell" class="number">${limit}</td><td role="cell" class="number">${timeToLimitMs === undefined ? '-' : formatAge(timeToLimitMs)}</td></tr>`;
}

export function workloadList(shown: ShownList<WorkloadReport>): Markup {
  const { links } = shown;
  return listPart({
    ...shown,
    kind: 'workloads',
    caption: 'workloads',
    columns: {
      Workload: 'text',
      Namespace: 'text',
      Type: 'text',
      Used: 'number',
      'Largest pod': 'number',
      Pods: 'number',
    },
    row: (of) =>
      markup`<tr role="row"><th scope="row" role="rowheader">${links.workload(of)}</th><td role="cell">${of.workloadNamespace === '' ? 'all' : links.namespace(of.workloadNamespace)}</td><td role="cell">${of.workloadType}</td><td role="cell" class="number">${of.isComplete ? '' : 'at least '}${formatBytes(of.usedBytes)}</td><td role="cell" class="number">${formatBytes(of.podMaxUsedBytes)}</td><td role="cell" class="number">${of.measuredPodCount} of ${of.expectedPodCount}</td></tr>`,
  });
}

export function namespaceList(shown: ShownList<NamespaceReport>): Markup {
  const { links } = shown;
  return listPart({
    ...shown,
    kind: 'namespaces',
    caption: 'namespaces',
    columns: { Namespace: 'text', Used: 'number', Pods: 'number', 'Near a limit': 'number', Evictions: 'number' },
    row: (of) => {
      const pods = `${of.measuredPodCount}${of.unmeasuredPodCount > 0 ? ` and ${of.unmeasuredPodCount} not measured` : ''}`;
      return markup`<tr role="row"><th scope="row" role="rowheader">${links.namespace(of.namespace)}</th><td role="cell" class="number">${formatBytes(of.usedBytes)}</td><td role="cell" class="number">${pods}${of.isUnlisted ? ', not listed' : ''}</td><td role="cell" class="number">${of.nearLimitPodCount}</td><td role="cell" class="number">${of.evictionCount}</td></tr>`;
    },
  });
}

export function evictionList(shown: ShownList<EvictionReport>): Markup {
  const { links } = shown;
  return listPart({
    ...shown,
    kind: 'evictions',
    caption: 'evictions',
    columns: { Time: 'text', Pod: 'text', Node: 'text', Why: 'text' },
    row: (of) =>
      markup`<tr role="row"><th scope="row" role="rowheader">${links.eviction(of.uid, timeText(of.evictedAtMs))}</th><td role="cell">${links.pod(of)}</td><td role="cell">${links.node(of.node)}</td><td role="cell" class="wide">${of.verdict?.text ?? of.message}</td></tr>`,
  });
}
