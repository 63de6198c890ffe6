import { attributePod } from '../attribution/attribute.js';
import { type JoinedPod, joinPods, type PodScope } from '../attribution/join.js';
import type { AttributionMode } from '../attribution/usage.js';
import { evictionHeadrooms } from '../eviction/eviction-headrooms.js';
import { limitRatios } from '../eviction/limit-ratios.js';
import { podLimitBytes, podRequestBytes } from '../eviction/limits.js';
import { type NodeLayout, nodeLayout } from '../eviction/node-layout.js';
import type { Node, Pod } from '../kube/objects.js';
import type { EvictionThresholds } from '../kubelet/eviction-thresholds.js';
import type { NodeSummary } from '../kubelet/summary.js';
import type { WorkloadResolver } from '../workload/workload-resolver.js';
import type { NodeSnapshot, PodSnapshot, SkipReason } from './snapshot.js';

/** What the API server knows of pods. */
export interface PodLister {
  /** The pods of a node: the same array as long as none of them changes. */
  podsOn(nodeName: string): readonly Pod[];
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
  /** Whether the kubelets enforce the limits of sidecars. */
  readonly enforcesSidecars: boolean;
}

export interface NodeSnapshotInput {
  readonly node: Node;
  readonly summary: NodeSummary;
  /** Undefined while the kubelet's configuration is not known. */
  readonly thresholds: EvictionThresholds | undefined;
}

export function createNodeSnapshot(
  { node, summary, thresholds }: NodeSnapshotInput,
  options: NodeSnapshotOptions,
): NodeSnapshot {
  const { pods, scope, showsAllPods } = options;
  const joined = joinPods({
    nodeName: node.name,
    summary,
    findPod: (namespace, name) => pods.findPod(namespace, name),
    isDeleted: (kubeletUid) => pods.isDeleted(kubeletUid),
    scope,
  });
  const layout = nodeLayout(summary);
  const measured = joined.pods.map((pod) => podSnapshot(pod, layout, options)).filter((pod) => pod !== undefined);
  const skippedPods = new Map<SkipReason, number>(joined.counts);
  skippedPods.set('no_usage', joined.pods.length - measured.length);
  skippedPods.set('no_containers', measured.filter(({ usage }) => usage.containers.length === 0).length);
  return {
    node,
    nodeName: node.name,
    summary,
    layout,
    headrooms: evictionHeadrooms(summary, thresholds),
    pods: showsAllPods ? measured : measured.filter(({ workloads }) => workloads.length > 0),
    skippedPods,
    listedPodUids: uidsOf(joined.pods),
    measuredPodUids: uidsOf(measured),
    unknownPods: joined.pods.filter(({ pod }) => pod === undefined).map((pod) => pod.summary),
  };
}

/** Undefined for a pod without usage. */
function podSnapshot(
  { summary, pod }: JoinedPod,
  layout: NodeLayout,
  { attribution, resolver, enforcesSidecars }: NodeSnapshotOptions,
): PodSnapshot | undefined {
  const usage = attributePod({ summary, pod, mode: attribution });
  if (usage === undefined) return undefined;
  const hasDedicatedImagefs = layout.hasDedicatedImagefs === true;
  return {
    namespace: summary.namespace,
    name: summary.name,
    pod,
    summary,
    usage,
    startTimeMs: summary.startTimeMs,
    limitBytes: pod && podLimitBytes(pod),
    requestBytes: pod && podRequestBytes(pod),
    ratios: pod === undefined ? [] : limitRatios({ usage, pod, hasDedicatedImagefs, enforcesSidecars }),
    workloads: resolver.workloadsOf(pod, summary.namespace),
  };
}

function uidsOf(pods: readonly { readonly pod: Pod | undefined }[]): ReadonlySet<string> {
  return new Set(pods.flatMap(({ pod }) => (pod === undefined ? [] : [pod.uid])));
}
