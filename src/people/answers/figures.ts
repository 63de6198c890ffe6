import { countedText, formatCount, numberText } from '../../lib/base/text.js';
import { formatAge } from '../../lib/base/units.js';
import {
  type BlockOf,
  count,
  type DocumentPart,
  type GridTile,
  joined,
  type KeyFigure,
  type Line,
  type Link,
  type Piece,
  share,
  type Tone,
} from '../pens/document.js';
import type { ClusterReport, ClusterSummary } from '../query/cluster-report.js';
import type { Status } from '../query/status.js';
import { isRefusal } from '../report/eviction-cause-text.js';
import type { EvictionReport } from '../report/eviction-report.js';
import { conditionMarks, type DiskTrouble, type NodeCondition, nodeConditions } from '../report/node-condition.js';
import type { NodeGridReport, NodePoolReport, NodeTileReport } from '../report/node-grid.js';
import { areMostNodesSilent } from '../rules/data-rules.js';
import { section, text } from './parts.js';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** What is in trouble, what happened, and how far it is known; each with its list. `evictions`: all that are remembered. */
export function figures(
  status: Pick<Status, 'generatedAtMs' | 'health'>,
  cluster: ClusterReport,
  evictions: readonly EvictionReport[],
): BlockOf<'figures'> {
  return {
    is: 'figures',
    title: 'Summary',
    figures: [disks(cluster), pods(cluster.summary), evictionsOfDay(status, evictions), data(cluster)],
  };
}

function linkTo(kind: string, shown: string, only?: string): Link {
  return { path: [kind], ...(only !== undefined && { query: { only } }), shown };
}

/** Several may be there that nobody knows: `list` has them. */
function counted(amount: number, unknownCount: number, list?: Link): Line {
  if (unknownCount === 0) return count(amount);
  const unknown = { text: list === undefined ? ` and ${formatCount(unknownCount)} unknown` : ' and ', isMuted: true };
  return [count(amount), unknown, ...(list === undefined ? [] : [list])];
}

/** Those that are none are left out. */
function parts(...counts: readonly (readonly [amount: number, what: string])[]): string {
  return counts.flatMap(([amount, what]) => (amount === 0 ? [] : [`${formatCount(amount)} ${what}`])).join(', ');
}

/** A node in trouble counts once, by what matters most, and as an unknown one too where that is what was last known. */
function disks({ grid: { conditions, troubles, nodeCount }, summary }: ClusterReport): KeyFigure {
  const of = (...names: readonly DiskTrouble[]): number => names.reduce((sum, name) => sum + (troubles[name] ?? 0), 0);
  const critical = of('evicting', 'no_space', 'refusing');
  const warning = of('near', 'full');
  const unknownCount = summary.absentNodeCount + (conditions.unknown ?? 0);
  const note = parts(
    [of('evicting'), 'below a threshold'],
    [summary.pressedEmptyNodeCount, 'with no pod left to evict'],
    [of('no_space'), 'full without a threshold'],
    [of('refusing'), 'under DiskPressure'],
    [of('near'), 'near a threshold'],
    [of('full'), 'nearly full'],
  );
  return {
    name: linkTo('nodes', 'Disks in trouble', 'near'),
    value: counted(
      critical + warning,
      unknownCount,
      linkTo('nodes', `${formatCount(unknownCount)} unknown`, 'unknown'),
    ),
    note: note === '' ? `of ${numberText(nodeCount, ['node', 'nodes'])}` : note,
    tone: worstTone({ critical, warning, unknown: unknownCount + unknownNodes(summary) }),
  };
}

function pods(summary: ClusterSummary): KeyFigure {
  const { reachedLimitPodCount: above, nearLimitPodCount: near, unknownLimitPodCount: unknownCount } = summary;
  const { limitedPodCount, unenforcedPodCount } = summary;
  const limited = limitedPodCount + unknownCount;
  const note = [
    parts([above, 'above a limit'], [near, above === 0 ? 'near a limit' : 'near one']),
    above + near > 0 || limited === 0 ? '' : `of ${formatCount(limited)} with limits`,
    above + near + limited + unenforcedPodCount === 0 ? 'none has a limit' : '',
  ].filter((text) => text !== '');
  const unenforced = parts([unenforcedPodCount, 'with a limit that is not enforced']);
  const ofUnenforced = unenforced === '' ? [] : [linkTo('pods', unenforced, 'unenforced')];
  return {
    name: linkTo('pods', 'Pods in trouble', 'near'),
    value: counted(above + near, unknownCount),
    note: joined([...note.map((text) => [text]), ofUnenforced], ', '),
    tone: worstTone({ warning: above + near, unknown: unknownLimits(summary) }),
  };
}

/** As far as they are known: a night without evictions looks like one before which the exporter was not there. */
function evictionsOfDay(
  { generatedAtMs: nowMs, health }: Pick<Status, 'generatedAtMs' | 'health'>,
  evictions: readonly EvictionReport[],
): KeyFigure {
  const ofDay = evictions.filter(({ evictedAtMs }) => nowMs - evictedAtMs < dayMs);
  const evicted = ofDay.filter((of) => !isRefusal(of));
  const agesMs = evicted.map(({ evictedAtMs }) => Math.max(0, nowMs - evictedAtMs));
  const knownMs = Math.min(dayMs, Math.max(0, nowMs - health.evictionsSinceMs));
  const hasGap = health.evictionGaps.some(({ untilMs }) => nowMs - untilMs < dayMs);
  const lastHourCount = agesMs.filter((ageMs) => ageMs < hourMs).length;
  const hours = Array.from({ length: Math.max(1, Math.ceil(knownMs / hourMs)) }, (_, hour) => hour).toReversed();
  const byHour = hours.map((hour) => agesMs.filter((ageMs) => Math.floor(ageMs / hourMs) === hour).length);
  const note = [
    lastHourCount === 0 ? '' : `${formatCount(lastHourCount)} in the last hour`,
    countedText(ofDay.length - evicted.length, ['pod refused', 'pods refused']),
    knownMs < dayMs ? `known for ${formatAge(knownMs)}` : '',
    hasGap ? 'pods were not watched for a time' : '',
  ].filter((text) => text !== '');
  const isUnknown = knownMs < dayMs || hasGap;
  return {
    name: linkTo('evictions', 'Evictions in 24 h'),
    value: count(agesMs.length),
    note: note.join(', '),
    tone: worstTone({ warning: lastHourCount, unknown: Number(isUnknown) }),
    ...(agesMs.length > 0 && { bars: { caption: 'by hour', counts: byHour } }),
  };
}

function data(cluster: ClusterReport): KeyFigure {
  const { summary, isPartial } = cluster;
  const { freshNodeCount, staleNodeCount, absentNodeCount, failedNodeCount, oldestDataAgeMs } = summary;
  const { expectedPodCount, measuredPodCount, pendingPodCount, unlistedNamespaceCount } = summary;
  const unmeasuredCount = expectedPodCount - measuredPodCount;
  const known = freshNodeCount + staleNodeCount;
  const all = known + absentNodeCount;
  const lacks: readonly (readonly Piece[])[] = [
    oldestDataAgeMs === undefined ? ['no data'] : [`up to ${formatAge(oldestDataAgeMs)} old`],
    staleNodeCount === 0 ? [] : [count(staleNodeCount), ' ', { word: 'stale' }],
    absentNodeCount === 0 ? [] : [count(absentNodeCount), ' ', { word: 'absent' }],
    isPartial ? ['some had not responded yet'] : [],
    unmeasuredCount <= 0 ? [] : [countedText(unmeasuredCount, ['pod', 'pods']), ' not measured'],
    pendingPodCount === 0 ? [] : [`volumes of ${countedText(pendingPodCount, ['pod', 'pods'])} not measured`],
    unlistedNamespaceCount === 0
      ? []
      : [countedText(unlistedNamespaceCount, ['namespace', 'namespaces']), ' not listed'],
  ];
  return {
    name: linkTo('nodes', 'Data'),
    value: [count(known), { text: ` of ${numberText(all, ['node', 'nodes'])}`, isMuted: true }],
    note: joined(lacks, ', '),
    tone: worstTone({
      critical: Number(areMostNodesSilent(cluster)),
      warning: staleNodeCount + Math.max(0, unmeasuredCount) + (isPartial ? failedNodeCount : absentNodeCount),
      unknown: unknownNodes(summary) + unlistedNamespaceCount + unknownUsage(summary),
    }),
  };
}

/** Returns the worst tone with a count above 0. */
function worstTone(counts: Partial<Record<Exclude<Tone, 'ok'>, number>>): Tone {
  return (['critical', 'warning', 'unknown'] as const).find((tone) => (counts[tone] ?? 0) > 0) ?? 'ok';
}

/** Returns that of the worst problem, and without one `unknown` where there may be one that is not known. */
export function statusTone({ problems, cluster }: Pick<Status, 'problems' | 'cluster'>): Tone {
  if (problems.some(({ severity }) => severity === 'critical')) return 'critical';
  if (problems.length > 0) return 'warning';
  return cluster === undefined || unknownCount(cluster.summary) > 0 ? 'unknown' : 'ok';
}

function unknownCount(summary: ClusterSummary): number {
  return unknownLimits(summary) + summary.unknownPressureNodeCount + unknownUsage(summary);
}

/** Above 0 where not all pods that should be are measured. */
function unknownUsage({ pendingPodCount, expectedPodCount, measuredPodCount }: ClusterSummary): number {
  return pendingPodCount + expectedPodCount - measuredPodCount;
}

/** Above 0 where a node without data, or all that are not known, may be in trouble. */
function unknownNodes({ absentNodeCount, freshNodeCount, staleNodeCount }: ClusterSummary): number {
  return absentNodeCount + (freshNodeCount + staleNodeCount === 0 ? 1 : 0);
}

/** The same of pods. Where no limit is enforced, none that is near is no good sign. Young pods of a silent node are not counted yet, and may have limits; so may those of a namespace that is not listed. */
function unknownLimits(summary: ClusterSummary): number {
  const { limitedPodCount, unenforcedPodCount, unknownLimitPodCount, unlistedNamespaceCount } = summary;
  const hasOnlyUnenforced = unenforcedPodCount > 0 && limitedPodCount === 0;
  return unknownLimitPodCount + unknownNodes(summary) + unlistedNamespaceCount + Number(hasOnlyUnenforced);
}

/** A tile for each node, by pool, the worst first. */
export function nodeGridPart(grid: NodeGridReport): DocumentPart {
  const none = 'No nodes are in scope. Check cluster.nodeSelector. With more shards than nodes, some shards have none.';
  return section({ id: 'nodes', title: 'Nodes', note: { path: ['nodes'], shown: 'all nodes' } }, [
    grid.nodeCount === 0 ? text(none) : gridBlock(grid),
  ]);
}

function gridBlock(grid: NodeGridReport): BlockOf<'grid'> {
  const { pools, nodeCount, conditions } = grid;
  const moreCount = nodeCount - pools.reduce((sum, { nodes }) => sum + nodes.length, 0);
  const present = nodeConditions.filter((condition) => conditions[condition] !== undefined);
  return {
    is: 'grid',
    legend: present.map((condition) => ({
      ...markOf(condition),
      text: `${conditionMarks[condition].text}: ${numberText(conditions[condition] ?? 0, ['node', 'nodes'])}`,
    })),
    groups: pools.map((pool) => groupOf(pool, grid)),
    ...(moreCount > 0 && { more: { path: ['nodes'], shown: `and ${formatCount(moreCount)} more` } }),
  };
}

function markOf(condition: NodeCondition): Pick<GridTile, 'letter' | 'tone' | 'isMissing'> {
  const { letter, severity } = conditionMarks[condition];
  return { letter, tone: severity, isMissing: condition === 'silent' };
}

function groupOf({ pool, isRest, nodeCount, nodes }: NodePoolReport, { poolCount }: NodeGridReport) {
  const name = isRest === true ? 'other pools' : (pool ?? 'without a pool');
  return {
    name: `Nodes of ${name}`,
    ...(poolCount > 1 || pool !== undefined ? { title: `${name}, ${countedText(nodeCount, ['node', 'nodes'])}` } : {}),
    tiles: nodes.map(tileOf),
  };
}

function tileOf({ node, condition, isLastKnown, fullRatio }: NodeTileReport): GridTile {
  const { text: its } = conditionMarks[condition];
  return {
    ...markOf(condition),
    name: node,
    path: ['nodes', node],
    state: isLastKnown ? `${its} when last known` : its,
    full: share(fullRatio),
  };
}
