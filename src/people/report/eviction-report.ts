import {
  type EvictionRecord,
  type LastUsage,
  longerLimit,
  type MainPart,
  type UnknownUsageReason,
} from '../../facts/history/eviction-record.js';
import type { EvictionCause } from '../../facts/history/eviction-snapshot.js';
import { countedComponent } from '../../facts/node/volume-usage.js';
import { type LimitReport, limitReport } from './limit-report.js';
import type { ComponentBytes, ContainerReport } from './pod-report.js';
import { largestNeeds } from './request-command.js';
import { recordedMainPart } from './verdict-commands.js';
import { evictionVerdictReport, type VerdictReport } from './verdict-report.js';
import type { VolumeReport } from './volume-report.js';
import { type WorkloadReference, workloadReferences } from './workload-report.js';

/** One eviction of a pod for local storage: what it was evicted for and what it used before. Times are wall times. */
export interface EvictionReport
  extends
    Pick<
      EvictionRecord,
      'namespace' | 'pod' | 'node' | 'uid' | 'labels' | 'cause' | 'message' | 'evictedAtMs' | 'seenAtMs'
    >,
    Partial<Pick<EvictionRecord, 'limitBytes' | 'diskPressure'>> {
  readonly workloads: readonly WorkloadReference[];
  /** The container or the emptyDir that was above its limit. */
  readonly container?: string | undefined;
  readonly volume?: string | undefined;
  /** Why: the pod's own usage, or what filled the disk of its node. */
  readonly verdict?: VerdictReport | undefined;
  /** Absent when the pod was not measured; then `unknownUsageReason` shows why. */
  readonly lastUsage?: LastUsageReport | undefined;
  readonly unknownUsageReason?: UnknownUsageReason | undefined;
}

/** What was last measured of an evicted pod. Bytes are absent where the kubelet reported none. */
export interface LastUsageReport
  extends
    Pick<LastUsage, 'fetchedAtMs' | 'samples'>,
    Partial<Pick<LastUsage, 'growthBytesPerSecond' | 'limitForAnHourBytes' | 'nodeCapacityBytes'>> {
  /** From the measurement to the eviction. */
  readonly ageMs: number;
  readonly usedBytes?: number | undefined;
  readonly inodesUsed?: number | undefined;
  /** The kubelet had not measured the pod's volumes yet: the total is too small. */
  readonly isPending: boolean;
  readonly components?: ComponentBytes | undefined;
  readonly containers: readonly Pick<ContainerReport, 'container' | 'usedBytes' | 'rootfsBytes' | 'logsBytes'>[];
  readonly volumes: readonly Pick<VolumeReport, 'volume' | 'type' | 'medium' | 'usedBytes' | 'isCounted'>[];
  /** Those that the kubelet enforced, in the order in which it checks. */
  readonly limits: readonly LimitReport[];
  /** What made more than half of what counted towards the limit of a container or of the pod. */
  readonly mainPart?: MainPart | undefined;
}

/** `earlier`: evictions before, the newest first: one of the same node may explain this one. `most`: see {@link largestNeeds}. */
export function evictionReport(
  record: EvictionRecord,
  earlier: readonly EvictionReport[] = [],
  most = record,
): EvictionReport {
  const { namespace, pod, node, uid, labels, cause, limitBytes, message, evictedAtMs, seenAtMs, diskPressure } = record;
  const { lastUsage } = record;
  const isMeasured = typeof lastUsage === 'object';
  return {
    ...{ namespace, pod, node, uid, labels, cause, limitBytes, message, evictedAtMs, seenAtMs, diskPressure },
    workloads: workloadReferences(record.workloads),
    container: record.container || undefined,
    volume: record.volume || undefined,
    verdict: evictionVerdictReport(record, earlier, most),
    lastUsage: isMeasured ? lastUsageReport(lastUsage, record) : undefined,
    unknownUsageReason: isMeasured ? undefined : lastUsage,
  };
}

/** What a container used without its share of volumes, which are listed too; its share of the total where that is all that is known. */
export function ownBytes({
  usedBytes,
  rootfsBytes,
  logsBytes,
}: LastUsageReport['containers'][number]): number | undefined {
  return rootfsBytes === undefined && logsBytes === undefined ? usedBytes : (rootfsBytes ?? 0) + (logsBytes ?? 0);
}

/** Both the newest first. */
export function evictionReports(
  records: readonly EvictionRecord[],
  reportOf: (
    record: EvictionRecord,
    earlier: readonly EvictionReport[],
    most: EvictionRecord,
  ) => EvictionReport = evictionReport,
): readonly EvictionReport[] {
  const needs = largestNeeds(records);
  const reports: EvictionReport[] = [];
  for (const record of records.toReversed()) {
    const earlier = reports.slice(-maxEarlierCount).reverse();
    reports.push(reportOf(record, earlier, needs.get(record) ?? record));
  }
  return reports.reverse();
}

/** However many evictions are listed, those just before explain one. */
const maxEarlierCount = 100;

function lastUsageReport(lastUsage: LastUsage, record: EvictionRecord): LastUsageReport {
  const { usage, ratios, growthBytesPerSecond: growth, ...shown } = lastUsage;
  return {
    ...shown,
    ageMs: Math.max(0, record.evictedAtMs - lastUsage.fetchedAtMs), // the kubelet's times are whole seconds
    ...usageReport(usage),
    limits: ratios.map(limitReport),
    growthBytesPerSecond: growth && Math.round(growth),
    mainPart: recordedMainPart(record),
  };
}

function usageReport(usage: LastUsage['usage']) {
  if (usage === undefined) return { usedBytes: undefined, isPending: false, containers: [], volumes: [] };
  const { usedBytes, inodesUsed, volumesPending, components, containers, volumes } = usage;
  return {
    usedBytes,
    inodesUsed,
    isPending: volumesPending,
    components,
    containers: containers.map(({ name: container, usedBytes, rootfsBytes, logsBytes }) => {
      return { container, usedBytes, rootfsBytes, logsBytes };
    }),
    volumes: volumes.map(({ name: volume, type, medium, usedBytes }) => {
      return { volume, type, medium, usedBytes, isCounted: countedComponent({ type, medium }) !== undefined };
    }),
  };
}

export interface ShownEviction extends EvictionReport {
  /** Since the eviction. */
  readonly ageMs: number;
}

/** A clock that is behind is no reason for an age below 0. */
export function withAge(report: EvictionReport, nowMs: number): ShownEviction {
  return { ...report, ageMs: Math.max(0, nowMs - report.evictedAtMs) };
}

/** What to do next, by what filled the limit and by cause; undefined where its commands say it. */
export function evictionHint(eviction: EvictionReport): string | undefined {
  const { mainPart, limitForAnHourBytes, limits = [], ...last }: Partial<LastUsageReport> = eviction.lastUsage ?? {};
  if (mainPart?.component === 'logs')
    return `Have container ${mainPart.name} log less, or lower containerLogMaxSize and containerLogMaxFiles of the kubelet: logs fill a larger limit too.`;
  const growing = { growth: last.growthBytesPerSecond, sinceMs: last.ageMs ?? Infinity };
  return limitForAnHourBytes === undefined && longerLimit(eviction, limits, growing) !== undefined
    ? 'Have it write less, or delete what it has written: it grew too fast for a larger limit.'
    : causeHints[eviction.cause];
}

const causeHints: Readonly<Partial<Record<EvictionCause, string>>> = {
  emptydir_limit: 'Raise sizeLimit of the emptyDir, or have the pod write less to it.',
  container_limit: "Raise the container's limit of ephemeral-storage, or have it write less to its own files and logs.",
  pod_limit:
    'Raise the limits of ephemeral-storage of its containers, or have the pod write less: files, logs and emptyDirs count.',
  node_bytes: 'The kubelet evicts the pods above their request of ephemeral-storage first.',
  other: 'The message of the kubelet names the cause.',
};
