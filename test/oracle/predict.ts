/**
 * Predicts every series of an exposition from recorded summaries and API objects, by the documented semantics alone: it
 * shares no code with what it checks.
 */
import { aggregated, type Attribution, PodFigures } from './pods.js';
import { predictImages } from './predict-images.js';
import { isDedicated, predictAbsentNodes, predictNode } from './predict-nodes.js';
import { predictLimits, predictPod, predictPodWithoutTotal } from './predict-pods.js';
import { predictPressure } from './predict-pressure.js';
import { predictNodeObject, predictSpecs } from './predict-specs.js';
import type { RawFs, RawNode, RawPod, RawPodStats, RawSummary } from './raw.js';
import { Prediction, type SeriesTable } from './series.js';
import { timeMs } from './times.js';
import { kubeletMinor, predictNodeLimits, sightOf } from './unenforced.js';
import { hasEnded, isExpected, isMirror, type Member, predictWorkloads, workloadOf } from './workloads.js';

export interface Recording {
  readonly summary: RawSummary;
  readonly pods: readonly RawPod[];
  readonly nodes: readonly RawNode[];
}

/** A summary of each node that has responded; the others never have. */
export interface ClusterRecording extends Omit<Recording, 'summary'> {
  readonly summaries: readonly RawSummary[];
}

export interface Semantics {
  readonly attribution: Attribution;
  /** Workloads of controllers, or none at all: then all pods have series. */
  readonly controllers: boolean;
}

/** The summary was read when it was measured. */
export function predict({ summary, ...objects }: Recording, semantics: Semantics): SeriesTable {
  const prediction = new Prediction();
  const { nodeName } = summary.node;
  const timeMs = newestMs(summary);
  if (timeMs > 0) prediction.add('node_data_timestamp_seconds', { node: nodeName }, timeMs / 1000);
  predictAll(prediction, { summaries: [summary], ...objects }, semantics);
  return prediction.series;
}

/** Without the times at which the summaries were read. */
export function predictCluster(recording: ClusterRecording, semantics: Semantics): SeriesTable {
  const prediction = new Prediction();
  predictAll(prediction, recording, semantics);
  return prediction.series;
}

function predictAll(prediction: Prediction, recording: ClusterRecording, semantics: Semantics): void {
  const { pods, nodes } = recording;
  const summaries = recording.summaries.map(withoutImpossible);
  const joined = summaries.flatMap((summary) => predictMeasured(prediction, { summary, pods, nodes }, semantics));
  const measured = summaries.map(({ node }) => node.nodeName);
  predictAbsentNodes(
    prediction,
    nodes.filter(({ metadata }) => !measured.includes(metadata.name)),
  );
  for (const known of namedNodes(measured, nodes)) predictNodeObject(prediction, known, pods);
  for (const pod of servedPods(pods, joined)) predictSpecs(prediction, pod, semantics);
  if (!semantics.controllers) return;
  const nowMs = Math.max(...summaries.map(newestMs));
  const figuresOf = (pod: RawPod): PodFigures | undefined =>
    joined.find(({ figures }) => figures?.pod === pod)?.figures;
  predictWorkloads(
    prediction,
    pods.map((pod) => ({
      ...memberOf(pod, figuresOf(pod), { nowMs, attribution: semantics.attribution }),
      isNodeAbsent: nodes.some(({ metadata: { name } }) => name === pod.spec.nodeName && !measured.includes(name)),
    })),
  );
}

/** Figures that are negative to the kubelet are -1 in parts of pods; left out are the others, more free than there is, and what has no size. */
function withoutImpossible(summary: RawSummary): RawSummary {
  const clean = (key: string, value: unknown): unknown => {
    if (typeof value === 'number')
      return value < 2 ** 63 ? value : /^(?:usedBytes|inodesUsed)$/.test(key) ? -1 : undefined;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const { availableBytes, capacityBytes, inodesFree, inodes, time }: RawFs = value;
    if (capacityBytes === 0 && ['fs', 'imageFs', 'containerFs'].includes(key)) return { time };
    const entries = Object.entries(value).filter(
      ([name, figure]) =>
        !(figure === -1 && !/^(?:rootfs|logs|\d+)$/.test(key)) &&
        !(name === 'capacityBytes' && capacityBytes === 0) &&
        !(name === 'availableBytes' && (isMore(availableBytes, capacityBytes) || capacityBytes === 0)) &&
        !(name === 'inodesFree' && isMore(inodesFree, inodes)),
    );
    return Object.fromEntries(entries);
  };
  return JSON.parse(JSON.stringify(summary), clean) as RawSummary;
}

const isMore = (part = 0, total = Infinity): boolean => part > total;

/** The series of one summary; returns its pods. */
function predictMeasured(prediction: Prediction, recording: Recording, semantics: Semantics): readonly JoinedPod[] {
  const { summary } = recording;
  const joined = summary.pods.flatMap((stats) => joinedPod(stats, recording));
  const hasDedicatedImagefs = isDedicated(summary) === true;
  const node = summary.node.nodeName;
  predictNode(prediction, summary, (stats) => joined.find((one) => one.stats === stats)?.pod);
  predictImages(prediction, recording);
  prediction.add('node_pods_missing', { node }, missingPods(recording).length);
  prediction.add('node_pods_dangling', { node }, 0); // none is unknown for longer than the moment of the recording
  const sight = sightOf(summary);
  const known = joined.flatMap(({ stats, pod }) => (pod === undefined ? [] : [{ stats, pod }]));
  predictNodeLimits(prediction, { node }, { pods: known, sight, hasDedicatedImagefs });
  const podSemantics = {
    ...semantics,
    node,
    nodeCapacity: summary.node.fs?.capacityBytes,
    hasDedicatedImagefs,
    kubeletMinor: kubeletMinor(node, recording.nodes),
    sight,
  };
  for (const { stats, pod } of joined) if (pod !== undefined) predictLimits(prediction, stats, pod, podSemantics);
  const shown = joined.flatMap(({ figures, pod }) =>
    pod !== undefined || !semantics.controllers ? (figures ?? []) : [],
  );
  for (const figures of shown) predictPod(prediction, figures, podSemantics);
  for (const { stats, pod, figures } of joined) {
    if (figures !== undefined || pod === undefined) continue;
    predictPodWithoutTotal(prediction, new PodFigures(stats, pod, 0), podSemantics);
  }
  predictPressure(
    prediction,
    summary,
    joined.filter(({ figures, pod }) => pod !== undefined || (figures !== undefined && !semantics.controllers)),
  );
  return joined;
}

/** The measured ones also without their objects. */
function namedNodes(measured: readonly string[], nodes: readonly RawNode[]): readonly RawNode[] {
  const unnamed = measured.filter((name) => !nodes.some(({ metadata }) => metadata.name === name));
  return [...nodes, ...unnamed.map((name) => ({ metadata: { name, uid: '' } }))];
}

/** Those on nodes that have not ended, or that are still measured. */
function servedPods(pods: readonly RawPod[], joined: readonly JoinedPod[]): readonly RawPod[] {
  const isMeasured = (pod: RawPod): boolean => joined.some(({ figures }) => figures?.pod === pod);
  return pods.filter((pod) => pod.spec.nodeName !== undefined && (!hasEnded(pod) || isMeasured(pod)));
}

/** Nothing for a pod that the API server knows elsewhere; no figures for one without a total. */
function joinedPod(stats: RawPodStats, { summary, pods }: Recording): readonly JoinedPod[] {
  const { namespace, name, uid } = stats.podRef;
  const pod = pods.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name);
  const usedBytes = stats['ephemeral-storage']?.usedBytes;
  const isHere = pod === undefined || (kubeletUid(pod) === uid && pod.spec.nodeName === summary.node.nodeName);
  if (!isHere) return [];
  return [{ stats, pod, figures: usedBytes === undefined ? undefined : new PodFigures(stats, pod, usedBytes) }];
}

interface JoinedPod {
  readonly stats: RawPodStats;
  readonly pod: RawPod | undefined;
  readonly figures: PodFigures | undefined;
}

/** Those that its node's summary must list and does not. */
function missingPods({ summary, pods }: Recording): readonly RawPod[] {
  const isListed = (pod: RawPod): boolean =>
    summary.pods.some(
      ({ podRef }) =>
        podRef.namespace === pod.metadata.namespace &&
        podRef.name === pod.metadata.name &&
        podRef.uid === kubeletUid(pod),
    );
  return pods.filter(
    (pod) => pod.spec.nodeName === summary.node.nodeName && isExpected(pod, newestMs(summary)) && !isListed(pod),
  );
}

function kubeletUid(pod: RawPod): string {
  const { uid, annotations } = pod.metadata;
  return isMirror(pod) ? (annotations?.['kubernetes.io/config.hash'] ?? uid) : uid;
}

/** The time of the recording. */
function newestMs({ node }: RawSummary): number {
  return Math.max(timeMs(node.fs?.time) ?? 0, timeMs(node.runtime?.imageFs?.time) ?? 0);
}

function memberOf(
  pod: RawPod,
  figures: PodFigures | undefined,
  { nowMs, attribution }: { readonly nowMs: number; readonly attribution: Attribution },
): Omit<Member, 'isNodeAbsent'> {
  return {
    workload: workloadOf(pod),
    isExpected: isExpected(pod, nowMs),
    limit: aggregated(pod, 'limits'),
    request: aggregated(pod, 'requests'),
    measured: figures && {
      used: figures.used,
      arePending: figures.arePending,
      containers: figures.servedContainers(attribution),
    },
  };
}
