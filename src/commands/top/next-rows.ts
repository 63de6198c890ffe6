import { formatBytes, formatRatio } from '../../base/units.js';
import { countsInodes } from '../../kubelet/eviction-signals.js';
import { isNearHeadroom } from '../../node/node-thresholds.js';
import type { ListedNodeReport } from '../../query/list-nodes.js';
import type { MeasuredPodReport, PodReport } from '../../report/pod-report.js';
import type { NodePressureReport } from '../../report/pressure-report.js';
import { amountText } from '../explain/signal-lines.js';
import type { Style } from '../text/terminal-text.js';
import type { ListAnswer, ViewReader } from '../views/view-source.js';
import { timeText, urgencyOf } from './pod-rows.js';
import { namespaceColumn, type RowQuery, ruleText, type View } from './view.js';

/** A pod that is near a limit, or a node that is near a threshold. */
export type NextRow =
  | { readonly kind: 'pod'; readonly pod: MeasuredPodReport; readonly timeMs: number | undefined }
  | { readonly kind: 'node'; readonly node: NodePressureReport; readonly timeMs: number | undefined };

/** Who is evicted next, pods for their limits and nodes that evict pods, on one clock: those without a time are last. */
export const nextView: View<NextRow> = {
  read: readNext,
  name: (row) => (row.kind === 'pod' ? `pod/${row.pod.pod}` : `node/${row.node.node}`),
  report: (row) => (row.kind === 'pod' ? row.pod : row.node),
  columns: [
    {
      header: 'IN',
      text: ({ timeMs }) => timeText(timeMs),
      value: ({ timeMs }) => urgencyOf(timeMs),
      align: 'right',
      style: timeStyle,
    },
    { header: 'KIND', text: ({ kind }) => kind, dropRank: 3 },
    namespaceColumn((row) => (row.kind === 'pod' ? row.pod.namespace : '')),
    { header: 'NAME', text: nameOf, minWidth: 12 },
    { header: 'NODE', text: (row) => (row.kind === 'pod' ? row.pod.node : row.node.node), minWidth: 10, dropRank: 4 },
    { header: 'WHY', text: whyText, minWidth: 24, dropRank: 2 },
    { header: 'LEFT', text: leftText, align: 'right', dropRank: 1 },
  ],
};

async function readNext(reader: ViewReader, { parameters, count }: RowQuery): Promise<ListAnswer<NextRow>> {
  const near = { ...parameters, only: 'near' };
  const isOfPodsAlone = [parameters['namespace'], parameters['selector'], parameters['workload']].some(Boolean);
  const [pods, nodes] = await Promise.all([
    reader.list('pods', near, count),
    reader.list('nodes', { only: 'near', search: parameters['node'] }, isOfPodsAlone ? 1 : count),
  ]);
  const podRows = pods.items.flatMap(podRow);
  const nodeRows = isOfPodsAlone ? [] : nodes.items.flatMap((node) => nodeRow(node, parameters['node']));
  const items = [...podRows, ...nodeRows].toSorted(soonestFirst).slice(0, count);
  const nodeCount = isOfPodsAlone ? 0 : countWithout(nodes, nodeRows);
  return { ...pods, items, totalCount: countWithout(pods, podRows) + nodeCount };
}

/** Of a list, without the items that are no rows. */
function countWithout({ items, totalCount }: ListAnswer<unknown>, rows: readonly NextRow[]): number {
  return totalCount - (items.length - rows.length);
}

function podRow(pod: PodReport): readonly NextRow[] {
  return pod.state === 'unmeasured' ? [] : [{ kind: 'pod', pod, timeMs: pod.timeToLimitMs }];
}

function nodeRow({ node, pressure }: ListedNodeReport, wanted: string | undefined): readonly NextRow[] {
  if (pressure === undefined || (wanted !== undefined && wanted !== node)) return [];
  return [{ kind: 'node', node: pressure, timeMs: pressure.headroom < 0 ? 0 : pressure.timeToEvictionMs }];
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
  if (row.kind === 'pod') {
    const { nearestLimit } = row.pod;
    if (nearestLimit === undefined) return '-';
    return `${formatRatio(nearestLimit.ratio)} of the limit ${formatBytes(nearestLimit.limitBytes)} (${ruleText(nearestLimit)})`;
  }
  const { signal, headroom, thresholdBytes, thresholdInodes } = row.node;
  if (headroom < 0) return `below its threshold of ${signal}: evicts pods`;
  if (row.timeMs !== undefined) return `crosses its threshold of ${signal}`;
  const threshold = thresholdBytes ?? thresholdInodes ?? Infinity;
  return isNearHeadroom(headroom, threshold)
    ? `near its threshold of ${signal}`
    : 'under DiskPressure: refuses new pods';
}

function leftText(row: NextRow): string {
  if (row.kind === 'node') {
    const { signal, headroom } = row.node;
    return `${amountText(signal, headroom)}${countsInodes(signal) ? ' inodes' : ''}`;
  }
  const { nearestLimit } = row.pod;
  return nearestLimit === undefined ? '-' : formatBytes(nearestLimit.limitBytes - nearestLimit.usedBytes);
}
