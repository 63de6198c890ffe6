import { attributePod } from '../attribution/attribute.js';
import { type JoinedPod, joinPods, type JoinResult, type PodScope } from '../attribution/join.js';
import { foldUnknown } from '../attribution/unknown-items.js';
import type { AttributionMode, PodUsage } from '../attribution/usage.js';
import { byNames, Ranking } from '../base/ranking.js';
import { enforcedRatios, type SidecarEnforcement } from '../eviction/enforced-ratios.js';
import { evictionHeadrooms } from '../eviction/eviction-headrooms.js';
import { isActive, podLimitBytes, podRequestBytes } from '../eviction/limits.js';
import { type NodeLayout, storageLayout } from '../eviction/node-layout.js';
import { nodeThresholds } from '../eviction/node-thresholds.js';
import type { Node, Pod } from '../kube/objects.js';
import type { KubeletConfiguration } from '../kubelet/kubelet-configuration.js';
import type { NodeSummary, PodSummary } from '../kubelet/summary.js';
import type { WorkloadResolver } from '../workload/workload-resolver.js';
import type { ListedPod, NodeSnapshot, PodSnapshot, SkipReason } from './snapshot.js';

/** What the API server knows of pods. */
export interface PodLister {
  /** The pods of a node: the same array as long as none of them changes. */
  podsOn(nodeName: string): readonly Pod[];
  /** The names of the nodes that pods are bound to, whether or not the nodes exist. */
  boundNodeNames(): Iterable<string>;
  /** Namespaces in scope whose pods are not known yet: the same array as long as they are the same. */
  unlistedNamespaces(): readonly string[];
  findPod(namespace: string, name: string): Pod | undefined;
  /** Whether the API object of the pod with this kubelet UID was deleted recently. */
  isDeleted(kubeletUid: string): boolean;
}

export interface NodeSnapshotOptions {
  readonly pods: PodLister;
  readonly resolver: WorkloadResolver;
  readonly attribution: AttributionMode;
  readonly scope: PodScope;
  /** Whether pods that belong to no workload have detail series. */
  readonly showsAllPods: boolean;
  readonly sidecars: SidecarEnforcement;
  /** Of a node: pods that the API server does not know with names in series, the first by namespace and name. */
  readonly maxUnknownPods: number;
}

export interface NodeSnapshotInput {
  readonly node: Node;
  readonly summary: NodeSummary;
  /** The one that the kubelet goes by. */
  readonly layout: NodeLayout;
  /** Undefined while it is not known. */
  readonly configuration: KubeletConfiguration | undefined;
}

/** A pod of the summary as the API server knows it, or not, at one time. */
export type NodePod = JoinedPod & Pick<ListedPod, 'isNameless'>;

/** What was derived from the pods of a summary, by their entries in it. */
export type ListedPods = ReadonlyMap<PodSummary, ListedPod>;

/** In the order of the summary. */
export function joinNodePods(
  { node, summary }: Pick<NodeSnapshotInput, 'node' | 'summary'>,
  { pods, scope, maxUnknownPods }: Pick<NodeSnapshotOptions, 'pods' | 'scope' | 'maxUnknownPods'>,
): Omit<JoinResult, 'pods'> & { readonly pods: readonly NodePod[] } {
  const joined = joinPods({
    nodeName: node.name,
    summary,
    findPod: (namespace, name) => pods.findPod(namespace, name),
    isDeleted: (kubeletUid) => pods.isDeleted(kubeletUid),
    scope,
  });
  const unknown = joined.pods.filter(({ pod }) => pod === undefined);
  const named = new Set(firstNames(unknown, maxUnknownPods));
  return {
    ...joined,
    pods: joined.pods.map((pod) => ({ ...pod, isNameless: pod.pod === undefined && !named.has(pod) })),
  };
}

/** By namespace and name. */
function firstNames(pods: readonly JoinedPod[], count: number): readonly JoinedPod[] {
  if (pods.length <= count) return pods;
  const first = new Ranking(
    count,
    byNames<JoinedPod>(({ summary: { namespace, name } }) => [namespace, name]),
  );
  for (const pod of pods) first.add(pod);
  return first.top();
}

export function listPod(
  { summary, pod, isNameless }: NodePod,
  input: NodeSnapshotInput,
  { resolver, sidecars, attribution }: NodeSnapshotOptions,
): ListedPod {
  const usage = attributePod({ summary, pod, mode: attribution });
  return {
    namespace: summary.namespace,
    name: summary.name,
    pod,
    summary,
    usage: usage && foldUnknown(usage, pod, isNameless ? 0 : undefined),
    startTimeMs: summary.startTimeMs,
    limitBytes: pod && podLimitBytes(pod),
    requestBytes: pod && podRequestBytes(pod),
    ratios: pod === undefined || !isActive(pod) ? [] : enforcedRatios(summary, pod, { ...input, sidecars }),
    workloads: resolver.workloadsOf(pod, summary.namespace),
    isNameless,
  };
}

/** `prepared`: of the same node, summary and options. What it has of a pod is used unless the API object has changed since. */
export function createNodeSnapshot(
  input: NodeSnapshotInput,
  options: NodeSnapshotOptions,
  prepared?: ListedPods,
): NodeSnapshot {
  const { node, summary, layout, configuration } = input;
  const { pods, showsAllPods } = options;
  const joined = joinNodePods(input, options);
  const measured: PodSnapshot[] = [];
  const withoutTotal: ListedPod[] = [];
  for (const pod of joined.pods) {
    const known = prepared?.get(pod.summary);
    const isSame = known !== undefined && known.pod === pod.pod && known.isNameless === pod.isNameless;
    const listed = isSame ? known : listPod(pod, input, options);
    if (isMeasured(listed)) measured.push(listed);
    else withoutTotal.push(listed);
  }
  const isShown = ({ workloads }: ListedPod): boolean => showsAllPods || workloads.length > 0;
  const thresholds = nodeThresholds({
    ...node,
    summary,
    layout: storageLayout(layout),
    thresholds: configuration?.thresholds,
  });
  const skippedPods = new Map<SkipReason, number>(joined.counts);
  skippedPods.set('no_usage', withoutTotal.length);
  skippedPods.set('no_containers', measured.filter(({ usage }) => usage.containers.length === 0).length);
  return {
    node,
    nodeName: node.name,
    summary,
    layout,
    podsOnNode: pods.podsOn(node.name),
    thresholds,
    headrooms: evictionHeadrooms(thresholds),
    logRotation: configuration?.logRotation,
    pods: measured.filter(isShown),
    podsWithoutTotal: withoutTotal.filter(isShown),
    skippedPods,
    unknownItems: {
      container: sumOf(measured, ({ containerCount }) => containerCount),
      volume: sumOf(measured, ({ volumeCount }) => volumeCount),
    },
    listedPodUids: uidsOf(joined.pods),
    measuredPodUids: uidsOf(measured),
    unknownPods: joined.pods.filter(({ pod }) => pod === undefined).map(({ summary: listed }) => listed),
  };
}

function isMeasured(pod: ListedPod): pod is PodSnapshot {
  return pod.usage !== undefined;
}

function sumOf(pods: readonly PodSnapshot[], count: (items: UnknownItems) => number): number {
  return pods.reduce(
    (sum, { usage: { unknownItems } }) => (unknownItems === undefined ? sum : sum + count(unknownItems)),
    0,
  );
}

type UnknownItems = NonNullable<PodUsage['unknownItems']>;

function uidsOf(pods: readonly { readonly pod: Pod | undefined }[]): ReadonlySet<string> {
  return new Set(pods.flatMap(({ pod }) => (pod === undefined ? [] : [pod.uid])));
}
