import { roundUp } from '../../cluster/kube/quantity.js';
import { countsInodes, type EvictionSignal } from '../../cluster/kubelet/eviction-signals.js';
import { judgedFilesystems } from '../../facts/node/frozen-statistics.js';
import { availableFor, type NodeThreshold, signalsOf } from '../../facts/node/node-thresholds.js';
import type { NodeSnapshot } from '../../facts/node/node-view.js';
import { type Victim, victimRanking, victimsToFree } from '../../facts/node/victims.js';
import { countedText } from '../../lib/base/text.js';
import { amountText, type Measure, type Tone } from '../pens/document.js';
import type { EnforcementKind } from './enforcement-report.js';

/** A signal of a node's kubelet: how far it is from evictions, and whom they would hit. Amounts are bytes, or inodes where the signal counts those. */
export interface SignalReport {
  readonly signal: EvictionSignal;
  /** The hard threshold, the higher one of two; absent without one. */
  readonly thresholdBytes?: number | undefined;
  readonly thresholdInodes?: number | undefined;
  /** A default of Kubernetes: the kubelet's configuration is not known. */
  readonly isAssumed?: boolean | undefined;
  /** Once the threshold was crossed, the kubelet evicts until this much is available. */
  readonly clearedAt?: number | undefined;
  /** A threshold that may be crossed for a while. */
  readonly soft?:
    | {
        readonly thresholdBytes?: number | undefined;
        readonly thresholdInodes?: number | undefined;
        readonly gracePeriodMs: number;
        readonly isCrossed: boolean;
      }
    | undefined;
  readonly available?: number | undefined;
  /** What is available above the hard threshold; below 0 the kubelet evicts. */
  readonly headroom?: number | undefined;
  readonly isCrossed: boolean;
  /** All pods that have not ended, in the order in which the kubelet evicts; absent unless all pods of the node are read. */
  readonly victims?: readonly VictimReport[] | undefined;
  readonly toFree?: FreeingReport | undefined;
}

export interface VictimReport
  extends Pick<Victim, 'rank' | 'place'>, Partial<Pick<Victim, 'usage' | 'exempt' | 'freed'>> {
  readonly namespace: string;
  readonly pod: string;
  /** In bytes, rounded up, for signals of inodes too: as the kubelet counts it. */
  readonly request: number;
  readonly priority: number;
}

/** Whom the kubelet would evict to free an amount. */
interface FreeingReport {
  readonly amount: number;
  /** Whether the threshold is crossed by the amount; otherwise it is an example. */
  readonly isMissing: boolean;
  readonly victims: readonly Pick<VictimReport, 'namespace' | 'pod' | 'freed'>[];
  readonly freed: number;
  /** False: the eviction of all pods would not free the amount. */
  readonly isEnough: boolean;
}

/** One for each signal that the kubelet has, with a threshold or without. */
export function signalReports(snapshot: NodeSnapshot): readonly SignalReport[] {
  const rank = victimRanking(snapshot);
  return signalsOf(snapshot.node).map((signal) => signalReport(signal, snapshot, rank?.(signal)));
}

function signalReport(
  signal: EvictionSignal,
  { summary, frozen, thresholds }: NodeSnapshot,
  victims: readonly Victim[] | undefined,
): SignalReport {
  const own = thresholds.filter((threshold) => threshold.signal === signal);
  const hard = highest(own.filter(({ gracePeriodMs }) => gracePeriodMs === 0));
  const soft = highest(own.filter(({ gracePeriodMs }) => gracePeriodMs > 0));
  const isCrossed = hard?.isCrossed === true;
  const reports = victims?.map(({ pod: { namespace, name, priority }, request, ...of }) => {
    return { ...of, namespace, pod: name, request: roundUp(request), priority };
  });
  return {
    signal,
    ...amountOf(hard),
    isAssumed: hard?.isAssumed,
    clearedAt: hard?.clearedAt,
    soft: soft && { ...amountOf(soft), gracePeriodMs: soft.gracePeriodMs, isCrossed: soft.isCrossed },
    available: availableFor(signal, judgedFilesystems(summary, frozen)).available,
    headroom: hard?.headroom,
    isCrossed,
    victims: reports,
    toFree: reports && freeingReport(reports, lacking(hard), hard?.isCrossed === true),
  };
}

function highest(thresholds: readonly NodeThreshold[]): NodeThreshold | undefined {
  return thresholds.toSorted((a, b) => (b.threshold ?? 0) - (a.threshold ?? 0))[0];
}

function amountOf(found: NodeThreshold | undefined): Pick<SignalReport, 'thresholdBytes' | 'thresholdInodes'> {
  if (found === undefined) return {};
  return countsInodes(found.signal) ? { thresholdInodes: found.threshold } : { thresholdBytes: found.threshold };
}

/** A node that is not under pressure lacks nothing: a part of its threshold gives an idea of what comes first. */
const sampleRatio = 0.1;

/** What is missing to the end of the pressure; without pressure, a part of the threshold. */
function lacking(hard: NodeThreshold | undefined): number | undefined {
  if (hard?.threshold === undefined || hard.threshold === 0) return undefined;
  const { isCrossed, available, clearedAt, threshold } = hard;
  if (isCrossed && available !== undefined && clearedAt !== undefined) return clearedAt - available;
  return Math.ceil(threshold * sampleRatio);
}

function freeingReport(
  victims: readonly VictimReport[],
  amount: number | undefined,
  isMissing: boolean,
): FreeingReport | undefined {
  if (amount === undefined) return undefined;
  const plan = victimsToFree(victims, amount);
  const pods = plan.victims.map(({ namespace, pod, freed }) => ({ namespace, pod, freed }));
  return { amount, isMissing, victims: pods, freed: plan.freed, isEnough: plan.isEnough };
}

/** Why it is not known which pods of a node would be evicted; `count`: see `NodeSnapshot.unreadPodCount`. */
export function unreadPodsText(count: number, enforcement: readonly EnforcementKind[] = []): string {
  if (enforcement.includes('virtual_cluster')) return 'the other pods of the host are not read';
  if (count === 0) return 'settings leave pods out, or the API server is not reachable';
  return countedText(count, ['pod of this node is not read', 'pods of this node are not read']);
}

/** Returns the signal whose threshold is crossed, else the one that is nearest to it; undefined where no distance is known. */
export function nearestSignal(signals: readonly SignalReport[]): SignalReport | undefined {
  const distances = signals.flatMap((signal) => {
    const { headroom } = signal;
    const threshold = thresholdOf(signal) ?? 0;
    return headroom === undefined || threshold <= 0 ? [] : [{ signal, distance: headroom / threshold }];
  });
  return distances.toSorted((a, b) => a.distance - b.distance)[0]?.signal;
}

/** Returns an amount as the signal counts, bytes or inodes. */
export function signalMeasure(signal: EvictionSignal, amount: number | undefined, tone?: Tone): Measure {
  return { amount, unit: countsInodes(signal) ? 'inodes' : 'bytes', tone };
}

/** The same as text: `1 inode`; `-` where it is unknown. */
export function signalAmount(signal: EvictionSignal, amount: number | undefined): string {
  return amountText(signalMeasure(signal, amount));
}

/** Returns whether it is below a threshold, or above it by less than the threshold's own size. */
export function isShort(row: SignalReport): boolean {
  const { available = Infinity, soft } = row;
  const thresholds = [thresholdOf(row), soft && thresholdOf(soft)];
  return thresholds.some((threshold = 0) => available < 2 * threshold);
}

/** Bytes, or inodes where the signal counts those. */
export function thresholdOf(row: Pick<SignalReport, 'thresholdBytes' | 'thresholdInodes'>): number | undefined {
  return row.thresholdBytes ?? row.thresholdInodes;
}
