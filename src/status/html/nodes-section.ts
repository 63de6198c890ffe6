import { formatAge, formatBytes } from '../../base/units.js';
import type { ClusterReport } from '../../report/cluster-report.js';
import { enforcementTexts } from '../../report/enforcement-report.js';
import type { FilesystemReport } from '../../report/filesystem-report.js';
import { imageTexts } from '../../report/image-texts.js';
import { limitThresholds } from '../../report/limit-report.js';
import type { NodeFailure } from '../../report/node-report.js';
import type {
  LastKnownNodeReport,
  NodePodReport,
  NodeWithPodsReport,
  RankedNodeReport,
  SilentNodeReport,
} from '../../report/ranked-nodes.js';
import type { VerdictReport } from '../../report/verdict-report.js';
import { bar, type Segment } from './bar.js';
import { emptyText, panel } from './components.js';
import { type Markup, markup } from './markup.js';
import { countText, limitSeverity, moreText, percentText, type Severity, severityClass, term } from './texts.js';

/** More pods of a node are collapsed. */
const shownPodCount = 3;

/** Nodes without data first, then the fullest. */
export function nodes(cluster: ClusterReport | undefined): Markup {
  return panel({
    id: 'nodes',
    title: 'Nodes',
    aside: legend(),
    body: cluster === undefined ? undefined : bodyOf(cluster),
  });
}

function bodyOf({ nodes: top }: ClusterReport): Markup {
  if (top.items.length === 0)
    return emptyText(
      'No nodes are in scope. Check cluster.nodeSelector. With more shards than nodes, some shards have none.',
    );
  return markup`<ul class="cards">${top.items.map(card)}</ul>${moreText(top, 'nodes')}`;
}

function legend(): Markup {
  const parts = [
    ['pods', 'pods'],
    ['images', term('images')],
    ['other', term('unattributed', 'other')],
    ['track', 'free'],
  ] as const;
  return markup`<ul class="legend" aria-label="Parts of the bars">${parts.map(
    ([colour, text]) =>
      markup`<li><svg width="12" height="12" aria-hidden="true"><rect class="f-${colour}" width="12" height="12" rx="2"/></svg>${text}</li>`,
  )}</ul>`;
}

function card(node: RankedNodeReport): Markup {
  return node.state === 'absent' ? absentCard(node) : measuredCard(node);
}

function absentCard(report: SilentNodeReport): Markup {
  const { node, reason, hint, failure, expectedPodCount, lastKnown, verdict } = report;
  const isSkipped = reason === 'skipped';
  const chip = isSkipped
    ? markup`<span class="chip plain">skipped</span>`
    : markup`<span class="chip critical">no data: ${reason}</span>`;
  const pods = expectedPodCount === 0 ? undefined : countText(expectedPodCount, 'running pod', 'running pods');
  return markup`<li class="${isSkipped ? '' : 'critical'}"><div class="card-head"><h3>${node}</h3>${chip}</div>${verdictPart(verdict)}
${pods === undefined ? undefined : markup`<p class="small">${pods} not measured.</p>`}
<p class="small">${hint}</p>${enforcementText(report)}${failureText(failure)}${lastKnown === undefined ? undefined : lastKnownPart(node, lastKnown)}</li>`;
}

function lastKnownPart(node: string, last: LastKnownNodeReport): Markup {
  return markup`<div class="last-known muted"><p class="small">Last known, ${formatAge(last.dataAgeMs)} ago:</p>${filesystems(last)}
<p class="small pods">${formatBytes(last.podsUsedBytes)} by ${countText(last.podCount, 'pod', 'pods')}${otherPodsText(last, 'Gone since, or not in scope.')}</p>
${podTable(`Largest pods of ${node}, last known`, last.largestPods.slice(0, shownPodCount))}</div>`;
}

function measuredCard(node: NodeWithPodsReport): Markup {
  const { failure, verdict } = node;
  return markup`<li class="${cardSeverity(node)}"><div class="card-head"><h3>${node.node}</h3>${stateChip(node)}</div>${verdictPart(verdict)}
${failureText(failure)}${enforcementText(node)}${filesystems(node)}
${imagesPart(node)}${podsOf(node)}</li>`;
}

function imagesPart({ images }: NodeWithPodsReport): Markup | undefined {
  return images === undefined
    ? undefined
    : markup`<p class="small muted">${imageTexts(images).join(' ')}</p>
`;
}

/** Nothing is in the colour of health where limits or thresholds do not protect. */
function enforcementText({ enforcement = [] }: RankedNodeReport): readonly Markup[] {
  return enforcement.map((kind) => markup`<p class="small t-warning">${capitalised(enforcementTexts[kind])}.</p>`);
}

function capitalised(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

/** Of a node under pressure that first; the age of its data otherwise. */
function stateChip({ state, dataAgeMs, verdict, diskPressure }: NodeWithPodsReport): Markup {
  const age = markup`${term(state)}, ${formatAge(dataAgeMs)} old`;
  const stale = state === 'fresh' ? undefined : markup` <span class="chip warning">${age}</span>`;
  if (diskPressure === true) return markup`<span class="chip critical">DiskPressure</span>${stale}`;
  if (isBelow(verdict)) return markup`<span class="chip critical">below its threshold</span>${stale}`;
  if (verdict !== undefined) return markup`<span class="chip warning">near its threshold</span>${stale}`;
  return state === 'fresh'
    ? markup`<span class="chip ok">${age}</span>`
    : markup`<span class="chip warning">${age}</span>`;
}

function isBelow(verdict: VerdictReport | undefined): boolean {
  return (verdict?.headroom ?? 0) < 0;
}

/** The sentence, the numbers that decide and the commands. */
function verdictPart(verdict: VerdictReport | undefined): Markup | undefined {
  if (verdict === undefined) return undefined;
  const { text, commands } = verdict;
  return markup`
<p><strong>${text}</strong></p>${thresholdPart(verdict)}
<ul class="commands small">${commands.map((command) => markup`<li><code>${command}</code></li>`)}</ul>`;
}

function thresholdPart(verdict: VerdictReport): Markup | undefined {
  const { signal, headroom, thresholdBytes, thresholdInodes, isAssumed } = verdict;
  if (signal === undefined || headroom === undefined) return undefined;
  const amount = (value: number | undefined): string =>
    thresholdInodes === undefined ? formatBytes(value) : `${value ?? '-'} inodes`;
  const assumed = isAssumed === true ? ' (assumed)' : '';
  return markup`<p class="small">${signal}: headroom ${amount(headroom)}, threshold ${amount(thresholdBytes ?? thresholdInodes)}${assumed}</p>`;
}

function cardSeverity({
  state,
  filesystems: all,
  missingPodCount,
  verdict,
  diskPressure,
  enforcement = [],
}: NodeWithPodsReport): Severity {
  if (diskPressure === true || isBelow(verdict)) return 'critical';
  const isNearlyFull = all.some(
    (one) => Math.max(one.fullRatio ?? 0, one.inodesFullRatio ?? 0) >= limitThresholds.near,
  );
  if (state === 'stale' || verdict !== undefined || isNearlyFull || missingPodCount > 0) return 'warning';
  return enforcement.length > 0 ? 'unknown' : 'ok';
}

function failureText(failure: NodeFailure | undefined): Markup | undefined {
  if (failure === undefined) return undefined;
  return markup`<p class="small message muted">Last request ${formatAge(failure.ageMs)} ago: ${failure.message}</p>`;
}

function podsOf(node: NodeWithPodsReport): Markup {
  const { node: name, podCount, podsUsedBytes, pendingPodCount, largestPods, missingPodCount, danglingPodCount } = node;
  const deviations = [
    ...(missingPodCount > 0 ? [`${missingPodCount} missing from the summary`] : []),
    ...(danglingPodCount > 0 ? [`${danglingPodCount} unknown to the API server`] : []),
  ];
  const others = largestPods.slice(shownPodCount);
  return markup`<p class="small pods">${pendingPodCount === 0 ? undefined : atLeast}<strong>${formatBytes(podsUsedBytes)}</strong> <span class="muted">by ${countText(podCount, 'pod', 'pods')}${otherPodsText(node, 'Not in scope, or not known to the API server here.')}${coverageText(node)}</span></p>
${deviations.length === 0 ? undefined : markup`<p class="small t-warning">Pods: ${deviations.join(', ')}</p>`}
${podTable(`Largest pods of ${name}`, largestPods.slice(0, shownPodCount))}
${others.length === 0 ? undefined : markup`<details id="node-${name}"><summary class="small" data-key="node-${name}">${others.length} more<span class="visually-hidden"> pods of ${name}</span></summary>${podTable(`More pods of ${name}`, others)}</details>`}`;
}

/** The rest of what the bar of the disk shows as pods. */
function otherPodsText(
  { otherPodCount, otherPodsUsedBytes }: LastKnownNodeReport,
  meaning: string,
): Markup | undefined {
  if (otherPodsUsedBytes === 0) return undefined;
  const pods = countText(otherPodCount, 'other pod', 'other pods');
  return markup`, ${formatBytes(otherPodsUsedBytes)} by <abbr title="${meaning}">${pods}</abbr>`;
}

function coverageText({ measuredPodCount, expectedPodCount, allocatableBytes }: NodeWithPodsReport): string {
  const coverage =
    measuredPodCount === expectedPodCount ? '' : `; ${measuredPodCount} of ${expectedPodCount} running pods measured`;
  const allocatable = allocatableBytes === undefined ? '' : `, ${formatBytes(allocatableBytes)} allocatable`;
  return `${allocatable}${coverage}`;
}

function podTable(caption: string, pods: readonly NodePodReport[]): Markup | undefined {
  if (pods.length === 0) return undefined;
  return markup`<table class="small tight"><caption class="visually-hidden">${caption}</caption>
<thead class="visually-hidden"><tr><th scope="col">Pod</th><th scope="col">Used</th></tr></thead>
<tbody>${pods.map(podRow)}</tbody></table>`;
}

function podRow({ namespace, pod, state, usedBytes }: NodePodReport): Markup {
  return markup`<tr><th scope="row" class="break">${namespace}/${pod}</th><td class="number">${state === 'pending' ? atLeast : undefined}${formatBytes(usedBytes)}</td></tr>`;
}

/** Volumes are missing from it. */
const atLeast = markup`<span class="muted">at least</span> `;

/** Each filesystem once, with whose bytes it holds. */
function filesystems({ filesystems: all }: { readonly filesystems: readonly FilesystemReport[] }): readonly Markup[] {
  return all.filter(({ sameAs }) => sameAs === undefined).map(filesystemOf);
}

function filesystemOf(filesystem: FilesystemReport): Markup {
  const { filesystem: name, capacityBytes, availableBytes, fullRatio: full, inodesFullRatio } = filesystem;
  const segments = segmentsOf(filesystem);
  const parts = segments.map(({ label }) => label).join(' · ');
  return markup`<div class="filesystem"><div class="row small"><span>${term(name)} <span class="${severityClass(limitSeverity(full ?? 0))}">${percentText(full)} full</span></span><span>${formatBytes(availableBytes)} free of ${formatBytes(capacityBytes)}</span></div>
${capacityBytes === undefined ? undefined : bar({ segments, marks: marksOf(filesystem, capacityBytes), scale: capacityBytes, text: `${name} ${percentText(full)} full: ${parts}` })}
<div class="row small muted"><span>${parts}</span>${inodesText(inodesFullRatio)}</div></div>`;
}

/**
 * The segments together never exceed the occupied bytes: a runtime may count bytes of images several times, and then
 * less than nothing is left over.
 */
function segmentsOf({ usedBytes, capacityBytes, availableBytes, ...owners }: FilesystemReport): readonly Segment[] {
  const { podsUsedBytes, imagesUsedBytes, unattributedBytes } = owners;
  const isKnown = capacityBytes !== undefined && availableBytes !== undefined;
  let remainingBytes = (isKnown ? capacityBytes - availableBytes : usedBytes) ?? Infinity;
  const all = [
    ['pods', 'pods', podsUsedBytes],
    ['images', 'images', imagesUsedBytes],
    ['other', 'other', unattributedBytes],
  ] as const;
  return all.flatMap(([colour, what, bytes = 0]) => {
    if (bytes <= 0) return [];
    const amount = Math.min(bytes, remainingBytes);
    remainingBytes -= amount;
    return [{ colour, label: `${what} ${formatBytes(bytes)}`, amount }];
  });
}

function marksOf(
  { evictionThresholdBytes: bytes }: FilesystemReport,
  capacityBytes: number,
): Parameters<typeof bar>[0]['marks'] & object {
  return bytes === undefined
    ? []
    : [{ kind: 'limit', label: `evictions below ${formatBytes(bytes)} free`, amount: capacityBytes - bytes }];
}

function inodesText(ratio: number | undefined): Markup | undefined {
  if (ratio === undefined) return undefined;
  return markup`<span class="${severityClass(limitSeverity(ratio))}">inodes ${percentText(ratio)}</span>`;
}
