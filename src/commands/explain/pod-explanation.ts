import { explainPod, type PodBreakdown, type VolumeShare } from '../../attribution/breakdown.js';
import type { AttributionMode, Component } from '../../attribution/usage.js';
import { type LimitFigures, limitFigures } from '../../eviction/limit-figures.js';
import type { LimitRatio } from '../../eviction/limit-ratios.js';
import { isExemptFromLimits, podLimitBytes, podRequestBytes } from '../../eviction/limits.js';
import type { Pod } from '../../kube/objects.js';
import type { MeasuredNodeState, PodSnapshot } from '../../scrape/snapshot.js';
import { workloadName } from '../../workload/workload.js';
import type { ClusterReading } from '../cluster-reader.js';
import { podState } from './pod-state.js';
import { type VolumeReport, volumeReports } from './volume-reports.js';

/** What makes up a pod's number: plain data with exact numbers. */
export interface PodReport {
  readonly namespace: string;
  readonly pod: string;
  /** What the API server says; undefined for a pod that only the kubelet knows. */
  readonly spec: PodFacts | undefined;
  readonly node: string | undefined;
  readonly workloads: readonly string[];
  readonly limitBytes: number | undefined;
  readonly requestBytes: number | undefined;
  readonly measured: MeasuredReport | undefined;
  /** Why there are no figures. */
  readonly unmeasuredReason: string | undefined;
  /** Whether the lack of figures makes its workloads incomplete. */
  readonly isExpected: boolean | undefined;
}

interface PodFacts {
  readonly uid: string;
  readonly phase: string;
  readonly qosClass: string | undefined;
  readonly priorityClass: string | undefined;
  readonly isStatic: boolean;
  /** Static or critical: the kubelet never evicts it for its limits. */
  readonly isNeverEvicted: boolean;
  readonly startTimeMs: number | undefined;
}

export interface MeasuredReport {
  readonly summaryState: 'fresh' | 'stale';
  readonly summaryAgeMs: number;
  readonly usedBytes: number;
  readonly inodesUsed: number | undefined;
  readonly volumesPending: boolean;
  /** They add up to `usedBytes`. */
  readonly componentBytes: Readonly<Record<Component, number>>;
  /** `even`: each container has an even part of the total. */
  readonly split: PodBreakdown['split'];
  /** They add up to `usedBytes`; empty when the kubelet lists none. */
  readonly containers: readonly ContainerReport[];
  readonly volumes: readonly VolumeReport[];
  readonly limits: readonly LimitReport[];
}

/** `rootfsBytes + logsBytes + Σ volumeShares + restBytes` is `usedBytes`. */
export interface ContainerReport {
  readonly container: string;
  readonly usedBytes: number;
  readonly rootfsBytes: number;
  readonly logsBytes: number;
  readonly volumeShares: readonly VolumeShare[];
  /** Share of `other`; under the even split, of the total. */
  readonly restBytes: number;
}

export interface LimitReport extends LimitFigures {
  /** What the kubelet holds against the limit. */
  readonly held: string;
}

/** Of every pod of the name: one, unless kubelets report others that the API server does not know. */
export function podReports(
  reading: ClusterReading,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  mode: AttributionMode,
): readonly PodReport[] {
  const known = reading.knownPods.filter(({ pod }) => pod.namespace === namespace && pod.name === name);
  return [
    ...known.map(({ pod, workloads }) => {
      const state = podState(pod, reading);
      const common = { namespace, pod: name, workloads: workloads.map(workloadName) };
      if (state.state === 'measured')
        return { ...common, ...knownFacts(pod), ...measuredFacts(state.node, state.pod, mode) };
      const { reason, isExpected } = state;
      return { ...common, ...knownFacts(pod), measured: undefined, unmeasuredReason: reason, isExpected };
    }),
    ...unknownReports(reading, { namespace, name }, mode),
  ];
}

function unknownReports(
  { snapshot }: ClusterReading,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  mode: AttributionMode,
): readonly PodReport[] {
  return snapshot.nodes.flatMap((node) => {
    if (node.state === 'absent') return [];
    return node.snapshot.pods
      .filter((pod) => pod.pod === undefined && pod.namespace === namespace && pod.name === name)
      .map((pod) => ({
        namespace,
        pod: name,
        workloads: pod.workloads.map(workloadName),
        spec: undefined,
        node: node.nodeName,
        limitBytes: undefined,
        requestBytes: undefined,
        ...measuredFacts(node, pod, mode),
      }));
  });
}

function knownFacts(pod: Pod): Pick<PodReport, 'spec' | 'node' | 'limitBytes' | 'requestBytes'> {
  const { uid, phase, qosClass, priorityClass, isStatic, startTimeMs } = pod;
  return {
    spec: { uid, phase, qosClass, priorityClass, isStatic, isNeverEvicted: isExemptFromLimits(pod), startTimeMs },
    node: pod.nodeName,
    limitBytes: podLimitBytes(pod),
    requestBytes: podRequestBytes(pod),
  };
}

type MeasuredFacts = Pick<PodReport, 'measured' | 'unmeasuredReason' | 'isExpected'>;

function measuredFacts(node: MeasuredNodeState, pod: PodSnapshot, mode: AttributionMode): MeasuredFacts {
  const breakdown = explainPod({ summary: pod.summary, pod: pod.pod, mode });
  if (breakdown === undefined) throw new Error(`pod ${pod.namespace}/${pod.name} was measured without a total`);
  const { usage } = breakdown;
  const measured: MeasuredReport = {
    summaryState: node.state,
    summaryAgeMs: Math.round(node.ageMs),
    usedBytes: usage.usedBytes,
    inodesUsed: usage.inodesUsed,
    volumesPending: usage.volumesPending,
    componentBytes: usage.components,
    split: breakdown.split,
    containers: breakdown.containers.map(containerReport),
    volumes: volumeReports(usage.volumes, pod.pod),
    limits: pod.ratios.map((ratio) => limitReport(ratio, node.snapshot.layout.hasDedicatedImagefs === true)),
  };
  return { measured, unmeasuredReason: undefined, isExpected: undefined };
}

function containerReport(breakdown: PodBreakdown['containers'][number]): ContainerReport {
  const { name, usedBytes, ownRootfsBytes, ownLogsBytes, volumeShares, restBytes } = breakdown;
  return { container: name, usedBytes, rootfsBytes: ownRootfsBytes, logsBytes: ownLogsBytes, volumeShares, restBytes };
}

function limitReport(ratio: LimitRatio, hasDedicatedImagefs: boolean): LimitReport {
  const ofContainer = hasDedicatedImagefs ? 'logs (dedicated imagefs)' : 'rootfs + logs';
  const held = { emptydir: 'volume', pod: 'total', container: ofContainer };
  return { ...limitFigures(ratio), held: held[ratio.rule] };
}
