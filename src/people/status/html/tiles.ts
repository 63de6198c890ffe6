import { formatCount } from '../../../lib/base/text.js';
import { formatAge, formatBytes } from '../../../lib/base/units.js';
import type { Tone } from '../../pens/document.js';
import { term } from '../../pens/html-kit.js';
import { type Markup, markup, type MarkupContent } from '../../pens/markup.js';
import type { ClusterReport, ClusterSummary } from '../../report/cluster-report.js';
import { limitThresholds } from '../../report/limit-report.js';
import { worstSeverity } from '../problems.js';
import type { Status } from '../status.js';
import { countText, worst } from './texts.js';

interface Tile {
  readonly label: string;
  readonly value: MarkupContent;
  readonly note: MarkupContent;
  readonly severity: Tone | '';
}

/** The values of the whole scope. */
export function tiles(cluster: ClusterReport | undefined): Markup {
  const all = cluster === undefined ? [] : tilesOf(cluster);
  return markup`<section id="part-tiles" data-part aria-label="Summary"${cluster === undefined ? markup` hidden` : undefined}><dl class="tiles">${all.map(
    ({ label, value, note, severity }) =>
      markup`<div class="${severity}"><dt>${label}</dt><dd class="value">${value}</dd><dd class="small muted">${note}</dd></div>`,
  )}</dl></section>`;
}

function tilesOf(cluster: ClusterReport): readonly Tile[] {
  return [
    belowThreshold(cluster),
    closeToEvicting(cluster),
    reached(cluster),
    near(cluster),
    used(cluster),
    nodes(cluster),
    coverage(cluster),
  ];
}

/** All that are below one, whether a pod is left to evict or not. */
function belowThreshold({ summary }: ClusterReport): Tile {
  const { pressedNodeCount: count, pressedEmptyNodeCount: emptyCount, noSpaceNodeCount: fullCount } = summary;
  const notes = [
    ...(emptyCount === 0 ? [] : [`${formatCount(emptyCount)} with no pod left to evict`]),
    ...(fullCount === 0 ? [] : [`${formatCount(fullCount)} more full without a threshold`]),
  ];
  return {
    label: 'Nodes below a threshold',
    value: nodesText(count, summary),
    note: notes.length === 0 ? 'where kubelets evict pods' : notes.join('; '),
    severity: worst({ critical: count + fullCount, unknown: unknownNodes(summary) + summary.unknownPressureNodeCount }),
  };
}

function closeToEvicting({ summary }: ClusterReport): Tile {
  const { nearPressureNodeCount } = summary;
  return {
    label: 'Nodes close to evicting',
    value: nodesText(nearPressureNodeCount, summary),
    note: term('close', 'what is close'),
    severity: worst({
      warning: nearPressureNodeCount,
      unknown: unknownNodes(summary) + summary.unknownPressureNodeCount,
    }),
  };
}

/** Returns that of the worst problem, and without one `unknown` where there may be one that is not known. */
export function statusSeverity({ problems, cluster }: Pick<Status, 'problems' | 'cluster'>): Tone {
  const severity = worstSeverity(problems);
  return severity === 'ok' && (cluster === undefined || unknownCount(cluster.summary) > 0) ? 'unknown' : severity;
}

function unknownCount(summary: ClusterSummary): number {
  const { expectedPodCount, measuredPodCount, pendingPodCount } = summary;
  return (
    unknownPart(summary) + summary.unknownPressureNodeCount + pendingPodCount + expectedPodCount - measuredPodCount
  );
}

/** Above 0 where a node without data, or all that are not known, may be among them. */
function unknownNodes({ absentNodeCount, freshNodeCount, staleNodeCount }: ClusterSummary): number {
  return absentNodeCount + (freshNodeCount + staleNodeCount === 0 ? 1 : 0);
}

/** Nodes without data, or of unknown headroom, may be there too. */
function nodesText(count: number, { absentNodeCount, unknownPressureNodeCount }: ClusterSummary): MarkupContent {
  const unknownCount = absentNodeCount + unknownPressureNodeCount;
  return unknownCount === 0
    ? formatCount(count)
    : markup`${formatCount(count)} <small>and ${formatCount(unknownCount)} unknown</small>`;
}

function nodes({ summary, isPartial }: ClusterReport): Tile {
  const { freshNodeCount, staleNodeCount, absentNodeCount, failedNodeCount, skippedNodeCount } = summary;
  const scrapedCount = freshNodeCount + staleNodeCount + absentNodeCount;
  const others = [
    [staleNodeCount, 'stale'],
    [absentNodeCount, 'absent'],
    [skippedNodeCount, 'skipped'],
  ] as const;
  return {
    label: 'Nodes with fresh data',
    value: markup`${formatCount(freshNodeCount)} <small>of ${formatCount(scrapedCount)}</small>`,
    note: others.map(([count, state], index) => markup`${index === 0 ? '' : ', '}${formatCount(count)} ${term(state)}`),
    severity: worst({
      critical: isPartial ? failedNodeCount : absentNodeCount,
      warning: staleNodeCount,
      unknown: absentNodeCount + (scrapedCount === 0 ? 1 : 0),
    }),
  };
}

/** Pods that are too young to be expected count as soon as they are measured, if all measured pods are known. */
function coverage({ summary, hidesPodsWithoutWorkload }: ClusterReport): Tile {
  const { podCount, expectedPodCount, measuredPodCount, pendingPodCount, oldestDataAgeMs } = summary;
  const unmeasuredCount = expectedPodCount - measuredPodCount;
  const count = hidesPodsWithoutWorkload ? measuredPodCount : podCount;
  const age = oldestDataAgeMs === undefined ? 'no data' : `data up to ${formatAge(oldestDataAgeMs)} old`;
  return {
    label: 'Running pods measured',
    value: markup`${formatCount(count)} <small>of ${formatCount(count + unmeasuredCount)}</small>`,
    note: [
      ...(unmeasuredCount > 0 ? [`${formatCount(unmeasuredCount)} not measured`] : []),
      ...(pendingPodCount > 0 ? [`volumes of ${formatCount(pendingPodCount)} not measured`] : []),
      ...unlistedNote(summary),
      age,
    ].join(', '),
    severity: worst({
      warning: unmeasuredCount,
      unknown: unknownPlaces(summary) + pendingPodCount + (oldestDataAgeMs === undefined ? 1 : 0),
    }),
  };
}

function used({ summary, hidesPodsWithoutWorkload }: ClusterReport): Tile {
  const { freshNodeCount, staleNodeCount, podsUsedBytes, podCount, pendingPodCount } = summary;
  const missing = summary.expectedPodCount - summary.measuredPodCount;
  const isKnown = freshNodeCount + staleNodeCount > 0;
  const isWhole = isKnown && missing === 0 && unknownPlaces(summary) === 0 && pendingPodCount === 0;
  const lacks = [
    ...(missing > 0 ? [`without ${formatCount(missing)} not measured`] : []),
    ...(pendingPodCount > 0 ? [`without the volumes of ${formatCount(pendingPodCount)}`] : []),
  ];
  const of = `${countText(podCount, 'pod', 'pods')}${hidesPodsWithoutWorkload ? ' with a workload' : ''}`;
  return {
    label: 'Used by pods',
    value: isKnown ? markup`${isWhole ? undefined : atLeast}${formatBytes(podsUsedBytes)}` : formatBytes(undefined),
    note: [`of ${of}`, ...lacks].join(', '),
    severity: isWhole ? '' : 'unknown',
  };
}

function reached({ summary }: ClusterReport): Tile {
  const { reachedLimitPodCount } = summary;
  return {
    label: 'Pods at or above a limit',
    value: knownText(reachedLimitPodCount, summary),
    note: `≥ ${limitThresholds.reached * 100} %, ${ofPods(summary)}`,
    severity: worst({ critical: reachedLimitPodCount, unknown: unknownPart(summary) }),
  };
}

function near({ summary }: ClusterReport): Tile {
  const { nearLimitPodCount } = summary;
  return {
    label: 'Pods near a limit',
    value: knownText(nearLimitPodCount, summary),
    note: `≥ ${limitThresholds.near * 100} % or within 10 min`,
    severity: worst({ warning: nearLimitPodCount, unknown: unknownPart(summary) }),
  };
}

const atLeast = markup`<small>at least</small> `;

/** Pods without data may be there too. */
function knownText(count: number, { unknownLimitPodCount }: ClusterSummary): MarkupContent {
  return unknownLimitPodCount === 0
    ? formatCount(count)
    : markup`${formatCount(count)} <small>and ${formatCount(unknownLimitPodCount)} unknown</small>`;
}

function ofPods({ limitedPodCount, unknownLimitPodCount, unenforcedLimitCount: count }: ClusterSummary): string {
  const unenforced = count === 0 ? '' : `; ${countText(count, 'limit', 'limits')} not enforced`;
  return `of ${countText(limitedPodCount + unknownLimitPodCount, 'pod', 'pods')} with limits${unenforced}`;
}

/** Where no limit is enforced, none that is near is no good sign. Young pods of a silent node are not counted yet, and may have limits; so may those of a namespace that is not listed. */
function unknownPart(summary: ClusterSummary): number {
  const { limitCount, unenforcedLimitCount, unknownLimitPodCount } = summary;
  const hasOnlyUnenforced = unenforcedLimitCount > 0 && unenforcedLimitCount === limitCount;
  return unknownLimitPodCount + unknownPlaces(summary) + Number(hasOnlyUnenforced);
}

function unknownPlaces(summary: ClusterSummary): number {
  return unknownNodes(summary) + summary.unlistedNamespaceCount;
}

function unlistedNote({ unlistedNamespaceCount: count }: ClusterSummary): readonly string[] {
  return count > 0 ? [`${countText(count, 'namespace', 'namespaces')} not listed`] : [];
}
