import type { Amount } from '../kube/quantity.js';
import type { EvictionSignal } from './eviction-signals.js';

/** What of a kubelet's effective settings concerns ephemeral storage. */
export interface KubeletConfiguration {
  /**
   * As configured: by signal, the hard one first. Those of containerfs are not what the kubelet goes by, see
   * `nodeThresholds`.
   */
  readonly thresholds: readonly EvictionThreshold[];
  /** Undefined when the kubelet does not rotate logs. */
  readonly logRotation: LogRotation | undefined;
  /** Undefined when they are malformed. */
  readonly images: ImageSettings | undefined;
}

/**
 * When a kubelet deletes unused images, by the used part of their filesystem, and how many its Node lists.
 * https://kubernetes.io/docs/concepts/architecture/garbage-collection/#container-image-lifecycle
 */
export interface ImageSettings {
  /** Whole, from 0 to 100. At 100, images are deleted below an eviction threshold only. */
  readonly highThresholdPercent: number;
  readonly lowThresholdPercent: number;
  /** Younger images stay. */
  readonly minAgeMs: number;
  /** The largest ones; -1: all. */
  readonly maxListedCount: number;
}

/** What a kubelet keeps of the log of one run of a container: this many files of this size, rotated ones included. */
export interface LogRotation {
  readonly maxFileBytes: number;
  readonly maxFileCount: number;
}

/** Bytes or inodes; or a part of all that the filesystem has. */
export type ThresholdValue = { readonly amount: Amount } | { readonly ratio: number };

/** The kubelet evicts while less than this is available. */
export interface EvictionThreshold {
  readonly signal: EvictionSignal;
  /** More than 0 and, for a ratio, from 0 to 1. */
  readonly value: ThresholdValue;
  /** How much more must be available, once the threshold was crossed, before the kubelet stops. */
  readonly minReclaim: ThresholdValue | undefined;
  /** How long less must be available before the kubelet evicts; 0 for a hard threshold. */
  readonly gracePeriodMs: number;
}

/**
 * What a kubelet has when nothing is configured. `imagefs.inodesFree` came with 1.30; a filesystem without inodes has none.
 * Kubelets keep the ratio as a float32: 10 % are a little more than that.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/kubelet/eviction/defaults_linux.go
 */
export const defaultThresholds: readonly EvictionThreshold[] = (
  [
    ['nodefs.available', 0.1],
    ['nodefs.inodesFree', 0.05],
    ['imagefs.available', 0.15],
    ['imagefs.inodesFree', 0.05],
  ] as const
).map(([signal, ratio]) => ({
  signal,
  value: { ratio: Math.fround(ratio) },
  minReclaim: undefined,
  gracePeriodMs: 0,
}));
