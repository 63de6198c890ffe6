import { isNearHeadroom } from '../../facts/node/node-thresholds.js';
import { formatAge } from '../../lib/base/units.js';
import { bytes, joined, type Line, type Piece, share } from '../pens/document.js';
import { limitText, ratioTone, unenforcedNames } from '../report/limit-report.js';
import type { ListedNodeReport } from '../report/node-report.js';
import { type DataFacts, isLastKnown, lastKnownText, momentText, type PodReport } from '../report/pod-report.js';
import type { NodePressureReport } from '../report/pressure-report.js';
import { signalAmount, unreadPodsText } from '../report/signal-report.js';
import type { Kind } from './kind.js';
import { namespaceColumn, nodeColumn, ruleText, timeLine } from './pod-kind.js';

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
export const nextKind: Kind<NextRow> = {
  title: 'Next',
  what: 'pods and nodes',
  nameColumn: 'Name',
  nameOf: (row) => (row.kind === 'pod' ? `pod/${row.pod.pod}` : `node/${row.node.node}`),
  pathOf: (row) => (row.kind === 'pod' ? ['pods', row.pod.namespace, row.pod.pod] : ['nodes', row.node.node]),
  dataOf: (row) => (row.kind === 'pod' ? row.pod : row.node),
  noteOf: noteLine,
  isOld: (row) => isLastKnown(row.kind === 'pod' ? row.pod : row.node),
  columns: [
    {
      title: 'In',
      isNumber: true,
      rank: 1,
      about: 'Until the pod exceeds a limit, or the node crosses a threshold, at the present growth.',
      cell: (row) => timeLine(row.timeMs, overAt(row)),
    },
    { title: 'Kind', rank: 3, cell: ({ kind }) => kind },
    namespaceColumn((row) => (row.kind === 'pod' ? row.pod.namespace : '')),
    { title: 'Name', minWidth: 12, cell: (row) => (row.kind === 'pod' ? row.pod.pod : row.node.node) },
    nodeColumn((row) => (row.kind === 'pod' ? row.pod.node : row.node.node), 4),
    { title: 'Why', rank: 1, cell: whyLine },
    { title: 'Left', isNumber: true, rank: 2, about: 'To the limit or the threshold.', cell: leftLine },
    { title: 'State', rank: 1, isSeldom: true, cell: stateLine },
  ],
};

/**
 * Returns pods and nodes, the soonest first; at the same time a node, which evicts many pods. `nodes`: those that are near no threshold
 * are left out.
 */
export function nextRows(pods: readonly PodReport[], nodes: readonly ListedNodeReport[]): readonly NextRow[] {
  const ofPods = pods.map((pod): NextRow => ({ kind: 'pod', pod, timeMs: pod.timeToLimitMs }));
  return [...nodes.flatMap(nodeRow), ...ofPods].toSorted(({ timeMs: a = Infinity }, { timeMs: b = Infinity }) =>
    a === b ? 0 : a - b,
  );
}

function nodeRow({ pressure: node, diskPressure = false }: ListedNodeReport): readonly NextRow[] {
  if (node === undefined) return [];
  const isBelow = (node.headroom ?? 0) < 0 && node.dataState !== 'absent';
  const belowMs = node.victims?.length === 0 ? undefined : 0;
  return [{ kind: 'node', node, timeMs: isBelow ? belowMs : node.timeToEvictionMs, isRefusing: diskPressure }];
}

function overAt(row: NextRow): string | undefined {
  if (row.kind === 'node') return momentText(row.node);
  return row.pod.standing === 'above' ? momentText(row.pod) : undefined;
}

function noteLine(row: NextRow): Line | undefined {
  if (row.kind === 'node') return nodeNote(row.node);
  const { state, nearestLimit: { unenforced } = {} } = row.pod;
  const pending: readonly Piece[] = state === 'pending' ? ['volumes ', { word: 'pending' }] : [];
  const note = joined(
    [pending, unenforced === undefined ? [] : [`not enforced: ${unenforcedNames[unenforced]}`]],
    '; ',
  );
  return note.length === 0 ? undefined : note;
}

/** Whom it evicts, and by which threshold. */
function nodeNote(node: NodePressureReport): Line {
  const { signal, thresholdBytes, thresholdInodes, isAssumed } = node;
  const threshold = signalAmount(signal, thresholdBytes ?? thresholdInodes);
  return [...victimsLine(node), isAssumed ? `; the threshold of ${threshold} is assumed` : ''];
}

function victimsLine(node: NodePressureReport): readonly Piece[] {
  const { victims, unreadPodCount, headroom, isAssumed } = node;
  if (unreadPodCount !== undefined) return [`which pod goes first is unknown: ${unreadPodsText(unreadPodCount)}`];
  const mayEvict = headroom === undefined || (victims === undefined && isAssumed);
  if (mayEvict) return [`under DiskPressure: may be evicting ${momentText(node)}`];
  if (victims === undefined) return [`evicts nobody ${momentText(node)}: DiskPressure is left from a shortage`];
  const [first, ...others] = victims;
  if (first === undefined) return ['no pod is left to evict'];
  const link = { path: ['pods', first.namespace, first.pod], shown: `${first.namespace}/${first.pod}` };
  return [
    'evicts ',
    link,
    ` first${others.length === 0 ? '' : `, of ${victims.length} pods in the order of eviction`}`,
  ];
}

function whyLine(row: NextRow): Line {
  if (row.kind === 'pod') return podWhy(row.pod);
  const { headroom } = row.node;
  return headroom === undefined ? 'DiskPressure: may be evicting, headroom unknown' : nodeWhy(row, headroom);
}

function nodeWhy({ node, timeMs, isRefusing }: NextRow & { readonly kind: 'node' }, headroom: number): string {
  const { signal, thresholdBytes, thresholdInodes = Infinity, victims } = node;
  const what = victims?.length === 0 ? ': no pod left' : '';
  if (headroom < 0) return `below ${signal}${timeMs === undefined ? what : ': evicts pods'}`;
  if (timeMs !== undefined) return `crosses ${signal}`;
  const isClose = !isRefusing || isNearHeadroom(headroom, thresholdBytes ?? thresholdInodes);
  return isClose ? `near ${signal}` : 'DiskPressure: refuses new pods';
}

function podWhy(pod: PodReport): Line {
  const { nearestLimit: limit } = pod;
  if (limit === undefined) return '-';
  const ratio = share(limit.ratio, isLastKnown(pod) ? 'unknown' : ratioTone(limit));
  return [ratio, ` of ${limitText(limit)} (${ruleText(limit)})`];
}

function leftLine(row: NextRow): Line {
  if (row.kind === 'node') return signalAmount(row.node.signal, row.node.headroom);
  const { nearestLimit: limit } = row.pod;
  return limit === undefined ? '-' : bytes(limit.limitBytes - limit.usedBytes);
}

/** How old it is, of what is not current. */
function stateLine(row: NextRow): Line {
  const { dataState, dataAgeMs }: Partial<DataFacts> = row.kind === 'pod' ? row.pod : row.node;
  if (dataState === undefined || dataState === 'fresh') return '-';
  const age = lastKnownText({ dataState, dataAgeMs });
  return { text: age === '' ? `${dataState}, ${formatAge(dataAgeMs)} old` : age, tone: 'warning' };
}
