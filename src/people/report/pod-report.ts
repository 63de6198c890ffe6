import type { Node, Pod } from '../../cluster/kube/objects.js';
import { ofSamePod, type PodIdentity } from '../../cluster/kube/pod-identity.js';
import { roundUp } from '../../cluster/kube/quantity.js';
import { known } from '../../cluster/kubelet/summary.js';
import { hasUnknownUsage } from '../../facts/node/limit-ratios.js';
import { exemptionOf, hasLimits, podLimitBytes, podRequestBytes } from '../../facts/node/limits.js';
import type { AbsenceReason, NodeSnapshot, NodeView } from '../../facts/node/node-view.js';
import type { BoundPod, DerivedPod, PodRecord } from '../../facts/node/pod-record.js';
import { type PodStanding, podStanding } from '../../facts/node/standing.js';
import type { MeasuredUsage } from '../../facts/node/usage.js';
import { formatAge } from '../../lib/base/units.js';
import { type LimitReport, limitReport } from './limit-report.js';
import { type WorkloadReference, workloadReferences } from './workload-report.js';

/** Where something of a pod is: what names it in a list over the whole cluster. */
export interface PodPlace {
  readonly namespace: string;
  readonly pod: string;
  /** Absent until the pod is scheduled. */
  readonly node?: string | undefined;
}

interface PodFacts extends PodPlace {
  readonly workloads: readonly WorkloadReference[];
  /** Whether the API server knows the pod: the kubelet may still report one that was deleted. */
  readonly isKnown: boolean;
  /** Static and system-critical pods: the kubelet never evicts them for their limits. */
  readonly isExempt: boolean;
  /** Whether the pod, a container or an emptyDir of it has a limit, enforced or not; absent for a pod that is not known. */
  readonly hasLimits?: boolean | undefined;
  /** Aggregated over the containers as the kubelet does; absent where none declares one. */
  readonly limitBytes?: number | undefined;
  readonly requestBytes?: number | undefined;
}

/** Where values come from. */
export interface DataFacts {
  /** `absent`: what was last known of a pod whose node has no data. `stale`: also where the kubelet measures the pod no longer. */
  readonly dataState: PodSource['state'];
  readonly dataAgeMs: number;
  /** Why the node has no data. */
  readonly absenceReason?: AbsenceReason | undefined;
}

export interface LimitFacts extends DataFacts {
  readonly standing: PodStanding['kind'];
  /** The larger, the sooner it is evicted for a limit: what the order `urgency` goes by. Absent of one that is not about to be. */
  readonly urgency?: number | undefined;
  /** What counts towards one of its limits is unknown: it is compared with nothing, and no calm limit is said to be the nearest. */
  readonly hasUnknownUsage?: true | undefined;
  readonly nearestLimit?: LimitReport | undefined;
  /**
   * Until the pod exceeds one of its limits if it goes on to grow as measured; 0 above it. Absent while no growth is known, and from a
   * day on.
   */
  readonly timeToLimitMs?: number | undefined;
}

/** A pod with data. `pending`: the kubelet has not measured its volumes yet, so the total or a ratio is too small. */
export interface MeasuredPodReport extends PodFacts, LimitFacts {
  readonly state: 'measured' | 'pending';
  readonly node: string;
  readonly usedBytes: number;
  readonly components: ComponentBytes;
  readonly inodesUsed?: number | undefined;
}

/** What is known of its limits is there where the kubelet lists it without a total. */
export interface UnmeasuredPodReport extends PodFacts, Partial<LimitFacts> {
  readonly state: 'unmeasured';
  /** Why it has no data. */
  readonly reason: string;
  /** Whether it should have been measured: its workloads are incomplete without it. */
  readonly isExpected: boolean;
}

export type PodReport = MeasuredPodReport | UnmeasuredPodReport;

/** What the API server knows of a pod besides what concerns its storage. */
export type PodSpecReport = Pick<Pod, 'uid' | 'phase' | 'isStatic'> &
  Partial<Pick<Pod, 'qosClass' | 'priorityClass' | 'startTimeMs'>>;

/** Where the values of a pod come from: a node with data, or what was last known. */
export interface PodSource {
  readonly nodeName: string;
  /** Undefined for one that is not in the cluster. */
  readonly node?: Node | undefined;
  readonly state: NodeView['state'];
  readonly ageMs: number;
  /** Why the node has no data. */
  readonly reason?: AbsenceReason;
  /** Undefined for a node of which nothing is known. */
  readonly snapshot?: Pick<NodeSnapshot, 'forecasts' | 'frozen'>;
}

/** A pod of a summary, and where its values come from. */
export interface FoundPod<Pod extends PodRecord = DerivedPod> {
  readonly node: PodSource;
  readonly pod: Pod;
}

export function podPlace({ node, pod }: FoundPod<PodRecord>): PodPlace & { readonly node: string } {
  const { namespace, name } = pod.summary;
  return { namespace, pod: name, node: node.nodeName };
}

export function measuredPodReport(found: FoundPod<DerivedPod<MeasuredUsage>>): MeasuredPodReport {
  const { pod } = found;
  const { usedBytes, components, inodesUsed, volumesPending } = pod.usage;
  return {
    ...podPlace(found),
    workloads: workloadReferences(pod.workloads),
    isKnown: pod.bound !== undefined,
    isExempt: pod.bound !== undefined && exemptionOf(pod.bound.pod) !== undefined,
    hasLimits: pod.bound && hasLimits(pod.bound.pod),
    state: volumesPending ? 'pending' : 'measured',
    usedBytes,
    components,
    inodesUsed,
    limitBytes: pod.bound?.limitBytes,
    requestBytes: pod.bound?.requestBytes,
    ...limitFacts(found),
  };
}

/** What is known of a pod without a total, too. */
export function limitFacts(found: FoundPod): LimitFacts {
  const { node, pod } = found;
  const { kind, nearest, timeMs, urgency } = podStanding(node, pod, pod.ratios);
  const isUnknown = pod.bound !== undefined && hasUnknownUsage(pod.summary, pod.bound.pod);
  return {
    standing: kind,
    urgency,
    hasUnknownUsage: isUnknown || undefined,
    nearestLimit: nearest && limitReport(nearest),
    timeToLimitMs: timeMs,
    ...dataFacts(node, pod.summary),
  };
}

/** Whether the values are old, and what they are now is not known. */
export function isLastKnown({ dataState }: Partial<DataFacts>): boolean {
  return dataState === 'absent';
}

/** `last known 4m ago`; '' of values that are current, or of none. */
export function lastKnownText({ dataState, dataAgeMs }: Parameters<typeof momentText>[0]): string {
  return dataState === 'absent' && dataAgeMs !== undefined ? `last known ${formatAge(dataAgeMs)} ago` : '';
}

/** The moment that values are of: `now`, or `as of 4m ago` of those that are not fresh. */
export function momentText({
  dataState,
  dataAgeMs,
}: {
  readonly [Name in 'dataState' | 'dataAgeMs']?: DataFacts[Name] | undefined;
}): string {
  return dataState === undefined || dataState === 'fresh' ? 'now' : `as of ${formatAge(dataAgeMs)} ago`;
}

export function dataFacts(source: PodSource, pod?: PodIdentity): DataFacts {
  const { state, ageMs, reason } = source;
  const heldMs = pod && frozenMs(source, pod);
  const dataState = heldMs !== undefined && state === 'fresh' ? 'stale' : state;
  return { dataState, dataAgeMs: Math.round(ageMs + (heldMs ?? 0)), absenceReason: reason };
}

/** Returns for how long the kubelet had not measured the pod when its data arrived; undefined for one that it measures. */
export function frozenMs({ snapshot }: PodSource, pod: PodIdentity): number | undefined {
  return ofSamePod(snapshot?.frozen.pods, pod)?.heldMs;
}

export function unmeasuredPodReport(
  { pod, workloads }: Pick<BoundPod, 'pod' | 'workloads'>,
  lack: Pick<UnmeasuredPodReport, 'reason' | 'isExpected'>,
): UnmeasuredPodReport {
  return {
    namespace: pod.namespace,
    pod: pod.name,
    node: pod.nodeName,
    workloads: workloadReferences(workloads),
    isKnown: true,
    isExempt: exemptionOf(pod) !== undefined,
    hasLimits: hasLimits(pod),
    state: 'unmeasured',
    ...lack,
    limitBytes: podLimitBytes(pod),
    requestBytes: podRequestBytes(pod),
  };
}

export function podSpecReport({ uid, phase, qosClass, priorityClass, isStatic, startTimeMs }: Pod): PodSpecReport {
  return { uid, phase, qosClass, priorityClass, isStatic, startTimeMs };
}

/** Bytes by component; they add up to the pod's total. Absent where a part of one is unknown. */
export type ComponentBytes = MeasuredUsage['components'];

export interface ContainerReport extends PodPlace {
  readonly container: string;
  /** Attributed: its own files and its share of what the pod shares. Over a pod's containers they add up to its total. Absent where a part is unknown. */
  readonly usedBytes?: number | undefined;
  /** As the kubelet reports them. */
  readonly rootfsBytes?: number | undefined;
  readonly logsBytes?: number | undefined;
  readonly limitBytes?: number | undefined;
  readonly requestBytes?: number | undefined;
  /** Where the kubelet enforces the container's own limit. */
  readonly nearestLimit?: LimitReport | undefined;
  readonly dataAgeMs: number;
}

/** The containers that the kubelet lists for a pod. */
export function containerReports(found: FoundPod): readonly ContainerReport[] {
  const { node, pod } = found;
  return pod.usage.containers.map(({ name, usedBytes, rootfsBytes, logsBytes }) => {
    const spec = pod.bound?.pod.containers.find((container) => container.name === name);
    const ratio = pod.ratios.find(({ rule, container }) => rule === 'container' && container === name);
    return {
      ...podPlace(found),
      container: name,
      usedBytes,
      rootfsBytes: known(rootfsBytes),
      logsBytes: known(logsBytes),
      limitBytes: spec?.limitBytes && roundUp(spec.limitBytes),
      requestBytes: spec?.requestBytes && roundUp(spec.requestBytes),
      nearestLimit: ratio && limitReport(ratio),
      dataAgeMs: dataFacts(node, pod.summary).dataAgeMs,
    };
  });
}
