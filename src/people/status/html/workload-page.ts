import { formatCount } from '../../../lib/base/text.js';
import { formatAge, formatBytes } from '../../../lib/base/units.js';
import type { Tone } from '../../pens/document.js';
import { dataTable, emptyText, panel } from '../../pens/html-kit.js';
import { type Markup, markup, type MarkupContent } from '../../pens/markup.js';
import type { WorkloadFacts } from '../../query/workload-explanation.js';
import { absenceNames } from '../../report/absence-hints.js';
import type { WorkloadVerdictReport } from '../../report/workload-verdict.js';
import type { Status } from '../status.js';
import type { PageView } from '../views.js';
import type { Links } from './links.js';
import { podList } from './list-pages.js';
import { objectLinkList } from './object-links.js';
import { evictionItems, factList, verdictPart } from './object-parts.js';
import { moreText } from './texts.js';

type WorkloadView = PageView & { readonly kind: 'workload' };

/** Its replicas compared, and what its sums lack. */
export function workloadPage({ data, query }: WorkloadView, links: Links, status: Status): Markup {
  const { workload, pods, evictions } = data;
  const { workload: name, workloadNamespace: namespace } = workload;
  const place = namespace === '' ? undefined : markup`${links.namespace(namespace)}/`;
  const values = { cluster: status.clusterName, namespace, workload: name };
  return markup`<h1>Workload <span class="name">${place}${name}</span></h1>
${objectLinkList(status.links, values)}
${verdictPart(workload.verdict, severities[workload.verdict.kind])}
<div id="part-facts" data-part>${facts(workload, links)}</div>
<section class="panel" aria-labelledby="pods-title"><div class="head"><h2 id="pods-title">Pods compared</h2></div>${podList({ page: pods, query, links, fixed: ['workload'], hasBars: true })}</section>
${missingPanel(data, links)}
<div class="pair">${containersPanel(workload)}${panel({
    id: 'evictions',
    title: 'Evictions',
    body:
      evictions.length === 0 ? emptyText('No eviction of its pods is remembered.') : evictionItems(evictions, links),
  })}</div>`;
}

/** Nothing is green here: what a workload uses is no state. */
const severities: Readonly<Record<WorkloadVerdictReport['kind'], Tone>> = {
  near: 'warning',
  incomplete: 'warning',
  complete: 'unknown',
  empty: 'unknown',
};

function facts(workload: WorkloadFacts, links: Links): Markup {
  const { usedBytes, podMaxUsedBytes, isComplete, limitBytes, requestBytes, backoffMs } = workload;
  const { measuredPodCount, expectedPodCount, workloadType, workloadNamespace: namespace, origin } = workload;
  return factList({
    Used: markup`<strong>${usedBytes === undefined || isComplete ? '' : 'at least '}${formatBytes(usedBytes)}</strong>`,
    'Largest pod': formatBytes(podMaxUsedBytes),
    'Pods measured': `${formatCount(measuredPodCount)} of ${formatCount(expectedPodCount)}`,
    'Sum of pod limits': formatBytes(limitBytes),
    'Sum of requests': formatBytes(requestBytes),
    Type: workloadType,
    Namespace: namespace === '' ? 'any' : links.namespace(namespace),
    'Which pods': originText(origin),
    Collected: backoffMs > 0 ? `again in ${formatAge(backoffMs)}` : undefined,
  });
}

function originText(origin: WorkloadFacts['origin']): string | undefined {
  switch (origin.source) {
    case 'configured':
      return origin.selector === ''
        ? undefined
        : [origin.selector, ...origin.namespaces.map((name) => `in ${name}`)].join(' ');
    case 'labels':
      return Object.entries(origin.labels)
        .map(([key, value]) => `${key}=${value}`)
        .join(',');
    case 'controller':
      return `of the ${origin.kind}`;
  }
}

/** Without it, all is measured. */
function missingPanel({ missing }: WorkloadView['data'], links: Links): Markup {
  const items = missing.items.map((pod): MarkupContent => {
    const why =
      pod.state === 'unmeasured'
        ? pod.reason
        : pod.dataState === 'absent'
          ? `its node has no data (${absenceNames[pod.absenceReason ?? 'never']}); last known ${formatAge(pod.dataAgeMs)} ago: ${formatBytes(pod.usedBytes)}`
          : `its volumes are not measured: at least ${formatBytes(pod.usedBytes)}`;
    return markup`<li>${links.pod(pod)} ${pod.node === undefined ? undefined : markup`<span class="muted">on</span> ${links.node(pod.node)} `}<span class="muted">${why}</span></li>`;
  });
  const body = markup`${items.length === 0 ? emptyText('None: each of its pods is measured.') : markup`<ul class="lines small">${items}</ul>`}${moreText(missing, 'pods')}`;
  return panel({ id: 'missing', title: 'Pods that are not measured', body });
}

function containersPanel({ containers = [] }: WorkloadFacts): Markup {
  const rows = containers.map(
    ({ container, usedBytes, maxUsedBytes }) =>
      markup`<tr role="row"><th scope="row" role="rowheader"><span class="name">${container}</span></th><td role="cell" class="number">${formatBytes(usedBytes)}</td><td role="cell" class="number">${formatBytes(maxUsedBytes)}</td></tr>`,
  );
  const columns = { Container: 'text', 'In all pods': 'number', Largest: 'number' } as const;
  return panel({
    id: 'containers',
    title: 'Containers',
    body:
      rows.length === 0
        ? emptyText('No containers are measured.')
        : dataTable('dense totals', 'Used by container', columns, rows),
  });
}
