import type { Node } from '../../cluster/kube/objects.js';
import type { PodSummary } from '../../cluster/kubelet/summary.js';
import { type NodeImages, nodeImages, unusedImages } from '../../facts/node/node-images.js';
import { type StorageLayout, storageLayout } from '../../facts/node/node-layout.js';
import type { NodeSnapshot, NodeView } from '../../facts/node/node-view.js';
import { findingKinds } from '../../facts/node/pod-findings.js';
import { podGraceMs } from '../../facts/node/young-pods.js';
import { type DiskReport, diskReports } from '../report/disk-report.js';
import type { ShownEviction } from '../report/eviction-report.js';
import { type FindingReport, findingReport, nodeFindings, specFindings } from '../report/finding-report.js';
import { dataOf, listedNode, type ListedNodeReport, listedNodeReport } from '../report/node-report.js';
import type { PodReport } from '../report/pod-report.js';
import { type SignalReport, signalReports } from '../report/signal-report.js';
import type { ClusterReading } from './cluster-reading.js';
import type { ListPage } from './list-page.js';

/** What is known of one node besides what lists have of it: plain data with exact numbers. Without a Node object, nothing of that. */
interface NodeExplanation extends Partial<
  Pick<Node, 'kubeletVersion' | 'operatingSystem' | 'ready' | 'readyChangedAtMs' | 'diskPressure'>
> {
  /** Of a node without data, without what its pods and its kubelet show. */
  readonly images?: NodeImages | undefined;
  /** Those in the status of the node, the largest first. */
  readonly listedImages: readonly ListedImage[];
  /** The layout that the kubelet goes by; absent without data. */
  readonly layout?: StorageLayout | undefined;
  /** All that the kubelet has; empty without data. */
  readonly signals: readonly SignalReport[];
  /** Pods of the summary that are not read, for which the order is unknown; absent when all pods of the node are read. */
  readonly unreadPodCount?: number | undefined;
  /** Otherwise, pods that are too young for the API server to know: their places in the order are unknown. */
  readonly unrankedPodCount?: number | undefined;
  /** What is wrong with the settings of its pods, by kind. */
  readonly findings: readonly FindingReport[];
}

interface ListedImage {
  /** Absent for an image without one. */
  readonly name?: string | undefined;
  /** See `NodeImages.sizes`. */
  readonly sizeBytes: number;
  /** No container of the node's pods uses it; absent where their pods are not all read, or not at all. */
  readonly isUnused?: boolean | undefined;
}

export interface NodeObject {
  readonly node: ListedNodeReport & NodeExplanation;
  /** Of a node without data, as they were last known. */
  readonly disks: readonly DiskReport[];
  readonly pods: ListPage<PodReport>;
  readonly evictions: readonly ShownEviction[];
}

export type ShownNode = NodeObject['node'];
export type MeasuredShownNode = Exclude<ShownNode, { readonly state: 'absent' }>;

export function nodeExplanation(view: NodeView, reading: ClusterReading): ShownNode {
  const snapshot = view.state === 'absent' ? undefined : view.snapshot;
  const node = snapshot?.node ?? reading.knownNodes.find(({ name }) => name === view.nodeName);
  return {
    ...(node === undefined ? { listedImages: [] } : objectFacts(node, snapshot)),
    ...(snapshot === undefined ? { signals: [] } : evictionFacts(snapshot)),
    findings: findingsOf(view, node, reading),
    ...listedNodeReport(listedNode(view, reading), reading),
  };
}

/** What its filesystems hold; of a node without data, as they were last known. */
export function nodeDisks(reading: ClusterReading, view: NodeView): readonly DiskReport[] {
  const data = dataOf(view, reading);
  return data === undefined ? [] : diskReports(data.snapshot);
}

function objectFacts(node: Node, snapshot: NodeSnapshot | undefined) {
  const { kubeletVersion, operatingSystem, ready, readyChangedAtMs, diskPressure } = node;
  const bare = { node, pods: undefined, imagefs: undefined, settings: undefined };
  return {
    ...{ kubeletVersion, operatingSystem, ready, readyChangedAtMs, diskPressure },
    images: snapshot === undefined ? nodeImages(bare) : snapshot.images,
    listedImages: listedImages(node, snapshot),
  };
}

function listedImages({ images }: Node, snapshot: NodeSnapshot | undefined): readonly ListedImage[] {
  const isKnown = snapshot?.images?.unusedBytes !== undefined;
  const unused = isKnown ? new Set(unusedImages(images, snapshot.podsOnNode)) : undefined;
  return images
    .toSorted((a, b) => b.sizeBytes - a.sizeBytes)
    .map((image) => ({ name: image.name, sizeBytes: image.sizeBytes, isUnused: unused?.has(image) }));
}

/** Without data, by what was last known or, of a node that never had any, what the specs of its pods show. */
function findingsOf(view: NodeView, node: Node | undefined, reading: ClusterReading): readonly FindingReport[] {
  const data = dataOf(view, reading);
  const found =
    data === undefined
      ? [...reading.knownPods].flatMap(({ pod }) => (pod.nodeName === view.nodeName ? specFindings(pod, node) : []))
      : nodeFindings(data.snapshot);
  const reports = found.map(findingReport);
  return findingKinds.flatMap((kind) => reports.filter((report) => report.kind === kind));
}

function evictionFacts(snapshot: NodeSnapshot) {
  const unreadPodCount = unreadPods(snapshot);
  return {
    layout: storageLayout(snapshot.layout),
    signals: signalReports({ ...snapshot, unreadPodCount }),
    unreadPodCount,
    unrankedPodCount: unreadPodCount === undefined ? snapshot.unknownPods.length : undefined,
  };
}

/** A reading is made at once: how long a pod has been unknown follows from its age, by the clock of its node. */
function unreadPods({ summary, unknownPods, unreadPodCount }: NodeSnapshot): number | undefined {
  if (unreadPodCount !== undefined) return unreadPodCount;
  const nowMs = summary.nodefs?.timeMs ?? Infinity;
  const isOld = ({ startTimeMs = -Infinity }: PodSummary): boolean => nowMs - startTimeMs > podGraceMs;
  return unknownPods.some(isOld) ? unknownPods.length : undefined;
}
