import { formatAge, formatBytes } from '../../base/units.js';
import type { ClusterReport, ClusterSummary } from '../../report/cluster-report.js';
import { type Content, type Markup, markup } from './markup.js';
import { countText, type Severity } from './texts.js';

interface Tile {
  readonly label: string;
  readonly value: Content;
  readonly note: string;
  readonly severity: Severity | '';
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
  const { summary } = cluster;
  return [nodes(summary), coverage(cluster), used(cluster), reached(summary), near(summary)];
}

function nodes(summary: ClusterSummary): Tile {
  const { freshNodeCount, staleNodeCount, absentNodeCount, skippedNodeCount } = summary;
  const scrapedCount = freshNodeCount + staleNodeCount + absentNodeCount;
  const others = [
    [staleNodeCount, 'stale'],
    [absentNodeCount, 'absent'],
    [skippedNodeCount, 'skipped'],
  ] as const;
  return {
    label: 'Nodes with fresh data',
    value: markup`${freshNodeCount} <small>of ${scrapedCount}</small>`,
    note: others.map(([count, state]) => `${count} ${state}`).join(', '),
    severity: worst(absentNodeCount > 0, staleNodeCount > 0),
  };
}

/** Pods that are too young to be expected count as soon as they are measured, if all measured pods are known. */
function coverage({ summary, hidesPodsWithoutWorkload }: ClusterReport): Tile {
  const { podCount, expectedPodCount, measuredPodCount, oldestDataAgeMs } = summary;
  const unmeasuredCount = expectedPodCount - measuredPodCount;
  const count = hidesPodsWithoutWorkload ? measuredPodCount : podCount;
  return {
    label: 'Running pods measured',
    value: markup`${count} <small>of ${count + unmeasuredCount}</small>`,
    note: oldestDataAgeMs === undefined ? 'no data' : `data up to ${formatAge(oldestDataAgeMs)} old`,
    severity: worst(false, unmeasuredCount > 0),
  };
}

function used({ summary: { podsUsedBytes, podCount }, hidesPodsWithoutWorkload }: ClusterReport): Tile {
  return {
    label: 'Used by pods',
    value: formatBytes(podsUsedBytes),
    note: `ephemeral storage of ${countText(podCount, 'pod', 'pods')}${hidesPodsWithoutWorkload ? ' with a workload' : ''}`,
    severity: '',
  };
}

function reached({ reachedLimitCount, limitCount }: ClusterSummary): Tile {
  return {
    label: 'Limits reached',
    value: reachedLimitCount,
    note: `≥ 100 %, of ${countText(limitCount, 'limit', 'limits')}`,
    severity: worst(reachedLimitCount > 0, false),
  };
}

function near({ nearLimitCount, limitCount }: ClusterSummary): Tile {
  return {
    label: 'Limits near',
    value: nearLimitCount,
    note: `80 – 99 %, of ${countText(limitCount, 'limit', 'limits')}`,
    severity: worst(false, nearLimitCount > 0),
  };
}

function worst(isCritical: boolean, isWarning: boolean): Severity {
  if (isCritical) return 'critical';
  return isWarning ? 'warning' : 'ok';
}
