import { attributePod } from '../attribution/attribute.js';
import { type JoinedPod, joinPods, type PodScope } from '../attribution/join.js';
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
import type { NodeSummary } from '../kubelet/summary.js';
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

export function createNodeSnapshot(input: NodeSnapshotInput, options: NodeSnapshotOptions): NodeSnapshot {
  const { node, summary, layout, configuration } = input;
  const { pods, scope, showsAllPods } = options;
  const joined = joinPods({
    nodeName: node.name,
    summary,
    findPod: (namespace, name) => pods.findPod(namespace, name),
    isDeleted: (kubeletUid) => pods.isDeleted(kubeletUid),
    scope,
  });
  const unknown = joined.pods.filter(({ pod }) => pod === undefined);
  const named = new Set(namedOf(unknown, options.maxUnknownPods));
  const measured: PodSnapshot[] = [];
  const withoutTotal: ListedPod[] = [];
  for (const pod of joined.pods) {
    const attributed = attributePod({ summary: pod.summary, pod: pod.pod, mode: options.attribution });
    const isNameless = pod.pod === undefined && !named.has(pod);
    const usage = attributed && foldUnknown(attributed, pod.pod, isNameless ? 0 : undefined);
    const listed = listedPod({ ...pod, usage, isNameless }, input, options);
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
    unknownPods: unknown.map(({ summary: listed }) => listed),
  };
}

function namedOf(unknown: readonly JoinedPod[], maxUnknownPods: number): readonly JoinedPod[] {
  if (unknown.length <= maxUnknownPods) return unknown;
  const first = new Ranking(
    maxUnknownPods,
    byNames<JoinedPod>(({ summary: { namespace, name } }) => [namespace, name]),
  );
  for (const pod of unknown) first.add(pod);
  return first.top();
}

function isMeasured(pod: ListedPod): pod is PodSnapshot {
  return pod.usage !== undefined;
}

function listedPod(
  { summary, pod, usage, isNameless }: JoinedPod & Pick<ListedPod, 'usage' | 'isNameless'>,
  input: NodeSnapshotInput,
  { resolver, sidecars }: NodeSnapshotOptions,
): ListedPod {
  return {
    namespace: summary.namespace,
    name: summary.name,
    pod,
    summary,
    usage,
    startTimeMs: summary.startTimeMs,
    limitBytes: pod && podLimitBytes(pod),
    requestBytes: pod && podRequestBytes(pod),
    ratios: pod === undefined || !isActive(pod) ? [] : enforcedRatios(summary, pod, { ...input, sidecars }),
    workloads: resolver.workloadsOf(pod, summary.namespace),
    isNameless,
  };
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
