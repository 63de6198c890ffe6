import { formatBytes } from '../../base/units.js';
import type { ClusterReport } from '../../report/cluster-report.js';
import type { MeasuredPodReport } from '../../report/pod-report.js';
import {
  bytesScale,
  componentBar,
  componentLegend,
  dataTable,
  emptyText,
  hasLimit,
  panel,
  usedText,
} from './components.js';
import { type Markup, markup } from './markup.js';
import { moreText, percentText, podChip, rowClass, unenforcedText } from './texts.js';

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
  const table = dataTable(
    'rows',
    'Largest pods',
    { Pod: 'text', 'Used, and nearest limit': 'number', 'Used by component': 'text' },
    top.items.map((pod) => row(pod, scale)),
  );
  return markup`${table}
${moreText(top, 'pods')}${hint}`;
}

function row(pod: MeasuredPodReport, scale: number): Markup {
  const { namespace, pod: name, node, components, isKnown } = pod;
  return markup`<tr role="row"${rowClass(pod)}><th scope="row" role="rowheader"><span class="name">${namespace}/${name}</span> <span class="small muted">${node}</span>${podChip(pod)}
${isKnown ? undefined : markup`<span class="chip warning">unknown to the API server</span>`}</th>
<td role="cell" class="number">${usedText(pod.usedBytes, limitText(pod))}</td>
<td role="cell" class="wide">${componentBar(components, { ...pod, barText: barText(pod) }, scale)}</td></tr>`;
}

/** The limit that it is nearest to. */
function limitText(pod: MeasuredPodReport): string {
  const { nearestLimit } = pod;
  if (nearestLimit === undefined) return withoutRatioText(pod);
  const { rule, container, volume, usedBytes, limitBytes, ratio, unenforced } = nearestLimit;
  const mark = unenforced === undefined ? '' : `, ${unenforcedText(unenforced)}`;
  if (rule === 'pod') return `of pod limit ${formatBytes(limitBytes)}, ${percentText(ratio)}${mark}`;
  const name = rule === 'emptydir' ? `emptyDir ${volume ?? ''}` : `container ${container ?? ''}`;
  return `${name}: ${formatBytes(usedBytes)} of ${formatBytes(limitBytes)}, ${percentText(ratio)}${mark}`;
}

/** Where the bar shows the total of the limit of the pod, which is not the one that it is nearest to. */
function barText(pod: MeasuredPodReport): string | undefined {
  if (!hasLimit(pod) || pod.nearestLimit?.rule === 'pod') return undefined;
  return `${percentText(pod.usedBytes / pod.limitBytes)} of pod limit ${formatBytes(pod.limitBytes)}`;
}

function withoutRatioText({ hasLimits, state }: MeasuredPodReport): string {
  if (hasLimits === undefined) return 'limits unknown';
  if (!hasLimits) return 'no limit';
  return state === 'pending' ? 'limits not measured' : 'no limit applies';
}
