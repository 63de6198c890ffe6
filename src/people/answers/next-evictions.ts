import { countedText } from '../../lib/base/text.js';
import { formatForecast } from '../../lib/base/units.js';
import { type Block, bytes, type DocumentPart, type Line, type Piece, type Row, share } from '../pens/document.js';
import type { ClusterReport, ClusterSummary } from '../report/cluster-report.js';
import { limitText, ratioTone, unenforcedNames } from '../report/limit-report.js';
import { type DataFacts, isLastKnown } from '../report/pod-report.js';
import type { NodePressureReport } from '../report/pressure-report.js';
import { type PodLimitReport, shownRatio } from '../report/ranked-pods.js';
import { signalAmount, signalMeasure, unreadPodsText } from '../report/signal-report.js';
import { workloadLink } from '../report/workload-report.js';
import { nodeLink, podLink, section, text } from './parts.js';
import { lastKnownLine } from './pod-facts.js';

/** The others are in the lists. */
const shownLimitCount = 4;
const shownNodeCount = 3;

/** The pods that kubelets may evict next: those near a limit of theirs, and the first ones on nodes near a threshold. */
export function nextEvictions({ limits, pressure, summary }: ClusterReport): DocumentPart {
  const pods = limits.items.slice(0, shownLimitCount).map(limitRow);
  const nodes = pressure.items.slice(0, shownNodeCount).map(pressureRow);
  const rows = [...nodes, ...pods].toSorted(({ timeMs: a = Infinity }, { timeMs: b = Infinity }) => compare(a, b));
  return section(
    {
      id: 'next-evictions',
      title: 'Next to be evicted',
      note: { path: ['pods'], query: { only: 'near' }, shown: 'all pods near a limit' },
    },
    [
      ...(rows.length === 0 ? [text(calmText(summary))] : [table(rows, limits.totalCount + pressure.totalCount)]),
      ...unknownTexts(summary).map(text),
    ],
  );
}

/** In one order also where both are never. */
function compare(a: number, b: number): number {
  return a === b ? 0 : a - b;
}

interface TimedRow {
  readonly row: Row;
  /** Until the eviction; undefined while no growth is known. */
  readonly timeMs: number | undefined;
}

function table(rows: readonly TimedRow[], totalCount: number): Block {
  return {
    is: 'table',
    caption: 'Pods that may be evicted next, the soonest first',
    columns: [
      { title: 'Who', minWidth: 20 },
      { title: 'In', isNumber: true },
      { title: 'Why', minWidth: 20 },
      { title: 'Left', isNumber: true, rank: 1 },
    ],
    rows: rows.map(({ row }) => row),
    totalCount,
    what: `from ${shownRatio * 100} % of a limit on, or close to a threshold`,
  };
}

function limitRow(limit: PodLimitReport): TimedRow {
  const { rule, container, volume, usedBytes, limitBytes, timeToLimitMs, standing, workload, podCount } = limit;
  const part = container ?? volume;
  const tone = isLastKnown(limit) ? 'unknown' : ratioTone(limit);
  const notes: readonly (readonly Piece[])[] = [
    ...(workload === undefined || podCount === 1 ? [] : [[`first of ${podCount} pods of `, workloadLink(workload)]]),
    ...oldNotes(limit),
    ...(limit.state === 'pending' && !isLastKnown(limit) ? [['volumes ', { word: 'pending' } as const]] : []),
    ...(limit.unenforced === undefined ? [] : [[`not enforced: ${unenforcedNames[limit.unenforced]}`]]),
  ];
  return {
    timeMs: timeToLimitMs,
    row: {
      cells: [
        podLink(limit),
        inText(timeToLimitMs, standing === 'above'),
        [share(limit.ratio, tone), ` of ${limitText(limit)} ${part === undefined ? rule : `${rule} ${part}`}`],
        bytes(limitBytes - usedBytes),
      ],
      note: joined(notes),
      isOld: isLastKnown(limit),
    },
  };
}

function inText(timeMs: number | undefined, isOver: boolean): Line {
  if (timeMs === undefined || timeMs === Infinity) return '-';
  if (timeMs > 0) return { text: formatForecast(timeMs), tone: 'warning' };
  return { text: isOver ? 'now' : 'any moment', tone: 'critical' };
}

/** A node that is close to a threshold evicts one pod after another: the first of them. */
function pressureRow(pressure: NodePressureReport): TimedRow {
  const { node, signal, headroom, victims } = pressure;
  const [first] = victims ?? [];
  const timeMs = victims?.length === 0 ? undefined : pressure.timeToEvictionMs;
  const isBelow = (headroom ?? 0) < 0;
  const place = `${isBelow ? 'below' : 'near'} ${signal}`;
  const tone = isLastKnown(pressure) ? undefined : isBelow ? 'critical' : 'warning';
  return {
    timeMs,
    row: {
      cells: [
        first === undefined ? ['node ', nodeLink(node)] : podLink(first),
        inText(timeMs, isBelow),
        first === undefined ? place : [nodeLink(node), ` ${place}`],
        signalMeasure(signal, headroom, tone),
      ],
      note: joined(pressureNotes(pressure)),
      isOld: isLastKnown(pressure),
    },
  };
}

function pressureNotes(pressure: NodePressureReport): readonly (readonly Piece[])[] {
  const { signal, thresholdBytes, thresholdInodes, isAssumed } = pressure;
  const note = victimsNote(pressure);
  const threshold = signalAmount(signal, thresholdBytes ?? thresholdInodes);
  return [
    ...(note === '' ? [] : [[note]]),
    ...(isAssumed ? [[`the threshold of ${threshold} is assumed`]] : []),
    ...oldNotes(pressure),
  ];
}

/** Why no pod is named, or that others follow it. */
function victimsNote({ victims, unreadPodCount, headroom }: NodePressureReport): string {
  if (unreadPodCount !== undefined) return `which pod is unknown: ${unreadPodsText(unreadPodCount)}`;
  if (headroom === undefined) return 'under DiskPressure: may be evicting now';
  if (victims === undefined) return 'evicts nobody now: DiskPressure is left from a shortage';
  if (victims.length === 0) return 'no pod is left to evict';
  return victims.length === 1 ? '' : `first of ${victims.length} pods in the order of eviction`;
}

function oldNotes(facts: DataFacts): readonly (readonly Piece[])[] {
  const old = lastKnownLine(facts);
  return old.length === 0 ? [] : [old];
}

/** Undefined for none. */
function joined(notes: readonly (readonly Piece[])[]): Line | undefined {
  return notes.length === 0 ? undefined : notes.flatMap((note, index) => (index === 0 ? note : ['; ', ...note]));
}

function calmText(summary: ClusterSummary): string {
  const { podCount, limitCount, pendingPodCount, unknownLimitPodCount } = summary;
  const isUnlimited = limitCount === 0 && pendingPodCount + unknownLimitPodCount === 0;
  if (podCount === 0) return 'No pods are measured yet.';
  const limits = isUnlimited
    ? 'No measured pod declares an ephemeral storage limit'
    : `No measured pod has reached ${shownRatio * 100} % of a limit`;
  return `${limits}, and no measured node is close to an eviction threshold.`;
}

function unknownTexts(summary: ClusterSummary): readonly string[] {
  const pods = countedText(summary.unknownLimitPodCount, ['pod', 'pods']);
  const nodes = countedText(summary.absentNodeCount + summary.unknownPressureNodeCount, ['node', 'nodes']);
  const unknown = [
    ...(pods === '' ? [] : [`the usage of ${pods} with limits`]),
    ...(nodes === '' ? [] : [`how close ${nodes} ${nodes.startsWith('1 ') ? 'is' : 'are'} to a threshold`]),
  ];
  return unknown.length === 0 ? [] : [`Unknown: ${unknown.join(', and ')}.`];
}
