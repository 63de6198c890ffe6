import { isOfVirtualCluster } from '../../cluster/kube/objects.js';
import { countsInodes, type EvictionSignal, filesystemOf } from '../../cluster/kubelet/eviction-signals.js';
import { reachesSoon } from './disk-growth.js';
import { signalPlace } from './filesystem-owners.js';
import { judgedFilesystems } from './frozen-statistics.js';
import { availableFor, isNearThreshold, nearestThreshold, type NodeThreshold } from './node-thresholds.js';
import type { NodeSnapshot } from './node-view.js';

/** Below this part of a disk without a threshold, it is full before anybody has looked. */
const leastFreeRatio = 0.05;

/** The same where the assumed threshold is refuted: the kubelet has another one, which may be small. */
const leastRefutedRatio = 0.01;

/** What is known of the free space of a node. */
type DiskState = Pick<
  NodeSnapshot,
  'thresholds' | 'unsetSignals' | 'refutedSignals' | 'summary' | 'layout' | 'frozen' | 'fills'
>;

/**
 * The fullest disk without space or inodes, or soon without, for which the kubelet evicts nobody: writes fail. None while
 * another threshold is crossed: the kubelet frees what it can.
 */
export function fullDisk(
  state: DiskState,
): { readonly signal: EvictionSignal; readonly available: number; readonly capacity: number } | undefined {
  const { thresholds, unsetSignals, refutedSignals, summary, frozen } = state;
  if (thresholds.some(({ isCrossed }) => isCrossed)) return undefined;
  const full = [...unsetSignals, ...refutedSignals].flatMap((signal) => {
    const { available, total: capacity = 0 } = availableFor(signal, judgedFilesystems(summary, frozen));
    if (available === undefined) return [];
    const isRefuted = refutedSignals.includes(signal);
    const isFull =
      available < capacity * (isRefuted ? leastRefutedRatio : leastFreeRatio) ||
      (!isRefuted && isFullSoon(signal, available, state));
    return isFull ? [{ signal, available, capacity }] : [];
  });
  return full.sort((a, b) => a.available / a.capacity - b.available / b.capacity)[0];
}

/** Whether a figure that the kubelet evicts by is frozen, missing or impossible: of nodefs, or of a disk with a threshold. */
export function isFreeUnknown(state: DiskState): boolean {
  const { thresholds, unsetSignals, refutedSignals } = state;
  const inForce = thresholds.map(({ signal }) => signal);
  const signals = ['nodefs.available', 'nodefs.inodesFree', ...inForce, ...unsetSignals, ...refutedSignals] as const;
  return signals.some((signal) => isUnmeasured(signal, state));
}

/** Without inodes, as on btrfs, none are free; by filesystems that its summary lacks, but nodefs, a kubelet evicts nobody. */
function isUnmeasured(signal: EvictionSignal, { summary, frozen }: Pick<DiskState, 'summary' | 'frozen'>): boolean {
  const { available, total } = availableFor(signal, judgedFilesystems(summary, frozen));
  if (countsInodes(signal)) return (total ?? 0) > 0 && available === undefined;
  const isReported = signal === 'nodefs.available' || summary[filesystemOf(signal)] !== undefined;
  return isReported && (total === undefined || available === undefined);
}

/** Whether it may be below a threshold, unless one is known to be crossed. */
export function isHeadroomUnknown(state: DiskState & Pick<NodeSnapshot, 'node'>): boolean {
  return isOfVirtualCluster(state.node.labels) || isFreeUnknown(state);
}

/**
 * The threshold by which a node is judged. Of a node that is close to none that is known, one whose headroom is not known, if
 * there is one: the others prove nothing. `soon`: the one that it is about to cross.
 */
export function decidingThreshold(
  snapshot: DiskState,
  soon: EvictionSignal | undefined,
): { readonly isClose: boolean; readonly threshold: NodeThreshold | undefined } {
  const { thresholds } = snapshot;
  const next = nearestThreshold(thresholds.filter(({ signal }) => signal === soon));
  const threshold = next ?? nearestThreshold(thresholds);
  if (next !== undefined || isNearThreshold(thresholds)) return { isClose: true, threshold };
  const unknown = thresholds.find(({ signal }) => isUnmeasured(signal, snapshot));
  return { isClose: false, threshold: unknown ?? threshold };
}

/** Within ten minutes, if what is available goes on to fall. */
function isFullSoon(signal: EvictionSignal, available: number, state: DiskState): boolean {
  const place = signalPlace(signal, state);
  const fill = state.fills.find((of) => of.filesystem === place && of.ofInodes === countsInodes(signal));
  return fill !== undefined && reachesSoon({ bytes: fill.fallen, durationMs: fill.durationMs }, available);
}
