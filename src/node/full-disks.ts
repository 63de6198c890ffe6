import { countsInodes, type EvictionSignal } from '../kubelet/eviction-signals.js';
import { reachesSoon } from './disk-growth.js';
import { signalPlace } from './filesystem-owners.js';
import { judgedFilesystems } from './frozen-statistics.js';
import { availableFor } from './node-thresholds.js';
import type { NodeSnapshot } from './node-view.js';

/** A disk without space or inodes, or soon without, for which the kubelet evicts nobody: writes fail. */
export interface FullDisk {
  readonly signal: EvictionSignal;
  readonly available: number;
  readonly capacity: number;
}

/** Below this part of a disk without a threshold, it is full before anybody has looked. */
const leastFreeRatio = 0.05;

/** The same where the assumed threshold is refuted: the kubelet has another one, which may be small. */
const leastRefutedRatio = 0.01;

type DiskState = Pick<
  NodeSnapshot,
  'thresholds' | 'unsetSignals' | 'refutedSignals' | 'summary' | 'layout' | 'frozen' | 'fills'
>;

/** The fullest one for which no threshold is in force. None while another threshold is crossed: the kubelet frees what it can. */
export function fullDisk(state: DiskState): FullDisk | undefined {
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

/** Within ten minutes, if what is available goes on to fall. */
function isFullSoon(signal: EvictionSignal, available: number, state: DiskState): boolean {
  const place = signalPlace(signal, state);
  const fill = state.fills.find((of) => of.filesystem === place && of.ofInodes === countsInodes(signal));
  return fill !== undefined && reachesSoon({ bytes: fill.fallen, durationMs: fill.durationMs }, available);
}
