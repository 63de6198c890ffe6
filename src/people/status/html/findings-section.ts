import type { ClusterReport } from '../../report/cluster-report.js';
import type { FindingKindReport, RankedFindingReport } from '../../report/ranked-findings.js';
import { emptyText, panel } from './components.js';
import type { Links } from './links.js';
import { type Markup, markup } from './markup.js';
import { countText, moreText } from './texts.js';

/** Settings of pods that make their eviction likelier, or that have no effect, by kind. */
export function findings(cluster: ClusterReport | undefined, links: Links): Markup {
  return panel({
    id: 'findings',
    title: 'Warnings',
    aside: markup`<p class="small muted">what makes evictions of pods likelier, or has no effect</p>`,
    body: cluster === undefined ? undefined : bodyOf(cluster, links),
  });
}

export const findingTitles: Readonly<Record<FindingKindReport['kind'], string>> = {
  amount_below_1ki: 'Limit, request or sizeLimit of less than 1Ki: the unit is likely a mistake',
  no_limit_or_request: 'No limit or request, on a node close to evictions',
  request_counts_as_zero: 'Request that counts as 0 under node pressure',
  limit_of_one_container: 'Limit of the pod that comes from one container',
  size_limit_above_pod_limit: 'Size limit above the limit of the pod',
  memory_volume_full: 'emptyDir in memory that is full: writes fail',
  limit_not_enforced: 'Limit that does not evict the pod, or sees only a part of what it writes',
  logs_above_rotation: 'Logs above what rotation keeps',
  volume_not_mounted: 'Volume that no container mounts',
  not_in_detail: 'More containers, volumes, mounts or labels than are kept by name',
};

function bodyOf({ findings: kinds, summary }: ClusterReport, links: Links): Markup {
  const unchecked =
    summary.absentNodeCount === 0
      ? undefined
      : markup`<p class="more">Of ${countText(summary.absentNodeCount, 'node', 'nodes')} without data: by the last values and the specs of the pods.</p>`;
  return kinds.length === 0
    ? markup`${emptyText(summary.podCount === 0 ? 'No pods are measured yet.' : 'Nothing was found.')}${unchecked}`
    : markup`${kinds.map((found) => kindOf(found, links))}${unchecked}`;
}

function kindOf(found: FindingKindReport, links: Links): Markup {
  const [first] = found.items;
  return markup`<h3>${findingTitles[found.kind]} <span class="small muted">${countText(found.findingCount, 'warning', 'warnings')}</span></h3>
<p class="small muted">${first?.fix}</p>
<ul class="small">${found.items.map((of) => item(of, links))}</ul>
${moreText(found, 'workloads or bare pods with it')}`;
}

function item({ namespace, pod, node, podCount, what }: RankedFindingReport, links: Links): Markup {
  const others = podCount === 1 ? '' : `; ${countText(podCount - 1, 'more pod', 'more pods')} of its controller`;
  return markup`<li>${links.pod({ namespace, pod })} <span class="muted">${node === undefined ? undefined : links.node(node)}${others}:</span> ${what}</li>`;
}
