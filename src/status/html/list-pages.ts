import { formatAge, formatBytes } from '../../base/units.js';
import type { NamespaceReport } from '../../query/list-namespaces.js';
import type { ListedNodeReport } from '../../query/list-nodes.js';
import type { ListPage } from '../../query/list-page.js';
import type { ListQuery } from '../../query/list-query.js';
import type { EvictionReport } from '../../report/eviction-report.js';
import type { PodReport } from '../../report/pod-report.js';
import type { WorkloadReport } from '../../report/workload-report.js';
import type { Problem } from '../status.js';
import type { Links } from './links.js';
import { listPart } from './list-part.js';
import { type Markup, markup } from './markup.js';
import { percentText, ratioSeverity, severityClass, timeText } from './texts.js';

interface Shown<T> {
  readonly page: ListPage<T>;
  readonly query: ListQuery;
  readonly links: Links;
  readonly fixed?: readonly string[];
}

export function podList(shown: Shown<PodReport>): Markup {
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

export function nodeList(shown: Shown<ListedNodeReport>): Markup {
  const { links } = shown;
  return listPart({
    ...shown,
    kind: 'nodes',
    caption: 'nodes',
    columns: { Node: 'text', State: 'text', Full: 'number', Pods: 'number', Verdict: 'text' },
    row: (node) => {
      const nodefs =
        node.state === 'absent' ? undefined : node.filesystems.find(({ filesystem }) => filesystem === 'nodefs');
      const state = node.state === 'absent' ? `no data: ${node.reason}` : node.state;
      return markup`<tr role="row"><th scope="row" role="rowheader">${links.node(node.node)}</th><td role="cell">${state}</td><td role="cell" class="number">${percentText(nodefs?.fullRatio)}</td><td role="cell" class="number">${node.measuredPodCount} of ${node.expectedPodCount}</td><td role="cell" class="wide">${node.verdict?.text}</td></tr>`;
    },
  });
}

export function workloadList(shown: Shown<WorkloadReport>): Markup {
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

export function namespaceList(shown: Shown<NamespaceReport>): Markup {
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

export function evictionList(shown: Shown<EvictionReport>): Markup {
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

export function problemList(shown: Shown<Problem>): Markup {
  return listPart({
    ...shown,
    kind: 'problems',
    caption: 'problems',
    columns: { Severity: 'text', Problem: 'text', 'What to do': 'text' },
    row: ({ severity, text, detail, hint }) =>
      markup`<tr role="row"><td role="cell"><span class="chip ${severity}">${severity}</span></td><th scope="row" role="rowheader">${text} <span class="small muted">${detail}</span></th><td role="cell" class="wide">${hint}</td></tr>`,
  });
}
