import type { Pod } from '../../cluster/kube/objects.js';
import { identityOf, isSamePod } from '../../cluster/kube/pod-identity.js';
import type { UsageSample } from '../../cluster/kubelet/lookup.js';
import { explainPod, type PodBreakdown } from '../../facts/node/breakdown.js';
import { isActive } from '../../facts/node/limits.js';
import { podGraceMs } from '../../facts/node/node-coverage.js';
import { isExpected } from '../../facts/node/node-coverage.js';
import type { NodeLayout } from '../../facts/node/node-layout.js';
import type { AbsentNodeView, MeasuredNodeView } from '../../facts/node/node-view.js';
import { type DerivedPod, deriveMeasured, derivePod, type PodRecord } from '../../facts/node/pod-record.js';
import type { AttributionMode, MeasuredUsage, PodUsage } from '../../facts/node/usage.js';
import { formatAge } from '../../lib/base/units.js';
import { nodeHint } from '../report/absence-hints.js';
import { type FindingReport, findingReport, nodeFindings, specFindings } from '../report/finding-report.js';
import { type LimitReport, limitReport } from '../report/limit-report.js';
import {
  type FoundPod,
  limitFacts,
  type MeasuredPodReport,
  measuredPodReport,
  type PodSource,
  type PodSpecReport,
  podSpecReport,
  type UnmeasuredPodReport,
  unmeasuredPodReport,
} from '../report/pod-report.js';
import { unlistedVolumeReports, type VolumeReport, volumeReports } from '../report/volume-report.js';
import type { ClusterReading, KnownPod } from './cluster-reading.js';
import { limitSamples } from './limit-samples.js';

/** What adds up to a pod's usage: plain data with exact numbers. */
export type PodExplanation =
  | MeasuredPodExplanation
  | (UnmeasuredPodReport &
      WithSpec & {
        /** Of a pod that the kubelet lists without a total: the limits of its volumes and containers. */
        readonly limits: readonly LimitExplanation[];
      });

interface WithSpec {
  /** What is wrong with its settings; empty for a pod that the API server does not know. */
  readonly findings: readonly FindingReport[];
  /** Absent for a pod that the API server does not know. */
  readonly spec?: PodSpecReport | undefined;
}

export interface MeasuredPodExplanation extends MeasuredPodReport, WithSpec {
  /** `even`: each container has an even part of the total. */
  readonly split: PodBreakdown['split'];
  /** They add up to `usedBytes`; empty when the kubelet lists none. */
  readonly containers: readonly ContainerExplanation[];
  /** Those that the kubelet lists, then those of the spec that it does not list. */
  readonly volumes: readonly VolumeReport[];
  readonly limits: readonly LimitExplanation[];
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

/** A pod with figures, and where they come from: of a silent node, what was last known. */
export type ExplainedSource<Usage = MeasuredUsage> = FoundPod<
  DerivedPod<Usage>,
  PodSource & { readonly layout: NodeLayout }
>;

/** An explanation, and what it is made of. */
export interface ExplainedPod {
  readonly explanation: PodExplanation;
  /** Undefined without figures. */
  readonly found: FoundPod<DerivedPod, PodSource> | undefined;
  /** Undefined for one that the API server does not know. */
  readonly pod: Pod | undefined;
}

export function explainKnown(known: KnownPod, reading: ClusterReading, mode: AttributionMode): ExplainedPod {
  const { pod } = known;
  const facts = { spec: podSpecReport(pod), findings: findingsOf(pod, reading) };
  const state = knownPodState(known, reading);
  const found = state.found === undefined ? lastKnownPod(pod, reading) : sourceOf(state.found);
  if (found !== undefined)
    return { explanation: { ...measuredExplanation(found, reading, mode), ...facts }, found, pod };
  const { report } = state;
  if (report.state !== 'unmeasured') throw new Error('a pod has values that were not found');
  const listed = foundWithoutTotal(pod, reading);
  const limits = listed === undefined ? [] : limitsOf(listed, reading);
  return { explanation: { ...report, ...(listed && limitFacts(listed)), ...facts, limits }, found: listed, pod };
}

export function explainUnknown(found: ExplainedSource, reading: ClusterReading, mode: AttributionMode): ExplainedPod {
  return { explanation: { ...measuredExplanation(found, reading, mode), findings: [] }, found, pod: undefined };
}

function sourceOf({ node, pod }: FoundPod<DerivedPod<MeasuredUsage>>): ExplainedSource {
  return { node: { ...node, layout: node.snapshot.layout }, pod };
}

/** Of a running pod whose node has no data. */
function lastKnownPod({ uid, nodeName, phase }: Pod, reading: ClusterReading): ExplainedSource | undefined {
  const view = reading.snapshot.nodes.find((node) => node.nodeName === nodeName);
  if (view?.state !== 'absent' || !isActive({ phase })) return undefined;
  return lastKnownPods(view, reading, ({ bound }) => bound?.pod.uid === uid)[0];
}

/** Of the pods that a silent node had. */
export function lastKnownPods(
  view: AbsentNodeView,
  reading: ClusterReading,
  isWanted: (pod: PodRecord) => boolean,
): readonly ExplainedSource[] {
  const last = reading.lastKnownOf(view);
  if (last === undefined) return [];
  const { pods, context, layout } = last.snapshot;
  const node = { ...view, ageMs: last.ageMs, layout };
  return pods.filter(isWanted).map((pod) => ({ node, pod: deriveMeasured(pod, context) }));
}

/** Without data of its node, by what was last known or, without that, what its spec shows. */
function findingsOf(pod: Pod, { snapshot, knownNodes, lastKnownOf }: ClusterReading): readonly FindingReport[] {
  const state = snapshot.nodes.find(({ nodeName }) => nodeName === pod.nodeName);
  const known = state?.state === 'absent' ? lastKnownOf(state)?.snapshot : state?.snapshot;
  const found =
    known === undefined
      ? specFindings(
          pod,
          knownNodes.find(({ name }) => name === pod.nodeName),
        )
      : nodeFindings(known).filter((one) => one.pod.uid === pod.uid);
  return found.map(findingReport);
}

/** A pod that its kubelet lists without a total; of a silent node, as it was last known. */
function foundWithoutTotal(
  { uid, nodeName }: Pod,
  { snapshot, lastKnownOf }: ClusterReading,
): ExplainedSource<PodUsage> | undefined {
  const view = snapshot.nodes.find((node) => node.nodeName === nodeName);
  const known = view?.state === 'absent' ? lastKnownOf(view) : view;
  if (view === undefined || known === undefined) return undefined;
  const { podsWithoutTotal, context, layout } = known.snapshot;
  const record = podsWithoutTotal.find(({ bound }) => bound?.pod.uid === uid);
  return record && { node: { ...view, ageMs: known.ageMs, layout }, pod: derivePod(record, context) };
}

/** Pods that the API server does not know. */
export function unknownPods(
  nodes: readonly MeasuredNodeView[],
  isWanted: (pod: PodRecord) => boolean,
): readonly ExplainedSource[] {
  return nodes.flatMap((node) => {
    const { pods, context } = node.snapshot;
    const unknown = pods.filter((pod) => pod.bound === undefined && isWanted(pod));
    return unknown.map((pod) => sourceOf({ node, pod: deriveMeasured(pod, context) }));
  });
}

function measuredExplanation(
  { node, pod }: ExplainedSource,
  reading: ClusterReading,
  mode: AttributionMode,
): Omit<MeasuredPodExplanation, 'findings'> {
  const { summary, bound } = pod;
  const breakdown = explainPod({ summary, pod: bound?.pod, mode });
  const found = { node, pod: { ...pod, usage: { ...breakdown.usage, usedBytes: pod.usage.usedBytes } } };
  return {
    ...measuredPodReport(found),
    split: breakdown.split,
    containers: breakdown.containers.map(containerExplanation),
    volumes: [...volumeReports(found), ...unlistedVolumeReports(found)],
    limits: limitsOf(found, reading),
  };
}

function containerExplanation(breakdown: PodBreakdown['containers'][number]): ContainerExplanation {
  const { name, usedBytes, ownRootfsBytes, ownLogsBytes, volumeShares, restBytes } = breakdown;
  const own = { rootfsBytes: ownRootfsBytes, logsBytes: ownLogsBytes };
  return { container: name, usedBytes, ...own, volumeShares, otherBytes: restBytes };
}

function limitsOf(found: ExplainedSource<PodUsage>, reading: ClusterReading): readonly LimitExplanation[] {
  const { node, pod } = found;
  const ofContainer = node.layout.hasDedicatedImagefs === true ? 'logs (dedicated imagefs)' : 'rootfs + logs';
  const counted = { emptydir: 'volume', pod: 'total', container: ofContainer };
  return pod.ratios.map((ratio) => ({
    ...limitReport(ratio),
    counted: counted[ratio.rule],
    samples: limitSamples(found, ratio, reading),
  }));
}

type StateSources = Pick<ClusterReading, 'snapshot' | 'failures' | 'readAtMs'>;

interface Lack {
  readonly reason: string;
  /** The summary of its node should have it: its workloads are incomplete without it. */
  readonly isExpected: boolean;
}

export function knownPodState(
  { pod, workloads }: KnownPod,
  reading: StateSources,
):
  | { readonly found: FoundPod<DerivedPod<MeasuredUsage>>; readonly report: MeasuredPodReport }
  | { readonly found?: undefined; readonly report: UnmeasuredPodReport } {
  const node = reading.snapshot.nodes.find(({ nodeName }) => nodeName === pod.nodeName);
  if (pod.nodeName === undefined || node === undefined) {
    const reason = pod.nodeName === undefined ? 'not scheduled to a node yet' : `node ${pod.nodeName} is not in scope`;
    return { report: unmeasuredPodReport({ pod, workloads, reason, isExpected: false }) };
  }
  if (node.state === 'absent') {
    return { report: unmeasuredPodReport({ pod, workloads, ...lackOnAbsentNode(pod, node, reading) }) };
  }
  const record = node.snapshot.pods.find(({ bound }) => bound?.pod.uid === pod.uid);
  if (record === undefined) {
    return { report: unmeasuredPodReport({ pod, workloads, ...lackInSummary(pod, node, reading) }) };
  }
  const found = { node, pod: deriveMeasured(record, node.snapshot.context) };
  return { found, report: measuredPodReport(found) };
}

function isDue(pod: Pod, { readAtMs }: StateSources): boolean {
  return isExpected({ pod, nowMs: readAtMs, graceMs: podGraceMs });
}

function lackOnAbsentNode(pod: Pod, { nodeName, reason }: AbsentNodeView, reading: StateSources): Lack {
  if (reason === 'skipped') return unexpected(`node ${nodeName} is skipped by cluster.skipNodes`);
  if (pod.runningSinceMs === undefined) return notRunning(pod);
  const detail = reading.failures.get(nodeName)?.message ?? nodeHint(reason, undefined);
  return { reason: `no data from node ${nodeName} (${reason}): ${detail}`, isExpected: isDue(pod, reading) };
}

function lackInSummary(pod: Pod, { nodeName, snapshot }: MeasuredNodeView, reading: StateSources): Lack {
  const isListed = snapshot.summary.pods.some((entry) => isSamePod(entry, identityOf(pod)));
  if (isListed) {
    return { reason: 'the kubelet reports no ephemeral storage for it', isExpected: isDue(pod, reading) };
  }
  if (pod.runningSinceMs === undefined) return notRunning(pod);
  if (isDue(pod, reading)) return { reason: `missing in the summary of node ${nodeName}`, isExpected: true };
  const age = formatAge(reading.readAtMs - pod.runningSinceMs);
  return unexpected(
    `not in the summary of node ${nodeName} yet: it has been running for ${age}, and is expected after ${formatAge(podGraceMs)}`,
  );
}

function notRunning({ phase, eviction, namespace, name }: Pod): Lack {
  if (eviction === undefined) return unexpected(`no container is running (phase ${phase})`);
  const cause = eviction.message.trim().replace(/\.$/, '');
  return unexpected(`evicted: ${cause} (explain eviction ${namespace}/${name} shows what it used)`);
}

function unexpected(reason: string): Lack {
  return { reason, isExpected: false };
}
