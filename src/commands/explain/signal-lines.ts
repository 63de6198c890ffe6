import { countsInodes, type EvictionSignal } from '../../cluster/kubelet/eviction-signals.js';
import { formatCount } from '../../lib/base/text.js';
import { formatAge, formatBytes } from '../../lib/base/units.js';
import type { SignalReport } from '../../people/report/signal-report.js';
import { type Column, tableLines } from '../text/table.js';
import { wrap, wrapped } from '../text/terminal-text.js';

const signalColumns: readonly Column<SignalReport>[] = [
  { header: 'SIGNAL', text: ({ signal }) => signal },
  { header: 'AVAILABLE', text: ({ signal, available }) => amountText(signal, available), align: 'right', dropRank: 1 },
  { header: 'THRESHOLD', text: (row) => amountText(row.signal, thresholdOf(row)), align: 'right', dropRank: 2 },
  { header: 'HEADROOM', text: ({ signal, headroom }) => amountText(signal, headroom), align: 'right' },
  { header: 'SOFT', text: softText, dropRank: 3 },
  {
    header: '',
    text: ({ isCrossed }) => (isCrossed ? 'crossed' : ''),
    style: ({ isCrossed }) => (isCrossed ? 'bold-red' : undefined),
  },
];

function thresholdOf(row: Pick<SignalReport, 'thresholdBytes' | 'thresholdInodes'>): number | undefined {
  return row.thresholdBytes ?? row.thresholdInodes;
}

function softText({ signal, soft }: SignalReport): string {
  if (soft === undefined) return '-';
  return `${amountText(signal, thresholdOf(soft))} for ${formatAge(soft.gracePeriodMs)}${soft.isCrossed ? ', crossed' : ''}`;
}

const assumedText =
  'The thresholds are assumed: they are the defaults of Kubernetes. With kubelet.readConfig (needs get on nodes/configz) they are read from the kubelet.';

/** Those that are short in a table, the others in one line. */
export function signalLines(signals: readonly SignalReport[], width: number): readonly string[] {
  const isAssumed = signals.some((signal) => signal.isAssumed === true);
  const short = signals.filter(isShort);
  return [
    ...tableLines(signalColumns, short, width),
    ...wrapped(calmTexts(signals.filter((signal) => !short.includes(signal))), width),
    ...(isAssumed ? wrap(assumedText, width) : []),
  ];
}

/** Below a threshold, or with less headroom than the threshold's own size. */
export function isShort(row: SignalReport): boolean {
  const { available = Infinity, soft } = row;
  const thresholds = [thresholdOf(row), soft && thresholdOf(soft)];
  return thresholds.some((threshold = 0) => available < 2 * threshold);
}

/** Without a threshold, or a value, nothing says that there is enough. */
function calmTexts(signals: readonly SignalReport[]): readonly string[] {
  const compared = signals.filter((row) => comparedHeadroom(row) !== undefined);
  const others = signals.filter((row) => !compared.includes(row));
  return [...listText('Not short', compared), ...listText('Not compared', others)];
}

function listText(what: string, signals: readonly SignalReport[]): readonly string[] {
  const amounts = signals.map((row) => `${row.signal} ${calmText(row)}`);
  return amounts.length === 0 ? [] : [`${what}: ${amounts.join(', ')}.`];
}

function calmText(row: SignalReport): string {
  const { signal, available, isAssumed, soft } = row;
  const headroom = comparedHeadroom(row);
  if (available === undefined) return 'unknown';
  if (headroom === undefined)
    return `${amountText(signal, available)} (${(isAssumed ?? soft) === undefined ? 'no' : 'unknown'} threshold)`;
  return `${amountText(signal, available)} (${amountText(signal, headroom)} above its threshold)`;
}

/** Above the hard threshold, or else the soft one. */
function comparedHeadroom({ available, headroom, soft }: SignalReport): number | undefined {
  if (available === undefined || soft === undefined) return headroom;
  return headroom ?? available - (thresholdOf(soft) ?? 0);
}

/** Bytes or inodes; `-` when it is unknown. */
export function amountText(signal: EvictionSignal, amount: number | undefined): string {
  return countsInodes(signal) ? formatCount(amount) : formatBytes(amount);
}
