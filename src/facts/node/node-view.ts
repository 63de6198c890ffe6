import type { Node, Pod } from '../../cluster/kube/objects.js';
import type { LogRotation } from '../../cluster/kubelet/kubelet-configuration.js';
import type { ItemCounts, NodeSummary, PodSummary } from '../../cluster/kubelet/summary.js';
import { failureReasons } from '../../lib/base/errors.js';
import { type Forecast, soonMs, timeLeftMs } from '../forecast/forecast.js';
import type { Workload } from '../workload/workload.js';
import type { WorkloadPartials } from '../workload/workload-partial.js';
import type { DiskFill } from './disk-growth.js';
import type { FrozenStatistics } from './frozen-statistics.js';
import { joinReasons } from './join.js';
import type { LimitRatio } from './limit-ratios.js';
import type { NodeImages } from './node-images.js';
import type { NodeLayout } from './node-layout.js';
import type { NodeThreshold, ThresholdsInForce } from './node-thresholds.js';
import type { BoundPod, PodContext, PodRecord } from './pod-record.js';
import type { NodeUnenforcedReason } from './unenforced-limits.js';

/** Why a pod of a summary has no storage series. */
export const skipReasons = ['no_usage', 'no_containers', ...joinReasons] as const;
export type SkipReason = (typeof skipReasons)[number];

/** When a pod reaches the limit that it reaches first. */
export interface PodForecast extends Forecast, Pick<LimitRatio, 'rule' | 'container' | 'volume'> {}

/** When a node crosses a threshold, plus the grace period of a soft one. */
export interface ThresholdForecast extends Forecast, Pick<NodeThreshold, 'signal' | 'isAssumed'> {}

/** What is to come on a node, as of its last summary. */
export interface NodeForecasts {
  /** Newest time in the summary, by the node's clock, in milliseconds: clocks of nodes are never compared with ours. */
  readonly measuredAtMs: number;
  /** By the UIDs of the entries of the summary. */
  readonly pods: ReadonlyMap<string, PodForecast>;
  readonly thresholds: readonly ThresholdForecast[];
  /** Milliseconds until the first threshold is crossed, if the disk goes on to fill up as between the last two summaries. */
  readonly crossesInMs?: number | undefined;
}

/** Returns the milliseconds that are left, `ageMs` after the summary arrived; undefined for a forecast that is refuted. */
export function timeToMs(forecast: Forecast, { measuredAtMs }: NodeForecasts, ageMs: number): number | undefined {
  return timeLeftMs(forecast, measuredAtMs + ageMs);
}

/** Returns the age that counts for a forecast: only new data refutes it. Without any for long, what was to come later is not known. */
export function passedMs(
  { state, ageMs }: { readonly state: NodeView['state']; readonly ageMs: number },
  { endsAtMs }: Forecast,
  { measuredAtMs }: NodeForecasts,
): number {
  if (state === 'fresh') return ageMs;
  const unrefutedMs = Math.min(ageMs, Math.max(0, endsAtMs - measuredAtMs));
  return state === 'stale' ? unrefutedMs : Math.min(unrefutedMs, soonMs);
}

/**
 * A node with data: derived from its object, its summary, its pods and its kubelet's configuration. Immutable, and the
 * same object until one of them or the settings change: whatever is derived from it may be kept by reference.
 */
export interface NodeSnapshot extends ThresholdsInForce {
  readonly node: Node;
  readonly nodeName: string;
  readonly summary: NodeSummary;
  /** Monotonic time in milliseconds at which the summary arrived. */
  readonly arrivedAtMs: number;
  readonly layout: NodeLayout;
  readonly frozen: FrozenStatistics;
  /** The pods of the API server that are bound to the node, in the summary or not. */
  readonly podsOnNode: readonly Pod[];
  /** What is to be said of the limits on the whole node, the widest. */
  readonly unenforced: NodeUnenforcedReason | undefined;
  /** Undefined where the status of the node has none. */
  readonly images: NodeImages | undefined;
  /** Undefined while the kubelet's configuration is not known, or when it does not rotate logs. */
  readonly logRotation: LogRotation | undefined;
  /** All pods of the summary that are in scope, in its order. */
  readonly listedPods: readonly PodRecord[];
  /** What else follows from them, see `derivePod`. */
  readonly context: PodContext;
  /** Pods with a total and detail series. */
  readonly pods: readonly PodRecord[];
  /** Those of them that have ended: the kubelet still lists them. */
  readonly endedPods: readonly Pod[];
  /** Pods without a total in the summary. The limits of their volumes and containers apply. */
  readonly podsWithoutTotal: readonly PodRecord[];
  readonly skippedPods: ReadonlyMap<SkipReason, number>;
  /** Containers and volumes of the summary that the specs of their pods lack. */
  readonly unknownItems: ItemCounts;
  /** UIDs of the API objects of the pods that the summary lists. */
  readonly listedPodUids: ReadonlySet<string>;
  /** UIDs of the API objects of the pods that have usage. */
  readonly measuredPodUids: ReadonlySet<string>;
  /** Pods of the summary that the API server does not know. */
  readonly unknownPods: readonly PodSummary[];
  /**
   * Pods of the summary whose API objects are not read: the settings leave them out, or the API server has not known them for
   * longer than the grace period. Undefined when all pods of the node are read; otherwise, also for 0, its order of eviction is
   * unknown. 0 on a node of a virtual cluster, whose host has other pods.
   */
  readonly unreadPodCount: number | undefined;
  /** See `nodeEvictionMs`. */
  readonly evictionMs: number | undefined;
  readonly forecasts: NodeForecasts;
  /** One for each disk whose parts are known, and one for its inodes. */
  readonly fills: readonly DiskFill[];
}

/** The pods that are expected on a node, against those that its summary lists. */
export interface NodeCoverage {
  /** The node's part of the workloads. The same object as long as nothing in it changes. */
  readonly workloads: WorkloadPartials;
  /** Pods that the summary must list and measured ones that are younger; pods that have usage. */
  readonly expectedPods: number;
  readonly measuredPods: number;
  /** The others: the same array as long as neither they nor the summary change. */
  readonly unmeasured: readonly BoundPod[];
  /**
   * Those of them that the summary does not list, without a summary all: pods that have run for longer than the grace period,
   * according to the API server.
   */
  readonly missingPods: number;
  /** Those that are neither expected nor measured yet, and have not ended. */
  readonly young: readonly BoundPod[];
  /** The workloads of pods that have ended and are not measured. */
  readonly endedWorkloads: readonly Workload[];
}

/** Of a node that is never scraped. */
export const noCoverage: NodeCoverage = {
  workloads: new Map(),
  expectedPods: 0,
  measuredPods: 0,
  unmeasured: [],
  missingPods: 0,
  young: [],
  endedWorkloads: [],
};

/**
 * What the API server knows of a node, whether or not its kubelet responds. Immutable, and the same object until one of
 * the API objects or the settings change: whatever is derived from it may be kept by reference.
 */
export interface NodeObjects {
  readonly nodeName: string;
  /** Undefined when it has left the cluster and its pods have not. */
  readonly node: Node | undefined;
  /** Pods with detail series: those that have not ended, and ended ones that still have usage. */
  readonly pods: readonly BoundPod[];
  /** Pods that have ended and have no usage: they have no detail series. */
  readonly formerPods: readonly BoundPod[];
  /** Pods in phase Running, and containers that run; undefined for a node whose pods are not measured, or not all read. */
  readonly runningPodCount: number | undefined;
  readonly runningContainerCount: number | undefined;
}

interface NamedNode extends NodeCoverage {
  readonly nodeName: string;
  /** From the API server; undefined for a node that is not in the cluster. */
  readonly node: Node | undefined;
  /** Undefined for a node that is not in the cluster. */
  readonly objects: NodeObjects | undefined;
}

export interface MeasuredNodeView extends NamedNode {
  readonly state: 'fresh' | 'stale';
  readonly objects: NodeObjects;
  readonly ageMs: number;
  /** Wall time in milliseconds at which the data was fetched. */
  readonly fetchedAtMs: number;
  readonly snapshot: NodeSnapshot;
  /** Pods of its summary that the API server has not known for longer than the grace period. */
  readonly danglingPods: number;
}

/**
 * Why a node has no data. `skipped`: it serves no summaries and is not scraped. `no_node`: the only node to measure is
 * not in the cluster. `internal_error`: an exception while its data or text was made. Closed list: the values become label
 * values.
 */
export const absenceReasons = [...failureReasons, 'skipped', 'no_node', 'internal_error'] as const;

export type AbsenceReason = (typeof absenceReasons)[number];

export interface AbsentNodeView extends NamedNode {
  readonly state: 'absent';
  readonly reason: AbsenceReason;
  /** What is known of the limits on the node without its data. */
  readonly unenforced?: NodeUnenforcedReason | undefined;
}

/** See `NodeSnapshot.unenforced`. */
export function unenforcedOn(view: NodeView): NodeUnenforcedReason | undefined {
  return view.state === 'absent' ? view.unenforced : view.snapshot.unenforced;
}

/** A node in one scrape: plain data around what is kept of it, its snapshot and its objects. */
export type NodeView = MeasuredNodeView | AbsentNodeView;

/** A node that has left the cluster while pods are still bound to it: it has sums and objects, and no series of its own. */
export interface GoneNode extends NodeCoverage {
  readonly objects: NodeObjects;
}
