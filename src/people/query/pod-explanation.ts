import type { Pod } from '../../cluster/kube/objects.js';
import type { UsageSample } from '../../cluster/kubelet/lookup.js';
import { growthBytesPerSecond } from '../../facts/history/usage-growth.js';
import { explainPod, type PodBreakdown } from '../../facts/node/breakdown.js';
import { isActive } from '../../facts/node/limits.js';
import type { NodeView } from '../../facts/node/node-view.js';
import { derivePod } from '../../facts/node/pod-record.js';
import { type PodStanding, podStanding } from '../../facts/node/standing.js';
import type { AttributionMode } from '../../facts/node/usage.js';
import type { Lane } from '../../lib/base/lane.js';
import type { ShownEviction } from '../report/eviction-report.js';
import { type FindingReport, findingReport, nodeFindings, specFindings } from '../report/finding-report.js';
import { type LimitReport, limitReport } from '../report/limit-report.js';
import { dataOf, type NodeData } from '../report/node-report.js';
import {
  type FoundPod,
  frozenMs,
  type MeasuredPodReport,
  measuredPodReport,
  type PodReport,
  type PodSpecReport,
  podSpecReport,
  type UnmeasuredPodReport,
} from '../report/pod-report.js';
import { type NextLimitReport, podVerdict, type PodVerdictReport } from '../report/pod-verdict.js';
import { type NodePressureReport, pressedNode, pressureReport } from '../report/pressure-report.js';
import { unlistedVolumeReports, type VolumeReport, volumeReports } from '../report/volume-report.js';
import type { ClusterReading, KnownPod } from './cluster-reading.js';
import { type KnownOfPod, type NamespacedName, reportWithoutTotal } from './list-pods.js';

export interface PodObject {
  /** One, unless kubelets report others of the name that the API server does not know. */
  readonly pods: readonly PodExplanation[];
  /** Of pods of this name. */
  readonly evictions: readonly ShownEviction[];
}

/** What adds up to a pod's usage, and what becomes of it: plain data with exact numbers. */
export type PodExplanation = MeasuredPodExplanation | (UnmeasuredPodReport & PodOutlook);

export interface MeasuredPodExplanation extends MeasuredPodReport, PodOutlook {
  /** `even`: each container has an even part of the total. */
  readonly split: PodBreakdown['split'];
  /** They add up to `usedBytes`; empty when the kubelet lists none. */
  readonly containers: readonly ContainerExplanation[];
  /** Those that the kubelet lists, then those of the spec that it does not list. */
  readonly volumes: readonly VolumeReport[];
}

interface PodOutlook {
  /** What is wrong with its settings; empty for a pod that the API server does not know. */
  readonly findings: readonly FindingReport[];
  /** Absent for a pod that the API server does not know. */
  readonly spec?: PodSpecReport | undefined;
  /** In the order in which the kubelet checks; of a pod without a total, those of its volumes and containers. */
  readonly limits: readonly LimitExplanation[];
  readonly verdict: PodVerdictReport;
  /** Absent while no growth is known, and of old data. */
  readonly next?: NextLimitReport | undefined;
  /** Of the first pods that a node evicts which is close to evicting pods, or does; absent of others, and of old data. */
  readonly nodePressure?: PodPressureReport | undefined;
  /** Totals of the last summaries, the oldest first. */
  readonly samples: readonly UsageSample[];
  /** Of the total, over the samples; below 0 when it shrank. */
  readonly growthBytesPerSecond?: number | undefined;
}

/** `rootfsBytes + logsBytes + Σ volumeShares + otherBytes` is `usedBytes`. What is unknown is absent. */
export interface ContainerExplanation {
  readonly container: string;
  readonly usedBytes?: number | undefined;
  readonly rootfsBytes?: number | undefined;
  readonly logsBytes?: number | undefined;
  readonly volumeShares: PodBreakdown['containers'][number]['volumeShares'];
  /** Share of the component `other`; under the even split, of the total. */
  readonly otherBytes?: number | undefined;
}

export interface LimitExplanation extends LimitReport {
  /** What counts towards the limit. */
  readonly counted: string;
  /**
   * Measurements of what counts over about the last ten minutes, the oldest first: of the pod its totals in the last summaries; of a
   * container or an emptyDir those of the kubelet, which are kept from 40 % of a limit of the pod on, and for ten minutes after a change
   * by more than 2 % of one. Empty where none are kept.
   */
  readonly samples: readonly UsageSample[];
}

/** When a pod is evicted for its node's sake. */
interface PodPressureReport extends Pick<NodePressureReport, 'node' | 'signal' | 'timeToEvictionMs'> {
  /** Below 0 the kubelet evicts. */
  readonly headroom: number;
  /** From 1, the first; equals share a rank. */
  readonly rank: number;
}

/** Explains every pod of the name: one, unless kubelets report others that the API server does not know. */
export async function explainPods(
  reading: ClusterReading,
  { mode, ...names }: NamespacedName & { readonly mode: AttributionMode },
  lane: Lane,
): Promise<readonly PodExplanation[]> {
  const pods = await podsOfName(reading, names, lane);
  return pods.map((pod) => explain(pod, reading, mode));
}

/** One by one: a cluster may have a hundred thousand. */
async function podsOfName(
  reading: ClusterReading,
  { namespace, name }: NamespacedName,
  lane: Lane,
): Promise<readonly KnownOfPod[]> {
  const found: KnownOfPod[] = [];
  const isMeant = (pod: NamespacedName): boolean => pod.name === name && pod.namespace === namespace;
  await lane.each(reading.knownPods, (bound) => {
    if (isMeant(bound.pod)) found.push(knownPod(bound, reading));
  });
  await lane.each(reading.snapshot.nodes, (view) => {
    const data = dataOf(view, reading);
    for (const record of data?.snapshot.pods ?? [])
      if (record.bound === undefined && isMeant(record.summary)) found.push({ bound: undefined, record, view, data });
  });
  return found;
}

/** Of one that has ended, what was last known of a silent node says nothing. */
function knownPod(bound: KnownPod, reading: ClusterReading): KnownOfPod {
  const { uid, nodeName } = bound.pod;
  const view = reading.snapshot.nodes.find((node) => node.nodeName === nodeName);
  const data = view && dataOf(view, reading);
  const { pods, podsWithoutTotal } = data?.snapshot ?? { pods: [], podsWithoutTotal: [] };
  const isShown = view?.state !== 'absent' || isActive(bound.pod);
  const record = isShown ? [...pods, ...podsWithoutTotal].find((of) => of.bound?.pod.uid === uid) : undefined;
  return { bound, record, view, data };
}

function explain(of: KnownOfPod, reading: ClusterReading, mode: AttributionMode): PodExplanation {
  const { record, view, data } = of;
  const pod = of.bound?.pod;
  const found = record && data && { node: data.source, pod: derivePod(record, data.snapshot.context) };
  const report = (found && measuredExplanation(found, mode)) ?? reportWithoutTotal(of, reading);
  const { limits, samples, standing } = figuresOf(found, data, reading);
  const growth = growthBytesPerSecond(samples);
  const eviction = reading.evictions.find(({ uid }) => uid === pod?.uid);
  return {
    ...report,
    ...specFacts(pod, data, reading),
    limits,
    verdict: podVerdict({ report, limits, standing, samples, pod, eviction }),
    next: nextLimit(standing),
    nodePressure: nodePressure(report, view),
    samples,
    growthBytesPerSecond: growth && Math.round(growth),
  };
}

function figuresOf(found: FoundPod | undefined, data: NodeData | undefined, reading: ClusterReading) {
  if (found === undefined) return { limits: [], samples: [], standing: undefined };
  const { node, pod } = found;
  const isFrozen = frozenMs(node, pod.summary) !== undefined;
  const samples = isFrozen ? [] : reading.samplesOf(node.nodeName, pod.summary);
  const limits = limitsOf(found, data?.snapshot.layout, samples, reading);
  return { limits, samples, standing: podStanding(node, pod, pod.ratios) };
}

/** Undefined for a pod without a total. */
function measuredExplanation({ node, pod }: FoundPod, mode: AttributionMode) {
  const { summary, bound, usage } = pod;
  const { usedBytes } = usage;
  if (usedBytes === undefined) return undefined;
  const breakdown = explainPod({ summary, pod: bound?.pod, mode });
  const found = { node, pod: { ...pod, usage: { ...breakdown.usage, usedBytes } } };
  return {
    ...measuredPodReport(found),
    split: breakdown.split,
    containers: breakdown.containers.map(containerExplanation),
    volumes: [...volumeReports(found), ...unlistedVolumeReports(found)],
  };
}

function containerExplanation(breakdown: PodBreakdown['containers'][number]): ContainerExplanation {
  const { name, usedBytes, ownRootfsBytes, ownLogsBytes, volumeShares, restBytes } = breakdown;
  const own = { rootfsBytes: ownRootfsBytes, logsBytes: ownLogsBytes };
  return { container: name, usedBytes, ...own, volumeShares, otherBytes: restBytes };
}

function limitsOf(
  { node: { nodeName, ageMs }, pod }: FoundPod,
  layout: NodeData['snapshot']['layout'] | undefined,
  ofTotal: readonly UsageSample[],
  { readAtMs, limitSamplesOf }: ClusterReading,
): readonly LimitExplanation[] {
  const ofContainer = layout?.hasDedicatedImagefs === true ? 'logs (dedicated imagefs)' : 'rootfs + logs';
  const counted = { emptydir: 'volume', pod: 'total', container: ofContainer };
  return pod.ratios.map((ratio) => ({
    ...limitReport(ratio),
    counted: counted[ratio.rule],
    samples: ratio.rule === 'pod' ? ofTotal : limitSamplesOf(nodeName, pod, ratio, readAtMs - ageMs),
  }));
}

/** Without data of its node, by what was last known or, without that, what its spec shows. */
function specFacts(
  pod: Pod | undefined,
  data: NodeData | undefined,
  { knownNodes }: ClusterReading,
): Pick<PodOutlook, 'spec' | 'findings'> {
  if (pod === undefined) return { findings: [] };
  const node = knownNodes.find(({ name }) => name === pod.nodeName);
  const found =
    data === undefined ? specFindings(pod, node) : nodeFindings(data.snapshot).filter((one) => one.pod.uid === pod.uid);
  return { spec: podSpecReport(pod), findings: found.map(findingReport) };
}

function nodePressure({ namespace, pod }: PodReport, view: NodeView | undefined): PodPressureReport | undefined {
  const pressed = view === undefined || view.state === 'absent' ? undefined : pressedNode(view, view.snapshot);
  if (pressed === undefined) return undefined;
  const { signal, headroom = 0, timeToEvictionMs, victims = [], node } = pressureReport(pressed);
  const found = victims.find((victim) => victim.namespace === namespace && victim.pod === pod);
  return found && { node, signal, headroom, timeToEvictionMs, rank: found.rank };
}

function nextLimit({ limit, timeMs }: Partial<PodStanding> = {}): NextLimitReport | undefined {
  if (limit === undefined || timeMs === undefined) return undefined;
  const { rule, container, volume } = limitReport(limit);
  return { rule, container, volume, timeToLimitMs: timeMs };
}
