import type { ClusterReport } from '../../report/cluster-report.js';
import type { MeasuredPodReport } from '../../report/pod-report.js';
import { bytesScale, componentBar, componentLegend, usedOfLimit } from './components.js';
import { lastKnownChip, rowClass } from './last-known.js';
import { type Markup, markup } from './markup.js';
import { emptyText, panel } from './panel.js';
import { term } from './terms.js';
import { moreText } from './texts.js';

/** The largest pods. */
export function pods(cluster: ClusterReport | undefined): Markup {
  return panel({
    id: 'pods',
    title: 'Top pods',
    aside: componentLegend(),
    body: cluster === undefined ? undefined : bodyOf(cluster),
  });
}

function bodyOf({ pods: top, hidesPodsWithoutWorkload }: ClusterReport): Markup {
  const hint = hidesPodsWithoutWorkload
    ? markup`<p class="more">Pods without a workload are not shown, as in the metrics.</p>`
    : undefined;
  if (top.items.length === 0) return markup`${emptyText('No pods are measured yet.')}${hint}`;
  const scale = bytesScale(top.items);
  return markup`<table class="rows" role="table"><caption class="visually-hidden">Largest pods</caption>
<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Pod</th><th scope="col" role="columnheader" class="number">Used of limit</th><th scope="col" role="columnheader">Used by component</th></tr></thead>
<tbody role="rowgroup">${top.items.map((pod) => row(pod, scale))}</tbody></table>
${moreText(top, 'pods')}${hint}`;
}

function row(pod: MeasuredPodReport, scale: number): Markup {
  const { namespace, pod: name, node, components, state, isKnown } = pod;
  return markup`<tr role="row"${rowClass(pod)}><th scope="row" role="rowheader"><span class="name">${namespace}/${name}</span> <span class="small muted">${node}</span>${lastKnownChip(pod)}
${state === 'pending' ? markup`<span class="chip warning">volumes ${term('pending')}</span>` : undefined}${isKnown ? undefined : markup`<span class="chip warning">unknown to the API server</span>`}</th>
<td role="cell" class="number">${usedOfLimit(pod)}</td>
<td role="cell" class="wide">${componentBar(components, pod, scale)}</td></tr>`;
}
