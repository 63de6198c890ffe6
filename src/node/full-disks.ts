import type { EvictionSignal } from '../kubelet/eviction-signals.js';
import { judgedFilesystems } from './frozen-statistics.js';
import { availableFor } from './node-thresholds.js';
import type { NodeSnapshot } from './node-view.js';

/** A disk without space or inodes, for which the kubelet evicts nobody: writes fail. */
export interface FullDisk {
  readonly signal: EvictionSignal;
  readonly available: number;
  readonly capacity: number;
}

/** Below this part of a disk, the next write of any size may fail. */
const leastFreeRatio = 0.01;

/** The fullest one for which no threshold is in force. None while another threshold is crossed: the kubelet frees what it can. */
export function fullDisk({
  thresholds,
  unsetSignals,
  refutedSignals,
  summary,
  frozen,
}: Pick<NodeSnapshot, 'thresholds' | 'unsetSignals' | 'refutedSignals' | 'summary' | 'frozen'>): FullDisk | undefined {
  if (thresholds.some(({ isCrossed }) => isCrossed)) return undefined;
  const full = [...unsetSignals, ...refutedSignals].flatMap((signal) => {
    const { available, total: capacity = 0 } = availableFor(signal, judgedFilesystems(summary, frozen));
    return available !== undefined && available < capacity * leastFreeRatio ? [{ signal, available, capacity }] : [];
  });
  return full.sort((a, b) => a.available / a.capacity - b.available / b.capacity)[0];
}
