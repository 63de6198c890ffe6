import { findingTitles } from '../../answers/finding-titles.js';
import { emptyText, panel } from '../../pens/html-kit.js';
import { type Markup, markup } from '../../pens/markup.js';
import type { ClusterReport } from '../../report/cluster-report.js';
import type { FindingKindReport, RankedFindingReport } from '../../report/ranked-findings.js';
import type { Links } from './links.js';
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
