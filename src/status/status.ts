import type { Component } from '../attribution/usage.js';
import type { FailureReason } from '../base/errors.js';
import type { LimitFigures } from '../eviction/limit-figures.js';
import type { AbsenceReason, WorkloadSnapshot } from '../scrape/snapshot.js';
import type { StoreReport } from '../telemetry/self-report.js';

/**
 * What the status page shows and `/api/v1/status` answers: plain data, exact numbers. Sizes in bytes, times and ages in
 * milliseconds, times since the Unix epoch, ratios from 0 without an upper end. A figure that is not known is left out.
 */
export interface Status {
  readonly version: string;
  /** Which part of which cluster is measured, in words. */
  readonly scope: string;
  readonly generatedAtMs: number;
  readonly uptimeMs: number;
  readonly isReady: boolean;
  /** The worst first; empty when all is well. */
  readonly problems: readonly Problem[];
  readonly readinessChecks: readonly ReadinessCheckStatus[];
  /** Left out before the first lists of nodes and pods. */
  readonly cluster?: ClusterStatus | undefined;
  readonly health: HealthStatus;
  /** The settings in force as YAML. */
  readonly configuration: string;
}

/** A part of the page. */
export type Section = 'evictions' | 'workloads' | 'pods' | 'nodes' | 'trust' | 'configuration';

/** One thing that is wrong now, in a few words. */
export interface Problem {
  readonly severity: 'critical' | 'warning';
  readonly text: string;
  /** Where the page says more. */
  readonly section: Section;
}

export interface ReadinessCheckStatus {
  readonly name: string;
  readonly isOk: boolean;
  /** What is missing, when it is not ok. */
  readonly message?: string | undefined;
}

/** The first of many. */
export interface Top<T> {
  readonly items: readonly T[];
  readonly totalCount: number;
}

export interface ClusterStatus {
  /** Nodes that had not answered by the deadline of the page are served as the cache has them. */
  readonly isCut: boolean;
  /** Pods that belong to no workload are in no figure but the coverage. */
  readonly hidesPodsWithoutWorkload: boolean;
  readonly summary: ClusterSummary;
  /** The highest ratios. */
  readonly limits: Top<LimitStatus>;
  /** The biggest; those that could not be collected last. */
  readonly workloads: Top<WorkloadStatus>;
  /** The biggest. */
  readonly pods: Top<PodStatus>;
  /** Those without data first, then the fullest, those that are never asked last. */
  readonly nodes: Top<NodeStatus>;
}

export interface ClusterSummary {
  readonly freshNodeCount: number;
  readonly staleNodeCount: number;
  /** Without those that are skipped. */
  readonly absentNodeCount: number;
  /** Of the absent ones, those whose last request failed. */
  readonly failedNodeCount: number;
  readonly skippedNodeCount: number;
  /** With a filesystem that is at least {@link fullRatio} full, in bytes or inodes. */
  readonly fullNodeCount: number;
  /** Of the oldest data that is served. */
  readonly oldestSummaryAgeMs?: number | undefined;
  /** Pods that summaries must have, of nodes that are asked, and those of them that have figures. */
  readonly expectedPodCount: number;
  readonly measuredPodCount: number;
  /** Pods with figures, expected or not, and their bytes. */
  readonly podCount: number;
  readonly podsUsedBytes: number;
  readonly limitCount: number;
  /** From {@link nearRatio} up to, not including, 1. */
  readonly nearLimitCount: number;
  /** From 1 on. */
  readonly reachedLimitCount: number;
  /** Of the reached ones, those that the kubelet evicts for. */
  readonly evictableLimitCount: number;
  readonly incompleteWorkloadCount: number;
}

/** From here on a limit is shown as near. */
export const nearRatio = 0.8;

/** From here on a filesystem is shown as full: the kubelet's own thresholds are at 85 % (images) and 90 %. */
export const fullRatio = 0.85;

export interface LimitStatus extends LimitFigures {
  readonly namespace: string;
  readonly pod: string;
  readonly node: string;
  /** The kubelet evicts no static and no system-critical pod for its limits. */
  readonly isExempt: boolean;
}

export type ComponentBytes = Readonly<Record<Component, number>>;

export interface WorkloadStatus {
  readonly workload: string;
  readonly source: WorkloadSnapshot['workload']['origin']['source'];
  readonly expectedPodCount: number;
  readonly measuredPodCount: number;
  readonly isComplete: boolean;
  /** Until it is collected again; 0 when it is not at rest. */
  readonly backoffMs: number;
  /** Left out when it could not be collected, as the following. */
  readonly usedBytes?: number | undefined;
  readonly components?: ComponentBytes | undefined;
  readonly podMaxUsedBytes?: number | undefined;
  /** Sums over the pods that declare one. */
  readonly limitBytes?: number | undefined;
  readonly requestBytes?: number | undefined;
}

export interface PodStatus {
  readonly namespace: string;
  readonly pod: string;
  readonly node: string;
  readonly usedBytes: number;
  readonly components: ComponentBytes;
  readonly limitBytes?: number | undefined;
  readonly requestBytes?: number | undefined;
  /** The kubelet has not measured the volumes yet: the total is too small. */
  readonly areVolumesPending: boolean;
  /** Whether the API server knows it. */
  readonly isKnown: boolean;
  readonly workloads: readonly string[];
}

interface NamedNodeStatus {
  readonly node: string;
  readonly allocatableBytes?: number | undefined;
  readonly expectedPodCount: number;
  readonly measuredPodCount: number;
  /** The last request to its kubelet, when it failed. */
  readonly failure?: NodeFailure | undefined;
}

export interface NodeFailure {
  readonly reason: FailureReason;
  readonly message: string;
  readonly ageMs: number;
}

export interface MeasuredNodeStatus extends NamedNodeStatus {
  readonly state: 'fresh' | 'stale';
  readonly summaryAgeMs: number;
  readonly filesystems: readonly FilesystemStatus[];
  readonly podCount: number;
  readonly podsUsedBytes: number;
  /** See `node_pods_missing` and `node_pods_dangling`. */
  readonly missingPodCount: number;
  readonly danglingPodCount: number;
  readonly biggestPods: readonly NodePodStatus[];
}

export interface AbsentNodeStatus extends NamedNodeStatus {
  readonly state: 'absent';
  readonly reason: AbsenceReason;
  /** What may be done about it. */
  readonly advice: string;
}

export type NodeStatus = MeasuredNodeStatus | AbsentNodeStatus;

export interface NodePodStatus {
  readonly namespace: string;
  readonly pod: string;
  readonly usedBytes: number;
  readonly limitBytes?: number | undefined;
}

export interface FilesystemStatus {
  readonly filesystem: 'nodefs' | 'imagefs' | 'containerfs';
  /** Another one of the node that it is the same as, as far as the figures tell. */
  readonly sameAs?: 'nodefs' | 'imagefs' | undefined;
  /** Of nodefs everything; of imagefs and containerfs, by images and writable layers. */
  readonly usedBytes?: number | undefined;
  readonly availableBytes?: number | undefined;
  readonly capacityBytes?: number | undefined;
  /** Of nodefs: what the pods of the page have there. */
  readonly podsUsedBytes?: number | undefined;
  /** Hard eviction threshold, where it is known. */
  readonly evictionThresholdBytes?: number | undefined;
  readonly inodes?: number | undefined;
  readonly inodesFree?: number | undefined;
  /** 1 less the free part. */
  readonly fullRatio?: number | undefined;
  readonly inodesFullRatio?: number | undefined;
}

/** Counts are since the start of the process. */
export interface HealthStatus {
  readonly stores: readonly StoreStatus[];
  /** By result. */
  readonly scrapes: Readonly<Record<string, number>>;
  readonly kubeletRequests: Readonly<Record<string, number>>;
  /** Of the last exposition. */
  readonly seriesCount?: number | undefined;
  readonly droppedSeriesCount: number;
  /** Left out of the last exposition for `metrics.maxSeries`. */
  readonly droppedFamilies: readonly string[];
  readonly workloadNameClashCount: number;
  readonly isLastReloadSuccessful?: boolean | undefined;
  readonly settingsLoadedAtMs?: number | undefined;
  readonly isKubeletTlsUnverified: boolean;
}

export interface StoreStatus extends Omit<StoreReport, 'lastProgressAtMs'> {
  /** Since the last list, event or bookmark. */
  readonly lastProgressAgeMs?: number | undefined;
}
