import { formatAge, formatBytes } from '../../base/units.js';
import type { ClusterReport } from '../../report/cluster-report.js';
import type { RankedWorkloadReport } from '../../report/ranked-workloads.js';
import { referenceName } from '../problem-texts.js';
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
import { countText, moreText, percentText, term } from './texts.js';

/** The largest workloads. */
export function workloads(cluster: ClusterReport | undefined): Markup {
  return panel({
    id: 'workloads',
    title: 'Top workloads',
    aside: componentLegend(),
    body: cluster === undefined ? undefined : bodyOf(cluster),
  });
}

function bodyOf({ workloads: top }: ClusterReport): Markup {
  if (top.items.length === 0) return emptyText('No pods belong to a workload yet.');
  const scale = bytesScale(top.items);
  const table = dataTable(
    'rows',
    'Largest workloads',
    { Workload: 'text', 'Used of pod limits': 'number', 'Used by component': 'text' },
    top.items.map((workload) => row(workload, scale)),
  );
  return markup`${table}
${moreText(top, 'workloads')}`;
}

function row(workload: RankedWorkloadReport, scale: number): Markup {
  const { workloadType, components } = workload;
  return markup`<tr role="row"><th scope="row" role="rowheader"><span class="name">${referenceName(workload)}</span> <span class="small muted">${workloadType}; ${coverageText(workload)}</span> ${lackOf(workload)}</th>
<td role="cell" class="number">${usedText(workload.usedBytes, limitText(workload))}</td>
<td role="cell" class="wide">${components === undefined ? undefined : componentBar(components, workload, scale)}</td></tr>`;
}

/** Usage lacks pods or volumes of an incomplete workload, unlike the limits. */
function limitText(workload: RankedWorkloadReport): string {
  const { usedBytes, limitBytes, isComplete } = workload;
  if (limitBytes === undefined) return 'no pod limits';
  const share =
    hasLimit(workload) && usedBytes !== undefined
      ? `, ${isComplete ? '' : 'at least '}${percentText(usedBytes / workload.limitBytes)}`
      : '';
  return `of pod limits ${formatBytes(limitBytes)}${share}`;
}

function coverageText({ podMaxUsedBytes, ...workload }: RankedWorkloadReport): string {
  const largest = podMaxUsedBytes === undefined ? [] : [`largest ${formatBytes(podMaxUsedBytes)}`];
  return [podsText(workload), ...largest].join(', ');
}

function podsText({ measuredPodCount, expectedPodCount }: Omit<RankedWorkloadReport, 'podMaxUsedBytes'>): string {
  if (expectedPodCount === 0) return 'no pods';
  return measuredPodCount === expectedPodCount
    ? countText(expectedPodCount, 'pod', 'pods')
    : `${measuredPodCount} of ${countText(expectedPodCount, 'pod', 'pods')} measured`;
}

function lackOf(workload: RankedWorkloadReport): Markup | undefined {
  if (workload.isComplete) return undefined;
  const { usedBytes, measuredPodCount, expectedPodCount, backoffMs } = workload;
  if (usedBytes === undefined) {
    const retry = backoffMs > 0 ? `; retry in ${formatAge(Math.max(1_000, backoffMs))}` : '';
    return measuredPodCount > 0
      ? markup`<span class="chip warning">no sum yet${retry}</span>`
      : markup`<span class="chip critical">no data${retry}</span>`;
  }
  const why = measuredPodCount < expectedPodCount ? undefined : markup`: volumes ${term('pending')}`;
  return markup`<span class="chip warning">${term('incomplete')}${why}</span>`;
}
