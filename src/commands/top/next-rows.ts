import { isNearHeadroom } from '../../facts/node/node-thresholds.js';
import { isNear } from '../../facts/node/standing.js';
import type { Ranked } from '../../lib/base/ranking.js';
import { countedText, joinTruncated } from '../../lib/base/text.js';
import { formatAge, formatBytes, formatRatio } from '../../lib/base/units.js';
import { type Style, terminalText } from '../../people/pens/terminal-text.js';
import type { ListedNodeReport } from '../../people/query/list-nodes.js';
import { limitText } from '../../people/report/limit-report.js';
import type { DataFacts, PodReport } from '../../people/report/pod-report.js';
import type { NodePressureReport } from '../../people/report/pressure-report.js';
import { signalAmount } from '../../people/report/signal-report.js';
import { shardsText } from '../../serve/source/shards.js';
import type { AnswerFacts, ListAnswer, ViewParameters, ViewReader } from '../../serve/source/view-source.js';
import { absentCount } from './missing.js';
import { timeText } from './pod-rows.js';
import { namespaceColumn, type RowQuery, ruleText, type View } from './view.js';

/** A pod that is near a limit, or a node that is near a threshold. */
export type NextRow =
  | { readonly kind: 'pod'; readonly pod: PodReport; readonly timeMs: number | undefined }
  | {
      readonly kind: 'node';
      readonly node: NodePressureReport;
      readonly timeMs: number | undefined;
      /** The condition DiskPressure. */
      readonly isRefusing: boolean;
    };

/** Who is evicted next, pods for their limits and nodes that evict pods, on one clock: those without a time are last. */
export const nextView: View<NextRow> = {
  read: readNext,
  name: (row) => (row.kind === 'pod' ? `pod/${row.pod.pod}` : `node/${row.node.node}`),
  report: (row) => (row.kind === 'pod' ? row.pod : row.node),
  columns: [
    {
      header: 'IN',
      text: ({ timeMs }) => timeText(timeMs),
      value: ({ timeMs }) => timeMs && -timeMs,
      align: 'right',
      dropRank: 1,
      style: timeStyle,
    },
    { header: 'KIND', text: ({ kind }) => kind, dropRank: 3 },
    namespaceColumn((row) => (row.kind === 'pod' ? row.pod.namespace : '')),
    { header: 'NAME', text: nameOf, minWidth: 12 },
    {
      header: 'NODE',
      text: (row) => (row.kind === 'pod' ? (row.pod.node ?? '-') : row.node.node),
      minWidth: 10,
      dropRank: 4,
    },
    { header: 'WHY', text: whyText, dropRank: 1 },
    { header: 'LEFT', text: leftText, align: 'right', dropRank: 2 },
    {
      header: 'STATE',
      text: stateText,
      value: (row) => (stateText(row) === '-' ? undefined : 1),
      dropRank: 2,
      isSeldom: true,
      style: (row): Style | undefined => (stateText(row) === '-' ? undefined : 'yellow'),
    },
  ],
};

async function readNext(reader: ViewReader, { parameters, count }: RowQuery): Promise<ListAnswer<NextRow>> {
  const near = { ...parameters, only: 'near' };
  const isOfPodsAlone = asksForPodsAlone(parameters);
  const [pods, unknownPods, nodes, unknown] = await Promise.all([
    reader.list('pods', near, count),
    reader.list('pods', { ...parameters, only: 'unknown' }, maxUnknownCount),
    reader.list('nodes', { only: 'near', search: parameters['node'] }, isOfPodsAlone ? 1 : count),
    reader.list('nodes', { only: 'unknown', search: parameters['node'] }, isOfPodsAlone ? 1 : maxUnknownCount),
  ]);
  const podRows = pods.items.map((pod): NextRow => ({ kind: 'pod', pod, timeMs: pod.timeToLimitMs }));
  const nodeRows = isOfPodsAlone ? [] : nodes.items.flatMap((node) => nodeRow(node, parameters['node']));
  const items = [...podRows, ...nodeRows].toSorted(soonestFirst).slice(0, count);
  const nodeCount = isOfPodsAlone ? 0 : nodes.totalCount - (nodes.items.length - nodeRows.length);
  const notes = [...pods.notes, ...(isOfPodsAlone ? [] : unknownNotes(unknown)), ...unknownPodNotes(unknownPods)];
  return { ...pods, notes, items, totalCount: pods.totalCount + nodeCount };
}

const maxUnknownCount = 1_000;
const shownCount = 3;

/** Names the nodes of which nobody knows how close they are to a threshold. */
function unknownNotes({ items, totalCount }: Ranked<ListedNodeReport>): readonly string[] {
  const names = items.flatMap(({ node, condition }) => (condition === 'unknown' ? [node] : []));
  if (names.length === 0) return [];
  const count = names.length + totalCount - items.length;
  return [`Not known whether close to evicting pods (explain node): ${joinTruncated(names, shownCount, count)}.`];
}

/** Counts the pods with a limit that may be near, for all that is known: of those that are listed. */
function unknownPodNotes({ items, totalCount }: Ranked<PodReport>): readonly string[] {
  const names = items.filter(isUnknown).map(({ namespace, pod }) => `${namespace}/${pod}`);
  if (names.length === 0) return [];
  const count = `${totalCount > items.length ? 'at least ' : ''}${countedText(names.length, ['pod', 'pods'])}`;
  return [`Unknown: the usage of ${count} with limits (${joinTruncated(names, shownCount)}).`];
}

function isUnknown(pod: PodReport): boolean {
  if (pod.hasLimits !== true || isNear(pod.standing)) return false;
  const isLacking = pod.state === 'unmeasured' ? pod.isExpected : pod.state === 'pending';
  return isLacking || pod.hasUnknownUsage === true || pod.dataState === 'absent';
}

/** Says that nothing is near, of the nodes of which it is known. `node`: the only one that is asked for. */
export function nothingNext(
  parameters: ViewParameters,
  { coverage, shards, notes }: AnswerFacts,
  node: ListedNodeReport | undefined,
): string {
  if (node?.state === 'absent') {
    return `Node ${terminalText(node.node)} has no data (${node.reason}): what is next there is unknown.`;
  }
  const measuredCount = coverage.freshNodeCount + coverage.staleNodeCount;
  const nodeCount = measuredCount + absentCount(coverage);
  if (measuredCount === 0) return 'No node has data: what is next is unknown.';
  const dataText = measuredCount === nodeCount ? '' : ` among the ${measuredCount} of ${nodeCount} nodes with data`;
  const place = shards === undefined ? dataText : ` ${shardsText(shards)}`;
  if (asksForPodsAlone(parameters)) {
    const near = notes.length > 0 ? 'known to be near' : 'near';
    return `None of these pods is ${near} a limit${node === undefined ? place : ''}; nodes are shown without --namespace, --selector and --workload.`;
  }
  return calmText(node, place, notes.length > 0);
}

function calmText(node: ListedNodeReport | undefined, place: string, isPartial: boolean): string {
  if (isPartial) return `Nothing that is known is near a limit or a threshold${node === undefined ? place : ''}.`;
  return node === undefined
    ? `No pod is near a limit, and no node is near a threshold${place}.`
    : `No pod on node ${terminalText(node.node)} is near a limit, and the node is near no threshold.`;
}

/** Nodes belong to no namespace and to no workload. */
function asksForPodsAlone({ namespace, selector, workload }: ViewParameters): boolean {
  return [namespace, selector, workload].some(Boolean);
}

function nodeRow(
  { node, pressure, diskPressure = false }: ListedNodeReport,
  wanted: string | undefined,
): readonly NextRow[] {
  if (pressure === undefined || (wanted !== undefined && wanted !== node)) return [];
  const isBelow = (pressure.headroom ?? 0) < 0 && pressure.dataState !== 'absent';
  const belowMs = pressure.victims?.length === 0 ? undefined : 0;
  const timeMs = isBelow ? belowMs : pressure.timeToEvictionMs;
  return [{ kind: 'node', node: pressure, timeMs, isRefusing: diskPressure }];
}

/** Nodes first of those at the same time: one evicts many pods. */
function soonestFirst(a: NextRow, b: NextRow): number {
  const [first, second] = [a.timeMs ?? Infinity, b.timeMs ?? Infinity];
  if (first !== second) return first - second;
  return Number(a.kind === 'pod') - Number(b.kind === 'pod');
}

function nameOf(row: NextRow): string {
  return row.kind === 'pod' ? row.pod.pod : row.node.node;
}

function timeStyle({ timeMs }: NextRow): Style | undefined {
  if (timeMs === undefined) return undefined;
  return timeMs === 0 ? 'bold-red' : 'yellow';
}

function whyText(row: NextRow): string {
  if (row.kind === 'pod') return podWhyText(row);
  const { headroom } = row.node;
  return headroom === undefined ? 'DiskPressure: may be evicting, headroom unknown' : nodeWhyText(row, headroom);
}

function nodeWhyText({ node, timeMs, isRefusing }: NextRow & { readonly kind: 'node' }, headroom: number): string {
  const { signal, thresholdBytes, thresholdInodes = Infinity, victims } = node;
  const what = victims?.length === 0 ? ': no pod left' : '';
  if (headroom < 0) return `below ${signal}${timeMs === undefined ? what : ': evicts pods'}`;
  if (timeMs !== undefined) return `crosses ${signal}`;
  const isClose = !isRefusing || isNearHeadroom(headroom, thresholdBytes ?? thresholdInodes);
  return isClose ? `near ${signal}` : 'DiskPressure: refuses new pods';
}

function podWhyText({ pod: { nearestLimit } }: NextRow & { readonly kind: 'pod' }): string {
  if (nearestLimit === undefined) return '-';
  return `${formatRatio(nearestLimit.ratio)} of ${limitText(nearestLimit)} (${ruleText(nearestLimit)})`;
}

function leftText(row: NextRow): string {
  if (row.kind === 'node') return signalAmount(row.node.signal, row.node.headroom);
  const { nearestLimit } = row.pod;
  return nearestLimit === undefined ? '-' : formatBytes(nearestLimit.limitBytes - nearestLimit.usedBytes);
}

function dataOf(row: NextRow): Partial<DataFacts> {
  return row.kind === 'pod' ? row.pod : row.node;
}

/** How old it is, of what is not current. */
function stateText(row: NextRow): string {
  const { dataState, dataAgeMs } = dataOf(row);
  if (dataState === undefined || dataState === 'fresh') return '-';
  return dataState === 'absent'
    ? `last known ${formatAge(dataAgeMs)} ago`
    : `${dataState}, ${formatAge(dataAgeMs)} old`;
}
