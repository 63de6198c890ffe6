import { formatAge, formatBytes } from '../../base/units.js';
import {
  type AbsentNodeStatus,
  type ClusterStatus,
  fullRatio,
  type MeasuredNodeStatus,
  type NodeFailure,
  type NodeStatus,
} from '../status.js';
import { filesystems } from './filesystem.js';
import { markup, type Markup } from './markup.js';
import { emptyText, panel } from './panel.js';
import { countText, moreText, type Severity } from './texts.js';

/** The nodes: those without data first, then the fullest. */
export function nodes(cluster: ClusterStatus | undefined): Markup {
  return panel({
    id: 'nodes',
    title: 'Nodes',
    aside: legend(),
    body: cluster === undefined ? undefined : bodyOf(cluster),
  });
}

function bodyOf({ nodes: top }: ClusterStatus): Markup {
  if (top.items.length === 0) return emptyText('There is no node in scope: look at cluster.nodeSelector.');
  return markup`<ul class="cards">${top.items.map(card)}</ul>${moreText(top, 'nodes')}`;
}

function legend(): Markup {
  const parts = [
    ['pods', 'pods'],
    ['images', 'images and layers'],
    ['other', 'other'],
    ['track', 'free'],
  ] as const;
  return markup`<ul class="legend" aria-label="Parts of the bars">${parts.map(
    ([colour, text]) =>
      markup`<li><svg width="12" height="12" aria-hidden="true"><rect class="f-${colour}" width="12" height="12" rx="2"/></svg>${text}</li>`,
  )}</ul>`;
}

function card(node: NodeStatus): Markup {
  return node.state === 'absent' ? absentCard(node) : measuredCard(node);
}

function absentCard({ node, reason, advice, failure, expectedPodCount }: AbsentNodeStatus): Markup {
  const isSkipped = reason === 'skipped';
  const chip = isSkipped
    ? markup`<span class="chip plain">skipped</span>`
    : markup`<span class="chip critical">no data: ${reason}</span>`;
  const pods = expectedPodCount === 0 ? undefined : countText(expectedPodCount, 'running pod', 'running pods');
  return markup`<li class="${isSkipped ? '' : 'critical'}"><div class="card-head"><h3>${node}</h3>${chip}</div>
${pods === undefined ? undefined : markup`<p class="small">${pods} not measured.</p>`}
<p class="small">${advice}</p>${failureText(failure)}</li>`;
}

function measuredCard(node: MeasuredNodeStatus): Markup {
  const { state, summaryAgeMs, failure } = node;
  const chip = state === 'fresh' ? 'ok' : 'warning';
  return markup`<li class="${cardSeverity(node)}"><div class="card-head"><h3>${node.node}</h3><span class="chip ${chip}">${state}, ${formatAge(summaryAgeMs)} old</span></div>
${failureText(failure)}${filesystems(node)}
${podsOf(node)}</li>`;
}

function cardSeverity({ state, filesystems: all }: MeasuredNodeStatus): Severity {
  const isFull = all.some((one) => Math.max(one.fullRatio ?? 0, one.inodesFullRatio ?? 0) >= fullRatio);
  return state === 'stale' || isFull ? 'warning' : 'ok';
}

function failureText(failure: NodeFailure | undefined): Markup | undefined {
  if (failure === undefined) return undefined;
  return markup`<p class="small message muted">Last request ${formatAge(failure.ageMs)} ago: ${failure.message}</p>`;
}

function podsOf(node: MeasuredNodeStatus): Markup {
  const {
    node: name,
    podCount,
    podsUsedBytes,
    allocatableBytes,
    biggestPods,
    missingPodCount,
    danglingPodCount,
  } = node;
  const allocatable =
    allocatableBytes === undefined ? undefined : markup`, allocatable ${formatBytes(allocatableBytes)}`;
  const oddities = [
    ...(missingPodCount > 0 ? [`${missingPodCount} missing in the summary`] : []),
    ...(danglingPodCount > 0 ? [`${danglingPodCount} unknown to the API server`] : []),
  ];
  const summary = markup`${countText(podCount, 'pod', 'pods')}, ${formatBytes(podsUsedBytes)}`;
  return markup`${oddities.length === 0 ? undefined : markup`<p class="small t-warning">Pods: ${oddities.join(', ')}</p>`}
<details id="node-${name}"><summary class="small" data-key="node-${name}">${summary}</summary>
<table class="small"><caption class="visually-hidden">Biggest pods of ${name}</caption><thead class="visually-hidden"><tr><th scope="col">Pod</th><th scope="col">Used</th></tr></thead>
<tbody>${biggestPods.map((pod) => markup`<tr><th scope="row" class="name">${pod.namespace}/${pod.pod}</th><td class="number">${formatBytes(pod.usedBytes)}</td></tr>`)}</tbody></table>
<p class="more">${countText(node.measuredPodCount, 'running pod', 'running pods')} of ${node.expectedPodCount} measured${allocatable}</p></details>`;
}
