import type { Labels } from '../../cluster/kube/objects.js';
import type { UsageSample } from '../../cluster/kubelet/lookup.js';
import type {
  EvictionRecord,
  KeptUsage,
  LastUsage,
  MainPart,
  UnknownUsageReason,
} from '../../facts/history/eviction-record.js';
import type { EvictionCause } from '../../facts/history/eviction-snapshot.js';
import { countedComponent } from '../../facts/node/volume-usage.js';
import { type LimitReport, limitReport } from './limit-report.js';
import type { ComponentBytes, ContainerReport, PodPlace } from './pod-report.js';
import { largestNeeds } from './shared-need.js';
import { recordedMainPart } from './verdict-commands.js';
import { evictionVerdictReport, type VerdictReport } from './verdict-report.js';
import type { VolumeReport } from './volume-report.js';
import { type WorkloadReference, workloadReferences } from './workload-report.js';

/** One eviction of a pod for local storage: what it was evicted for and what it used before. Times are wall times. */
export interface EvictionReport extends PodPlace {
  readonly node: string;
  readonly uid: string;
  /** The pod's. */
  readonly labels: Labels;
  readonly workloads: readonly WorkloadReference[];
  readonly cause: EvictionCause;
  /** The container or the emptyDir that was above its limit. */
  readonly container?: string | undefined;
  readonly volume?: string | undefined;
  /** The limit that was exceeded, rounded up to whole bytes. */
  readonly limitBytes?: number | undefined;
  /** Why: the pod's own usage, or what filled the disk of its node. */
  readonly verdict?: VerdictReport | undefined;
  /** As the kubelet wrote it. */
  readonly message: string;
  /** According to the pod's status, to the second. */
  readonly evictedAtMs: number;
  readonly seenAtMs: number;
  /** Whether the node had the condition DiskPressure; absent when it was unknown. */
  readonly diskPressure?: boolean | undefined;
  /** Absent when the pod was not measured; then `unknownUsageReason` shows why. */
  readonly lastUsage?: LastUsageReport | undefined;
  readonly unknownUsageReason?: UnknownUsageReason | undefined;
}

/** What was last measured of an evicted pod. Bytes are absent where the kubelet reported none. */
export interface LastUsageReport {
  readonly fetchedAtMs: number;
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
  /** Totals of the last summaries, the oldest first. */
  readonly samples: readonly UsageSample[];
  /** Of the total, over the samples; below 0 when it shrank. */
  readonly growthBytesPerSecond?: number | undefined;
  /** The limit that would have let the pod live for an hour more at this growth; absent where no limit on its node would have. */
  readonly limitForAnHourBytes?: number | undefined;
  /** Of the filesystem that limits count on. */
  readonly nodeCapacityBytes?: number | undefined;
  /** What made more than half of what counted towards the limit of a container or of the pod. */
  readonly mainPart?: MainPart | undefined;
}

/** `earlier`: evictions before, the newest first: one of the same node may explain this one. `most`: see {@link largestNeeds}. */
export function evictionReport(
  record: EvictionRecord,
  earlier: readonly EvictionReport[] = [],
  most = record,
): EvictionReport {
  const { lastUsage, evictedAtMs } = record;
  const isMeasured = typeof lastUsage === 'object';
  return {
    namespace: record.namespace,
    pod: record.pod,
    node: record.node,
    uid: record.uid,
    labels: record.labels,
    workloads: workloadReferences(record.workloads),
    cause: record.cause,
    container: record.container || undefined,
    volume: record.volume || undefined,
    limitBytes: record.limitBytes,
    verdict: evictionVerdictReport(record, earlier, most),
    message: record.message,
    evictedAtMs,
    seenAtMs: record.seenAtMs,
    diskPressure: record.diskPressure,
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
  const { usage, fetchedAtMs, ratios, samples, growthBytesPerSecond, limitForAnHourBytes, nodeCapacityBytes } =
    lastUsage;
  return {
    fetchedAtMs,
    ageMs: Math.max(0, record.evictedAtMs - fetchedAtMs), // the kubelet's times are whole seconds
    ...usageReport(usage),
    limits: ratios.map(limitReport),
    samples,
    growthBytesPerSecond: growthBytesPerSecond === undefined ? undefined : Math.round(growthBytesPerSecond),
    limitForAnHourBytes,
    nodeCapacityBytes,
    mainPart: recordedMainPart(record),
  };
}

function usageReport(usage: KeptUsage | undefined) {
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
