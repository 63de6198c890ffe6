import type { VolumeType } from '../../cluster/kube/objects.js';
import type { Amount } from '../../cluster/kube/quantity.js';
import type { Figure, ItemCounts } from '../../cluster/kubelet/summary.js';

/** The parts of a pod's ephemeral storage. They add up to the kubelet's total exactly. */
export const components = ['rootfs', 'logs', 'emptydir', 'configmap', 'other'] as const;
export type Component = (typeof components)[number];

/** `measured`: own files plus a share of what the pod shares; `even`: the pod's total split evenly. */
export const attributionModes = ['measured', 'even'] as const;
export type AttributionMode = (typeof attributionModes)[number];

export interface ContainerUsage {
  /** Empty for those together that the pod's spec lacks; `(others)` for those together that are not kept in detail. */
  readonly name: string;
  /** What is attributed to it, in whole bytes; over a pod's containers they add up to the pod's total. Undefined where a part is unknown. */
  readonly usedBytes: number | undefined;
  /** As the kubelet reports them; undefined where it does not. */
  readonly rootfsBytes: Figure;
  readonly logsBytes: Figure;
  readonly rootfsInodesUsed: Figure;
  readonly logsInodesUsed: Figure;
}

export interface VolumeUsage {
  /** Empty for those together that the pod's spec lacks; `(others)` for those together that are not kept in detail. */
  readonly name: string;
  readonly type: VolumeType;
  readonly medium: string;
  readonly usedBytes: Figure;
  readonly capacityBytes: number | undefined;
  readonly availableBytes: number | undefined;
  readonly inodesUsed: Figure;
  /** Of an emptyDir, from the pod's spec. */
  readonly sizeLimitBytes: Amount | undefined;
  /** Wall time of the kubelet's measurement, in milliseconds since the epoch. */
  readonly measuredAtMs: number | undefined;
}

/** One pod's bytes. */
export interface PodUsage {
  /** Undefined when the kubelet reports no total. */
  readonly usedBytes: number | undefined;
  readonly inodesUsed: number | undefined;
  /** Undefined where a part of one is unknown. */
  readonly components: Readonly<Partial<Record<Component, number | undefined>>>;
  /** Empty when the kubelet lists no container and the pod's spec is unknown. */
  readonly containers: readonly ContainerUsage[];
  readonly volumes: readonly VolumeUsage[];
  /** The kubelet has not measured the pod's volumes yet: the total is too small by their bytes, and they have no ratio. */
  readonly volumesPending: boolean;
  /** How many containers and volumes those without a name or `(others)` stand for; undefined when there are none. */
  readonly unknownItems?: ItemCounts | undefined;
}

/** Of a pod with a total. */
export interface MeasuredUsage extends PodUsage {
  readonly usedBytes: number;
}
