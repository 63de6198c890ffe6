import { byNames, Ranking } from '../base/ranking.js';
import type { Node, Pod } from '../kube/objects.js';
import type { KubeletConfiguration } from '../kubelet/kubelet-configuration.js';
import type { NodeSummary, PodSummary } from '../kubelet/summary.js';
import type { WorkloadResolver } from '../workload/workload-resolver.js';
import { boundPod } from './bound-pods.js';
import type { SidecarEnforcement } from './enforced-ratios.js';
import { evictionHeadrooms } from './eviction-headrooms.js';
import { coversAllPods, type JoinedPod, joinPods, type JoinResult, type PodScope } from './join.js';
import { isActive } from './limits.js';
import { type NodeLayout, storageLayout } from './node-layout.js';
import type { BoundPod, ListedPod, NodeSnapshot, PodSnapshot, SkipReason } from './node-state.js';
import { nodeThresholds } from './node-thresholds.js';
import { type PodCircumstances, SummaryPod } from './summary-pod.js';
import type { AttributionMode, PodUsage } from './usage.js';

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
  /** Pods that were derived already, for the same options, layout and properties of the node; undefined for none. */
  readonly listed?: ListedPods | undefined;
}

/** What was derived from the pods of a summary, by their entries in it. */
export type ListedPods = ReadonlyMap<PodSummary, ListedPod>;

/** Pods, containers and volumes of a summary from which a snapshot is made in one step: a few milliseconds at most. */
const maxItemsInOneStep = 2_000;

export function isLarge({ pods }: NodeSummary): boolean {
  let itemCount = pods.length;
  for (const { containers, volumes } of pods) itemCount += containers.length + (volumes?.length ?? 0);
  return itemCount > maxItemsInOneStep;
}

/** In the order of the summary; `bound`: the pods of the node. */
export function joinNodePods(
  { node, summary, layout }: Pick<NodeSnapshotInput, 'node' | 'summary' | 'layout'>,
  bound: readonly BoundPod[],
  { pods, scope, maxUnknownPods, attribution, sidecars }: NodeSnapshotOptions,
): JoinedNodePods {
  const byUid = new Map<string, BoundPod>();
  for (const pod of bound) byUid.set(pod.pod.kubeletUid, pod);
  const joined = joinPods({
    nodeName: node.name,
    summary,
    findPod: (namespace, name) => pods.findPod(namespace, name),
    ownPod: (kubeletUid) => byUid.get(kubeletUid)?.pod,
    isDeleted: (kubeletUid) => pods.isDeleted(kubeletUid),
    scope,
  });
  const unknown = joined.pods.filter(({ pod }) => pod === undefined);
  const nameless = new Set(unknown);
  for (const pod of firstNames(unknown, maxUnknownPods)) nameless.delete(pod);
  const circumstances = { attribution, enforcement: { node, layout, sidecars } };
  return { ...joined, byUid, unknown, nameless, circumstances };
}

export interface JoinedNodePods extends JoinResult {
  readonly byUid: ReadonlyMap<string, BoundPod>;
  /** Those that the API server does not know, and those of them without a name in series. */
  readonly unknown: readonly JoinedPod[];
  readonly nameless: ReadonlySet<JoinedPod>;
  readonly circumstances: PodCircumstances;
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

/** A pod of the summary; the one of before while its API object is the same. */
export function listPod(
  joined: JoinedPod,
  ofNode: JoinedNodePods,
  { listed }: Pick<NodeSnapshotInput, 'listed'>,
  resolver: WorkloadResolver,
): ListedPod {
  const { summary, pod } = joined;
  const known = listed?.get(summary);
  if (known !== undefined && isUpToDate(known, joined, ofNode)) return known;
  const bound = pod && boundTo(pod, ofNode.byUid, resolver);
  const workloads = bound?.workloads ?? resolver.workloadsOf(undefined, summary.namespace);
  return new SummaryPod({ summary, bound, workloads, isNameless: ofNode.nameless.has(joined) }, ofNode.circumstances);
}

function boundTo(pod: Pod, byUid: JoinedNodePods['byUid'], resolver: WorkloadResolver): BoundPod {
  const known = byUid.get(pod.kubeletUid);
  return known?.pod === pod ? known : boundPod(pod, resolver);
}

export function createNodeSnapshot(
  input: NodeSnapshotInput,
  bound: readonly BoundPod[],
  options: NodeSnapshotOptions,
): NodeSnapshot {
  const { node, summary, layout, configuration } = input;
  const joined = joinNodePods(input, bound, options);
  const all = joined.pods.map((pod) => listPod(pod, joined, input, options.resolver));
  const measured = all.filter(isMeasured);
  const isShown = ({ workloads }: ListedPod): boolean => options.showsAllPods || workloads.length > 0;
  const thresholds = nodeThresholds({
    kubeletVersion: node.kubeletVersion,
    operatingSystem: node.operatingSystem,
    summary,
    layout: storageLayout(layout),
    thresholds: configuration?.thresholds,
  });
  const skippedPods = new Map<SkipReason, number>(joined.counts);
  skippedPods.set('no_usage', all.length - measured.length);
  skippedPods.set('no_containers', measured.filter(({ usage }) => usage.containers.length === 0).length);
  const shown = measured.filter(isShown);
  const listedPodUids = uidsOf(all);
  return {
    node,
    nodeName: node.name,
    summary,
    layout,
    podsOnNode: options.pods.podsOn(node.name),
    thresholds,
    headrooms: evictionHeadrooms(thresholds),
    logRotation: configuration?.logRotation,
    listedPods: all,
    pods: shown,
    endedPods: endedOf(shown),
    podsWithoutTotal: measured.length === all.length ? [] : all.filter((pod) => !isMeasured(pod) && isShown(pod)),
    skippedPods,
    unknownItems: {
      container: sumOf(measured, ({ containerCount }) => containerCount),
      volume: sumOf(measured, ({ volumeCount }) => volumeCount),
    },
    listedPodUids,
    measuredPodUids: measured.length === all.length ? listedPodUids : uidsOf(measured),
    unknownPods: joined.unknown.map(({ summary: entry }) => entry),
    unreadPodCount: coversAllPods(options.scope) ? undefined : joined.outOfScopeCount + joined.unknown.length,
  };
}

/** Whether the API object is the same and belongs to the same workloads. */
function isUpToDate(known: ListedPod, joined: JoinedPod, { byUid, nameless }: JoinedNodePods): boolean {
  const { pod } = joined;
  if (known.pod !== pod || known.isNameless !== nameless.has(joined)) return false;
  return pod === undefined || byUid.get(pod.kubeletUid)?.workloads === known.workloads;
}

function endedOf(pods: readonly PodSnapshot[]): readonly Pod[] {
  return pods.flatMap(({ pod }) => (pod === undefined || isActive(pod) ? [] : [pod]));
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

function uidsOf(pods: readonly ListedPod[]): ReadonlySet<string> {
  const uids = new Set<string>();
  for (const { pod } of pods) if (pod !== undefined) uids.add(pod.uid);
  return uids;
}
