import type { Labels } from '../../cluster/kube/objects.js';
import type { UsageSample } from '../../cluster/kubelet/lookup.js';
import type { DiskVerdict } from '../node/disk-verdict.js';
import type { LimitRatio, LimitRule } from '../node/limit-ratios.js';
import type { Component, ContainerUsage, MeasuredUsage, VolumeUsage } from '../node/usage.js';
import type { Workload } from '../workload/workload.js';
import type { EvictedPod, EvictionCause } from './eviction-snapshot.js';
import { limitForAnHour } from './usage-growth.js';

/** What is kept of a pod's usage. Bounded: see `boundedUsage`. */
export interface KeptUsage extends Pick<MeasuredUsage, 'usedBytes' | 'inodesUsed' | 'components' | 'volumesPending'> {
  readonly containers: readonly (Pick<ContainerUsage, 'name' | 'usedBytes'> & {
    readonly rootfsBytes: number | undefined;
    readonly logsBytes: number | undefined;
  })[];
  readonly volumes: readonly (Pick<VolumeUsage, 'name' | 'type' | 'medium'> & {
    readonly usedBytes: number | undefined;
  })[];
}

/** What was last measured of a pod before its eviction. */
export interface LastUsage {
  /** Wall time in milliseconds at which the summary was fetched. */
  readonly fetchedAtMs: number;
  /** Undefined when the kubelet reported no total. */
  readonly usage: KeptUsage | undefined;
  /** As enforced before the eviction, in the order in which the kubelet checks; the nearest ones of very many. */
  readonly ratios: readonly LimitRatio[];
  /** Totals of the last summaries, the oldest first. */
  readonly samples: readonly UsageSample[];
  /** Of the total, between the first and the last sample; below 0 when it shrank. */
  readonly growthBytesPerSecond: number | undefined;
  /**
   * The limit that would have let the pod live for an hour more at its last growth. Undefined when it did not grow, was not
   * evicted for a limit, or mostly for logs, and above twice the peak or a tenth of the disk.
   */
  readonly limitForAnHourBytes: number | undefined;
  /** Of the filesystem that limits count on. */
  readonly nodeCapacityBytes?: number | undefined;
}

/**
 * Why nothing is known of what an evicted pod used. `before_start`: it was evicted before this exporter's first list.
 * `not_measured`: no summary of the last minutes listed it, as when it was refused at admission, or filled the disk before
 * it was measured.
 * `no_exporter`: only the status of the pod was read.
 */
export type UnknownUsageReason = 'before_start' | 'not_measured' | 'no_exporter';

/** An eviction with what explains it. */
export interface EvictionRecord extends EvictedPod {
  /** Of the API object. */
  readonly uid: string;
  /** The pod's; the first ones of very many. */
  readonly labels: Labels;
  /** Those that the pod belonged to. */
  readonly workloads: readonly Workload[];
  /** As the kubelet wrote it, at most 2,000 characters. */
  readonly message: string;
  /** Wall time in milliseconds at which the exporter saw it. */
  readonly seenAtMs: number;
  /** An exporter saw it happen; otherwise it found the evicted pod at its start. */
  readonly wasSeenLive: boolean;
  /** Whether the node had the condition: by the cause where that is the node, else when the eviction was seen; undefined when it was unknown. */
  readonly diskPressure: boolean | undefined;
  readonly lastUsage: LastUsage | UnknownUsageReason;
  /** Of its node, by the last summary before; undefined for an eviction for a limit, and where nothing is known of the node. */
  readonly nodeVerdict?: DiskVerdict | undefined;
}

/** What made most of what counted towards the limit that a pod was evicted for. */
export interface MainPart {
  readonly component: Extract<Component, 'rootfs' | 'logs' | 'emptydir'>;
  /** The container or the volume. */
  readonly name: string;
  readonly usedBytes: number;
}

/** Of a limit that counts more than one part; undefined where no part is more than half of them. */
export function mainPart(
  { cause, container }: Pick<EvictionRecord, 'cause' | 'container'>,
  { containers, volumes }: Pick<KeptUsage, 'containers' | 'volumes'>,
): MainPart | undefined {
  if (cause !== 'container_limit' && cause !== 'pod_limit') return undefined;
  const counted = cause === 'pod_limit' ? containers : containers.filter(({ name }) => name === container);
  if (counted.some(({ usedBytes }) => usedBytes === undefined)) return undefined; // a part of it is unknown
  const parts: readonly MainPart[] = [
    ...counted.map(({ name, rootfsBytes = 0 }) => ({ component: 'rootfs', name, usedBytes: rootfsBytes }) as const),
    ...counted.map(({ name, logsBytes = 0 }) => ({ component: 'logs', name, usedBytes: logsBytes }) as const),
    ...(cause === 'pod_limit' ? volumes : []).flatMap(({ name, type, medium, usedBytes = 0 }) =>
      type === 'emptydir' && medium !== 'Memory' ? [{ component: 'emptydir', name, usedBytes } as const] : [],
    ),
  ];
  const totalBytes = parts.reduce((sum, { usedBytes }) => sum + usedBytes, 0);
  return parts.find(({ usedBytes }) => usedBytes > totalBytes / 2);
}

/** Of a disk. */
export const sensibleShare = 0.1;

const ruleOfCause: Partial<Record<EvictionCause, LimitRule>> = {
  emptydir_limit: 'emptydir',
  pod_limit: 'pod',
  container_limit: 'container',
};

/** A summary is served until it is 110 s old by default. What is older says nothing of the moment of an eviction. */
export const currentMs = 120_000;

/** Whether something was measured too long before an eviction to conclude from it. */
export function isOutdated(ageMs: number): boolean {
  return ageMs > currentMs;
}

/** Whose limit it is, of a record or a report. */
interface LimitPart {
  readonly container?: string | undefined;
  readonly volume?: string | undefined;
}

export interface ComparedLimit extends LimitPart {
  readonly rule: LimitRule;
  readonly usedBytes: number;
}

/** The cause and its limit. */
export interface EvictedFor extends LimitPart {
  readonly cause: EvictionCause;
  readonly limitBytes?: number | undefined;
}

/** Whether a pod was evicted for this limit. */
export function isFor(
  eviction: EvictedFor,
  { rule, container = '', volume = '' }: Omit<ComparedLimit, 'usedBytes'>,
): boolean {
  const isSamePart = container === (eviction.container ?? '') && volume === (eviction.volume ?? '');
  return isSamePart && rule === ruleOfCause[eviction.cause];
}

/** Of the limit, growth as measured has to reach this part by the eviction: otherwise a burst was the cause. */
const explainedRatio = 0.8;

/**
 * The usage was above the limit at the eviction, also when it was below at the last measurement. Undefined where the pod grew
 * faster since than it had before: an hour cannot be told; and where most of it were logs, which fill any limit. `growth`: in
 * bytes per second, over the measurements, the last of them `sinceMs` before.
 */
export function longerLimit(
  eviction: EvictedFor,
  ratios: readonly ComparedLimit[],
  {
    growth,
    sinceMs,
    usage,
  }: {
    readonly growth: number | undefined;
    readonly sinceMs: number;
    readonly usage?: KeptUsage | undefined;
  },
): number | undefined {
  const { cause, container = '', limitBytes = 0 } = eviction;
  const isOfLogs = usage && mainPart({ cause, container }, usage)?.component === 'logs';
  if (growth === undefined || isOutdated(sinceMs) || isOfLogs === true) return undefined;
  const exceeded = ratios.find((limit) => isFor(eviction, limit));
  if (exceeded === undefined) return undefined;
  const reachedBytes = exceeded.usedBytes + (growth * Math.max(0, sinceMs)) / 1_000;
  if (reachedBytes < explainedRatio * limitBytes) return undefined;
  return limitForAnHour(Math.max(exceeded.usedBytes, limitBytes), growth);
}
