import { addAmounts, type Amount, roundUp } from '../../cluster/kube/quantity.js';
import {
  countsInodes,
  type EvictionSignal,
  evictionSignals,
  filesystemOf,
} from '../../cluster/kubelet/eviction-signals.js';
import {
  defaultThresholds,
  type EvictionThreshold,
  type ThresholdValue,
} from '../../cluster/kubelet/kubelet-configuration.js';
import type { NodeSummary } from '../../cluster/kubelet/summary.js';
import { minorVersion } from './kubelet-version.js';
import type { StorageLayout } from './node-layout.js';

/** One threshold of a node and how far it is from being crossed. Amounts are bytes or inodes, as the signal counts. */
export interface NodeThreshold {
  readonly signal: EvictionSignal;
  /** Above 0 for a soft threshold, see `EvictionThreshold`. */
  readonly gracePeriodMs: number;
  /** A default of Kubernetes: what the kubelet is configured with is not known. */
  readonly isAssumed: boolean;
  /** Rounded up. Undefined for a part of a filesystem of unknown size, as the following ones. */
  readonly threshold: number | undefined;
  /** Rounded up; 0 without one. */
  readonly minReclaim: number | undefined;
  /** Once the threshold is crossed, the kubelet goes on until this much is available. */
  readonly clearedAt: number | undefined;
  /** Undefined when the summary does not report it, as the headroom. */
  readonly available: number | undefined;
  /** What is available above the threshold; below 0 it is crossed. */
  readonly headroom: number | undefined;
  readonly isCrossed: boolean;
}

export interface NodeThresholdsInput {
  readonly summary: Pick<NodeSummary, 'nodefs' | 'imagefs' | 'containerfs'>;
  readonly layout: StorageLayout;
  /** Undefined when the kubelet's configuration is not known: its defaults are assumed. */
  readonly thresholds: readonly EvictionThreshold[] | undefined;
  readonly kubeletVersion: string | undefined;
  readonly operatingSystem: string | undefined;
}

/**
 * The thresholds that a kubelet goes by, by signal.
 * https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/#eviction-thresholds
 */
export function nodeThresholds(input: NodeThresholdsInput): readonly NodeThreshold[] {
  const configured = input.thresholds ?? assumedThresholds(input);
  const isAssumed = input.thresholds === undefined;
  return signalsOf(input).flatMap((signal) =>
    configuredFor(signal, configured, input.layout).map((threshold) =>
      measuredThreshold({ ...threshold, signal }, input.summary, isAssumed),
    ),
  );
}

/** What a kubelet goes by, as far as it is known. */
export interface ThresholdsInForce {
  /** Its defaults while its configuration is not known, without the refuted ones. */
  readonly thresholds: readonly NodeThreshold[];
  /** See `NodeMemory.refutedSignals`. */
  readonly refutedSignals: readonly EvictionSignal[];
  /** See {@link unsetSignals}. */
  readonly unsetSignals: readonly EvictionSignal[];
}

export const noThresholds: ThresholdsInForce = { thresholds: [], refutedSignals: [], unsetSignals: [] };

/** `refutedBy`: returns the signals whose thresholds are not those of the kubelet. */
export function thresholdsInForce(
  input: NodeThresholdsInput,
  refutedBy: (thresholds: readonly NodeThreshold[]) => readonly EvictionSignal[],
): ThresholdsInForce {
  const all = nodeThresholds(input);
  const refutedSignals = refutedBy(all);
  const thresholds = all.filter(({ signal }) => !refutedSignals.includes(signal));
  return { thresholds, refutedSignals, unsetSignals: unsetSignals(input) };
}

/**
 * The signals for which a kubelet of this version has a threshold by default and none by its configuration, where no other
 * threshold bounds the same disk: it fills up to the last byte, or inode. None of an unknown configuration.
 */
export function unsetSignals(input: NodeThresholdsInput): readonly EvictionSignal[] {
  const { thresholds, layout, summary } = input;
  if (thresholds === undefined) return [];
  const has = (signal: EvictionSignal): boolean => thresholds.some((threshold) => threshold.signal === signal);
  const known = signalsOf(input);
  return assumedThresholds(input)
    .map(({ signal }) => signal)
    .filter((signal) => known.includes(signal) && (availableFor(signal, summary).total ?? 0) > 0)
    .filter((signal) => !has(signal) && !(layout === 'shared' && has(otherSignal[signal] ?? signal)));
}

/** Where images are on nodefs, both are of one disk. */
const otherSignal: Readonly<Partial<Record<EvictionSignal, EvictionSignal>>> = {
  'nodefs.available': 'imagefs.available',
  'nodefs.inodesFree': 'imagefs.inodesFree',
  'imagefs.available': 'nodefs.available',
  'imagefs.inodesFree': 'nodefs.inodesFree',
};

/** Evictions are near when the headroom is below this part of the threshold. */
const nearRatio = 0.25;

/** Whether a node is close to evicting pods, or does: its headroom above a threshold is small, measured by the threshold. */
export function isNearThreshold(thresholds: readonly NodeThreshold[]): boolean {
  return thresholds.some(
    ({ headroom, threshold }) =>
      headroom !== undefined && threshold !== undefined && isNearHeadroom(headroom, threshold),
  );
}

/** Whether the headroom above one threshold is small, see {@link isNearThreshold}. */
export function isNearHeadroom(headroom: number, threshold: number): boolean {
  return headroom < threshold * nearRatio;
}

/** A threshold above 0 whose distance is known. */
export type KnownThreshold = NodeThreshold & Readonly<Record<'threshold' | 'available' | 'headroom', number>>;

/**
 * The threshold by which a node is judged: a hard one that is crossed before all others, then the least headroom, measured by
 * the threshold. Undefined where none is known.
 */
export function nearestThreshold(thresholds: readonly NodeThreshold[]): KnownThreshold | undefined {
  const known = thresholds.filter(isKnownThreshold);
  const evicts = ({ isCrossed, gracePeriodMs }: NodeThreshold): number => Number(isCrossed && gracePeriodMs === 0);
  return known.sort((a, b) => evicts(b) - evicts(a) || headroomRatio(a) - headroomRatio(b))[0];
}

export function isKnownThreshold(threshold: NodeThreshold | undefined): threshold is KnownThreshold {
  return threshold?.headroom !== undefined && (threshold.threshold ?? 0) > 0;
}

export function headroomRatio({ headroom, threshold }: KnownThreshold): number {
  return headroom / threshold;
}

/** The first kubelet with signals for the filesystem of the writable layers: KEP-4191. */
const firstMinorWithContainerfs = 29;
const firstMinorWithImageInodes = 30;

/** The signals that a kubelet has; one of unknown version has those of a current one. */
export function signalsOf({
  kubeletVersion,
  operatingSystem,
}: Pick<NodeThresholdsInput, 'kubeletVersion' | 'operatingSystem'>): readonly EvictionSignal[] {
  const hasContainerfs = isAtLeast(kubeletVersion, firstMinorWithContainerfs);
  const hasInodes = operatingSystem !== 'windows';
  return evictionSignals.filter(
    (signal) => (hasContainerfs || filesystemOf(signal) !== 'containerfs') && (hasInodes || !countsInodes(signal)),
  );
}

function isAtLeast(kubeletVersion: string | undefined, minor: number): boolean {
  return (minorVersion(kubeletVersion) ?? Infinity) >= minor;
}

function assumedThresholds({
  kubeletVersion,
}: Pick<NodeThresholdsInput, 'kubeletVersion'>): readonly EvictionThreshold[] {
  const hasImageInodes = isAtLeast(kubeletVersion, firstMinorWithImageInodes);
  return defaultThresholds.filter(({ signal }) => signal !== 'imagefs.inodesFree' || hasImageInodes);
}

const sharedSignals: Readonly<Partial<Record<EvictionSignal, Readonly<Record<'nodefs' | 'imagefs', EvictionSignal>>>>> =
  {
    'containerfs.available': { nodefs: 'nodefs.available', imagefs: 'imagefs.available' },
    'containerfs.inodesFree': { nodefs: 'nodefs.inodesFree', imagefs: 'imagefs.inodesFree' },
  };

/**
 * The filesystem of the writable layers has the thresholds of the one that it shares. They replace what is configured for
 * it: the last hard and the last soft one only, so of two hard ones, which a soft one without a grace period makes, the
 * first stays in force.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/kubelet/eviction/helpers.go (UpdateContainerFsThresholds)
 */
function configuredFor(
  signal: EvictionSignal,
  configured: readonly EvictionThreshold[],
  layout: StorageLayout,
): readonly EvictionThreshold[] {
  const own = configured.filter((threshold) => threshold.signal === signal);
  const source = sharedSignals[signal]?.[layout === 'dedicated' ? 'imagefs' : 'nodefs'];
  if (source === undefined) return own;
  return [isHard, isSoft].flatMap((isOfKind) => [
    ...own.filter(isOfKind).slice(0, -1),
    ...configured.filter((threshold) => threshold.signal === source && isOfKind(threshold)).slice(-1),
  ]);
}

function isHard({ gracePeriodMs }: EvictionThreshold): boolean {
  return gracePeriodMs === 0;
}

function isSoft(threshold: EvictionThreshold): boolean {
  return !isHard(threshold);
}

function measuredThreshold(
  { signal, gracePeriodMs, value, minReclaim }: EvictionThreshold,
  summary: NodeThresholdsInput['summary'],
  isAssumed: boolean,
): NodeThreshold {
  const { available, total } = availableFor(signal, summary);
  const threshold = amountOf(value, total);
  const reclaim = minReclaim === undefined ? 0 : amountOf(minReclaim, total);
  const isKnown = threshold !== undefined && reclaim !== undefined;
  const headroom = available === undefined || threshold === undefined ? undefined : available - roundUp(threshold);
  return {
    signal,
    gracePeriodMs,
    threshold: threshold && roundUp(threshold),
    minReclaim: reclaim && roundUp(reclaim),
    clearedAt: isKnown ? roundUp(addAmounts(threshold, reclaim)) : undefined,
    available,
    headroom,
    isCrossed: headroom !== undefined && headroom < 0,
    isAssumed,
  };
}

/** What the kubelet compares with the thresholds of a signal, and the whole of it: bytes or inodes. */
export function availableFor(
  signal: EvictionSignal,
  summary: NodeThresholdsInput['summary'],
): { readonly available: number | undefined; readonly total: number | undefined } {
  const stats = summary[filesystemOf(signal)];
  return countsInodes(signal)
    ? { available: stats?.inodesFree, total: stats?.inodes }
    : { available: stats?.availableBytes, total: stats?.capacityBytes };
}

/** A part of the total is rounded towards zero, as the kubelet does. */
function amountOf(value: ThresholdValue, total: number | undefined): Amount | undefined {
  if ('amount' in value) return value.amount;
  return total === undefined ? undefined : Math.trunc(total * value.ratio);
}

/**
 * Returns the hard thresholds, of several of one signal the highest: the other ones change nothing before it. None of containerfs:
 * it has those of nodefs or imagefs.
 */
export function firstThresholds(thresholds: readonly NodeThreshold[]): readonly NodeThreshold[] {
  const first = new Map<EvictionSignal, NodeThreshold>();
  for (const each of thresholds.filter(({ gracePeriodMs }) => gracePeriodMs === 0)) {
    const isFirst = (each.threshold ?? 0) > (first.get(each.signal)?.threshold ?? -1);
    if (isFirst && filesystemOf(each.signal) !== 'containerfs') first.set(each.signal, each);
  }
  return [...first.values()];
}
