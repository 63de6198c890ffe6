import type { Pod } from '../../cluster/kube/objects.js';
import { identityOf, isSamePod } from '../../cluster/kube/pod-identity.js';
import type { UsageSample } from '../../cluster/kubelet/lookup.js';
import { explainPod, type PodBreakdown } from '../../facts/node/breakdown.js';
import { isActive } from '../../facts/node/limits.js';
import { isExpected } from '../../facts/node/node-coverage.js';
import type { NodeLayout } from '../../facts/node/node-layout.js';
import type { AbsentNodeView, MeasuredNodeView, NodeSnapshot, NodeView } from '../../facts/node/node-view.js';
import { type DerivedPod, deriveMeasured, derivePod, type PodRecord } from '../../facts/node/pod-record.js';
import type { AttributionMode, MeasuredUsage, PodUsage } from '../../facts/node/usage.js';
import { podGraceMs } from '../../facts/node/young-pods.js';
import { formatAge } from '../../lib/base/units.js';
import { nodeHint } from '../report/absence-hints.js';
import { type FindingReport, findingReport, nodeFindings, specFindings } from '../report/finding-report.js';
import { type LimitReport, limitReport } from '../report/limit-report.js';
import {
  type FoundPod,
  limitFacts,
  type MeasuredPodReport,
  measuredPodReport,
  type PodReport,
  type PodSource,
  type PodSpecReport,
  podSpecReport,
  type UnmeasuredPodReport,
  unmeasuredPodReport,
} from '../report/pod-report.js';
import { unlistedVolumeReports, type VolumeReport, volumeReports } from '../report/volume-report.js';
import type { ClusterReading, KnownPod } from './cluster-reading.js';

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
type ExplainedSource<Usage = MeasuredUsage> = FoundPod<DerivedPod<Usage>, PodSource & { readonly layout: NodeLayout }>;

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
  const { uid, nodeName, phase } = pod;
  const node = podsOfNode(reading, nodeName);
  const isThis = ({ bound }: PodRecord): boolean => bound?.pod.uid === uid;
  const facts = { spec: podSpecReport(pod), findings: findingsOf(pod, node, reading) };
  const isShown = node?.source.state !== 'absent' || isActive({ phase });
  const [found] = isShown ? measuredPods(node, isThis) : [];
  if (found !== undefined)
    return { explanation: { ...measuredExplanation(found, reading, mode), ...facts }, found, pod };
  const { report } = knownPodState(known, reading);
  if (report.state !== 'unmeasured') throw new Error('a pod has values that were not found');
  const listed = node && withoutTotal(node, isThis);
  const limits = listed === undefined ? [] : limitsOf(listed, reading);
  return { explanation: { ...report, ...(listed && limitFacts(listed)), ...facts, limits }, found: listed, pod };
}

/** Explains the pods of a node that the API server does not know. */
export function explainUnknown(
  view: NodeView,
  reading: ClusterReading,
  { mode, isMeant }: { readonly mode: AttributionMode; readonly isMeant: (pod: PodRecord) => boolean },
): readonly ExplainedPod[] {
  const found = measuredPods(podsOf(view, reading), (pod) => pod.bound === undefined && isMeant(pod));
  return found.map((each) => {
    const explanation = { ...measuredExplanation(each, reading, mode), findings: [] };
    return { explanation, found: each, pod: undefined };
  });
}

/** What is known of the pods of a node; of a silent one, the last values. */
interface PodsOfNode {
  readonly snapshot: NodeSnapshot;
  readonly source: ExplainedSource['node'];
}

function podsOfNode(reading: ClusterReading, nodeName: string | undefined): PodsOfNode | undefined {
  const view = reading.snapshot.nodes.find((node) => node.nodeName === nodeName);
  return view && podsOf(view, reading);
}

function podsOf(view: NodeView, { lastKnownOf }: ClusterReading): PodsOfNode | undefined {
  const last = view.state === 'absent' ? lastKnownOf(view) : view;
  if (last === undefined) return undefined;
  const { snapshot, ageMs } = last;
  return { snapshot, source: { ...view, ageMs, layout: snapshot.layout } };
}

function measuredPods(of: PodsOfNode | undefined, isWanted: (pod: PodRecord) => boolean): readonly ExplainedSource[] {
  if (of === undefined) return [];
  const {
    source: node,
    snapshot: { pods, context },
  } = of;
  return pods.filter(isWanted).map((pod) => ({ node, pod: deriveMeasured(pod, context) }));
}

function withoutTotal(
  { snapshot, source: node }: PodsOfNode,
  isWanted: (pod: PodRecord) => boolean,
): ExplainedSource<PodUsage> | undefined {
  const record = snapshot.podsWithoutTotal.find(isWanted);
  return record && { node, pod: derivePod(record, snapshot.context) };
}

/** Without data of its node, by what was last known or, without that, what its spec shows. */
function findingsOf(pod: Pod, node: PodsOfNode | undefined, { knownNodes }: ClusterReading): readonly FindingReport[] {
  const found =
    node === undefined
      ? specFindings(
          pod,
          knownNodes.find(({ name }) => name === pod.nodeName),
        )
      : nodeFindings(node.snapshot).filter((one) => one.pod.uid === pod.uid);
  return found.map(findingReport);
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

function limitsOf(
  { node, pod }: ExplainedSource<PodUsage>,
  { readAtMs, samplesOf, limitSamplesOf }: ClusterReading,
): readonly LimitExplanation[] {
  const { nodeName, ageMs } = node;
  const ofContainer = node.layout.hasDedicatedImagefs === true ? 'logs (dedicated imagefs)' : 'rootfs + logs';
  const counted = { emptydir: 'volume', pod: 'total', container: ofContainer };
  return pod.ratios.map((ratio) => ({
    ...limitReport(ratio),
    counted: counted[ratio.rule],
    samples:
      ratio.rule === 'pod' ? samplesOf(nodeName, pod.summary) : limitSamplesOf(nodeName, pod, ratio, readAtMs - ageMs),
  }));
}

type StateSources = Pick<ClusterReading, 'snapshot' | 'failures' | 'readAtMs'>;

interface Lack {
  readonly reason: string;
  /** The summary of its node should have it: its workloads are incomplete without it. */
  readonly isExpected: boolean;
}

/** Returns the report of a pod by what there is of its node now. */
export function knownPodState({ pod, workloads }: KnownPod, reading: StateSources): { readonly report: PodReport } {
  const node = reading.snapshot.nodes.find(({ nodeName }) => nodeName === pod.nodeName);
  const record =
    node === undefined || node.state === 'absent'
      ? undefined
      : node.snapshot.pods.find(({ bound }) => bound?.pod.uid === pod.uid);
  return node !== undefined && node.state !== 'absent' && record !== undefined
    ? { report: measuredPodReport({ node, pod: deriveMeasured(record, node.snapshot.context) }) }
    : { report: unmeasuredPodReport({ pod, workloads, ...lackOf(pod, node, reading) }) };
}

function lackOf(pod: Pod, node: NodeView | undefined, reading: StateSources): Lack {
  if (pod.nodeName === undefined) return unexpected('not scheduled to a node yet');
  if (node === undefined) return unexpected(`node ${pod.nodeName} is not in scope`);
  return node.state === 'absent' ? lackOnAbsentNode(pod, node, reading) : lackInSummary(pod, node, reading);
}

function isDue(pod: Pod, { readAtMs }: StateSources): boolean {
  return isExpected(pod, readAtMs);
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
