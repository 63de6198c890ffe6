import type { EvictionSignal, SignalFilesystem } from '../../cluster/kubelet/eviction-signals.js';
import { forecastReach, soonMs } from '../forecast/forecast.js';

/** Whose the bytes or inodes of a disk are. `other`: not of pods, not of images. Closed list. */
export const diskFillers = ['pods', 'images', 'other'] as const;
export type DiskFiller = (typeof diskFillers)[number];
export type HeldAmounts = Readonly<Record<DiskFiller, number>>;

/** What a disk holds in one summary, in bytes or inodes. `atMs`: monotonic. */
export interface DiskMoment {
  readonly filesystem: SignalFilesystem;
  readonly ofInodes: boolean;
  readonly atMs: number;
  readonly capacity: number;
  readonly available: number;
  readonly held: HeldAmounts;
}

/** The same with what has come since its headroom began to fall. */
export interface DiskFill extends DiskMoment {
  /** Of pods and images in a shortage: the most there was. What an evicted pod leaves behind is not theirs for a while. */
  readonly grown: HeldAmounts;
  readonly durationMs: number;
  /** Of what was available, over the same time. */
  readonly fallen: number;
  /** What fills it, from the first summary below a threshold until the node is calm, however often it crosses in between. */
  readonly cause: DiskFiller | undefined;
  /** Of the last summary that showed a calm node. */
  readonly calmAtMs: number;
  /** The threshold that was forecast to be crossed within minutes, until the fall would no longer reach it: pulls of images come in pulses. */
  readonly warnedOf?: EvictionSignal | undefined;
}

/** Of bytes, or inodes. */
export interface DiskGrowth {
  readonly bytes: number;
  readonly durationMs: number;
}

/** Of the disk. Less within ten minutes explains no shortage. */
export const leastShare = 0.01;

/** Returns what is written within ten minutes if growth goes on as measured. */
export function soonBytes({ bytes, durationMs }: DiskGrowth): number {
  return (bytes * soonMs) / durationMs;
}

/** Whether so much is written within ten minutes, as far as so short a history can tell. */
export function reachesSoon(growth: DiskGrowth, amount: number): boolean {
  return growth.bytes > 0 && Math.min(soonBytes(growth), forecastReach.lengths * growth.bytes) >= amount;
}

/** Whether growth counts towards a cause: it fills enough of the disk within ten minutes. */
export function isMuchGrowth(growth: DiskGrowth, diskBytes: number): boolean {
  return growth.bytes > 0 && soonBytes(growth) >= leastShare * diskBytes;
}
