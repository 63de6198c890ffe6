import { isOfVirtualCluster, type Node, type Pod } from '../../cluster/kube/objects.js';
import { ofSamePod, type PodIdentity } from '../../cluster/kube/pod-identity.js';
import type { KubeletConfiguration } from '../../cluster/kubelet/kubelet-configuration.js';
import type { NodeSummary, PodSummary } from '../../cluster/kubelet/summary.js';
import { byNames, divided } from '../../lib/base/ranking.js';
import type { WorkloadResolver } from '../workload/workload-resolver.js';
import { judgedFilesystems } from './frozen-statistics.js';
import { coversAllPods, joinPods, type JoinResult, type PodScope } from './join.js';
import { knownNearest, limitStanding } from './limit-ratios.js';
import { isActive } from './limits.js';
import { nodeEvictionMs, podEvictionMs, type PodGrowth } from './near-evictions.js';
import { nodeImages } from './node-images.js';
import { type NodeLayout, storageLayout } from './node-layout.js';
import type { NodeMemory } from './node-memory.js';
import { boundTo } from './node-objects.js';
import { noThresholds, type ThresholdsInForce, thresholdsInForce } from './node-thresholds.js';
import type { NodeSnapshot, SkipReason } from './node-view.js';
import {
  type BoundPod,
  type DerivedPods,
  haveSameSizes,
  type PodContext,
  type PodRecord,
  withDerived,
} from './pod-record.js';
import {
  hasRootfs,
  lacksRootfsLastingly,
  type LayerSight,
  mayChange,
  nodeUnenforced,
  podUnenforced,
} from './unenforced-limits.js';
import { unknownItemsOf } from './unknown-items.js';

/** What the API server knows of pods. */
export interface PodLister {
  /** The pods of a node: the same array as long as none of them changes. */
  podsOn(nodeName: string): readonly Pod[];
  /** The names of the nodes that pods are bound to, whether or not the nodes exist. */
  boundNodeNames(): Iterable<string>;
  /** Namespaces in scope whose pods are not known yet: the same array as long as they are the same. */
  unlistedNamespaces(): readonly string[];
  findPod(namespace: string, name: string): Pod | undefined;
  /** Whether the API object of the pod was deleted recently. */
  isDeleted(pod: PodIdentity): boolean;
}

export interface NodeSnapshotOptions {
  readonly pods: PodLister;
  readonly resolver: WorkloadResolver;
  readonly contextOf: (node: Node, layout: NodeLayout) => PodContext;
  readonly scope: PodScope;
  /** Whether pods that belong to no workload have detail series. */
  readonly showsAllPods: boolean;
  /** Of a node: pods that the API server does not know with names in series, the first by namespace and name. */
  readonly maxUnknownPods: number;
  /** How fast the pods of a node grow, by their entries in its last summary. */
  readonly growth: (nodeName: string) => PodGrowth;
  /** How long a summary is fresh as a rule, in milliseconds. */
  readonly ttlMs: number;
}

export interface NodeSnapshotInput extends Pick<
  NodeSnapshot,
  'node' | 'summary' | 'arrivedAtMs' | 'layout' | 'frozen'
> {
  readonly context: PodContext;
  /** Undefined while it is not known. */
  readonly configuration: KubeletConfiguration | undefined;
  /** See `NodeMemory.refutedSignals`. */
  readonly conditionSeenAtMs: number;
  /** The records of the summary before, in the same context, by the UIDs of its entries. */
  readonly known?: ReadonlyMap<string, PodRecord> | undefined;
  /** Receives what is derived of the pods. */
  readonly derived: DerivedPods;
  /** Receives what the summary measured. */
  readonly memory: NodeMemory;
}

/** `bound`: the pods of the node. */
function joinNodePods(
  { node, summary }: Pick<NodeSnapshotInput, 'node' | 'summary'>,
  bound: readonly BoundPod[],
  { pods, scope, maxUnknownPods, growth }: NodeSnapshotOptions,
): JoinedNodePods {
  const byUid = new Map<string, BoundPod>();
  for (const pod of bound) byUid.set(pod.pod.kubeletUid, pod);
  const joined = joinPods({
    nodeName: node.name,
    summary,
    findPod: (namespace, name) => pods.findPod(namespace, name),
    isDeleted: (pod) => pods.isDeleted(pod),
    scope,
  });
  const unknown: PodSummary[] = [];
  for (const [entry, pod] of joined.pods) if (pod === undefined) unknown.push(entry);
  return {
    ...joined,
    byUid,
    unknown,
    nameless: new Set(divided(unknown, maxUnknownPods, byPodName).others),
    growth: growth(node.name),
    measuredAtMs: summary.nodefs?.timeMs ?? Infinity,
    hasRootfs: summary.pods.some(hasRootfs),
  };
}

interface JoinedNodePods extends JoinResult, LayerSight {
  readonly byUid: ReadonlyMap<string, BoundPod>;
  /** Those that the API server does not know, and those of them without a name in series. */
  readonly unknown: readonly PodSummary[];
  readonly nameless: ReadonlySet<PodSummary>;
  readonly growth: PodGrowth;
}

const byPodName = byNames<PodSummary>(({ namespace, name }) => [namespace, name]);

/**
 * Records a pod of the summary; returns the record of before while its entry and its API object are the same. Of one whose entry
 * has the same sizes, nothing is derived again.
 */
function recordPod(
  [summary, pod]: readonly [PodSummary, Pod | undefined],
  joined: JoinedNodePods,
  { known, context, derived }: Pick<NodeSnapshotInput, 'known' | 'context' | 'derived'>,
  { resolver, ttlMs }: Pick<NodeSnapshotOptions, 'resolver' | 'ttlMs'>,
): PodRecord {
  const { byUid, nameless, growth } = joined;
  const bound = pod && boundTo(pod, byUid, resolver);
  const isNameless = nameless.has(summary);
  const given = { summary, bound, isNameless };
  const same = sameRecord(ofSamePod(known, summary), given, joined);
  if (same !== undefined) return same;
  const usage = context.usageOf(given);
  const ratios = context.ratiosOf(given);
  const nearest = knownNearest(ratios, { summary, pod: bound?.pod, isPending: usage.volumesPending });
  const isUnmeasured = joined.hasRootfs && pod !== undefined && lacksRootfsLastingly(summary, pod, joined.measuredAtMs);
  // Each field by its name: a spread object takes three times the memory.
  const record: PodRecord = {
    summary,
    bound,
    workloads: bound?.workloads ?? resolver.ofUnknown(summary.namespace),
    isNameless,
    isPending: usage.volumesPending,
    containers: usage.containers.map(({ name, usedBytes: maxUsedBytes }) => {
      return { container: name, usedBytes: maxUsedBytes, maxUsedBytes };
    }),
    unknownItems: usage.unknownItems,
    evictionMs: podEvictionMs({ summary, bound, ratios }, growth, ttlMs),
    unenforced: podUnenforced(ratios, isUnmeasured),
    standing: limitStanding(nearest),
    nearestRatio: nearest?.ratio,
  };
  derived.set(record, withDerived(record, usage, ratios));
  return record;
}

/** Returns the record of before where nothing else follows from `given`; undefined where it must be derived. */
function sameRecord(
  before: PodRecord | undefined,
  { summary, bound, isNameless }: Pick<PodRecord, 'summary' | 'bound' | 'isNameless'>,
  { growth, hasRootfs: isMeasuredHere }: JoinedNodePods,
): PodRecord | undefined {
  if (before === undefined || before.bound !== bound || before.isNameless !== isNameless) return undefined;
  if (before.summary === summary) return before;
  const isNear = before.evictionMs !== undefined || (growth.get(summary) ?? 0) > 0;
  if (isNear || !haveSameSizes(before.summary, summary) || mayChange(before, isMeasuredHere)) return undefined;
  const { workloads, isPending: isStillPending, containers, unknownItems, evictionMs, unenforced } = before;
  const { standing, nearestRatio } = before;
  return {
    summary,
    bound,
    workloads,
    isNameless,
    isPending: isStillPending,
    containers,
    unknownItems,
    evictionMs,
    unenforced,
    standing,
    nearestRatio,
  };
}

export function createNodeSnapshot(
  input: NodeSnapshotInput,
  bound: readonly BoundPod[],
  options: NodeSnapshotOptions,
): NodeSnapshot {
  const { node, summary, arrivedAtMs, layout, frozen, configuration, context, memory, known, derived } = input;
  const joined = joinNodePods(input, bound, options);
  const all = joined.pods.map((pod) => recordPod(pod, joined, input, options));
  const measured = all.filter(isMeasured);
  const isVirtual = isOfVirtualCluster(node.labels);
  const judged = judgedFilesystems(summary, frozen);
  const { thresholds, refutedSignals, unsetSignals } = isVirtual ? noThresholds : thresholdsOf(input, judged);
  const isShown = ({ workloads }: PodRecord): boolean => options.showsAllPods || workloads.length > 0;
  const skippedPods = new Map<SkipReason, number>(joined.counts);
  skippedPods.set('no_usage', all.length - measured.length);
  skippedPods.set('no_containers', measured.filter(({ containers }) => containers.length === 0).length);
  const pods = measured.filter(isShown);
  const podsWithoutTotal = measured.length === all.length ? [] : all.filter((pod) => !isMeasured(pod) && isShown(pod));
  const listedPodUids = uidsOf(all);
  const podsOnNode = options.pods.podsOn(node.name);
  const disks = { node, summary: judged, podsOnNode, layout, arrivedAtMs, thresholds };
  const { forecasts, fills } = memory.learn(disks, { pods: all, known, derived, context });
  const ahead = { crossesInMs: forecasts.crossesInMs, ttlMs: options.ttlMs };
  const isAllInScope = coversAllPods(options.scope) && !isVirtual;
  return {
    node,
    nodeName: node.name,
    summary,
    arrivedAtMs,
    layout,
    frozen,
    podsOnNode,
    thresholds,
    refutedSignals,
    unsetSignals,
    unenforced: nodeUnenforced(input, joined),
    images: imagesOf(input, podsOnNode, joined, options),
    logRotation: configuration?.logRotation,
    listedPods: all,
    context,
    pods,
    endedPods: pods.flatMap((pod) => (pod.bound === undefined || isActive(pod.bound.pod) ? [] : [pod.bound.pod])),
    podsWithoutTotal,
    skippedPods,
    unknownItems: unknownItemsOf(measured),
    listedPodUids,
    measuredPodUids: measured.length === all.length ? listedPodUids : uidsOf(measured),
    unknownPods: joined.unknown,
    unreadPodCount: isAllInScope ? undefined : joined.outOfScopeCount + joined.unknown.length,
    evictionMs: nodeEvictionMs([...pods, ...podsWithoutTotal], thresholds, ahead),
    forecasts,
    fills,
  };
}

/** `summary`: without what is compared with nothing. */
function thresholdsOf(
  { node, layout, configuration, memory, arrivedAtMs, conditionSeenAtMs: seenAtMs }: NodeSnapshotInput,
  summary: NodeSummary,
): ThresholdsInForce {
  const { kubeletVersion, operatingSystem, diskPressure } = node;
  const thresholds = configuration?.thresholds;
  const input = { kubeletVersion, operatingSystem, summary, layout: storageLayout(layout), thresholds };
  return thresholdsInForce(input, (all) => memory.refutedSignals(all, diskPressure, { arrivedAtMs, seenAtMs }));
}

/** `podsOnNode`: all of them, unless one is not read. */
function imagesOf(
  { node, summary, configuration }: NodeSnapshotInput,
  podsOnNode: readonly Pod[],
  { unknown }: JoinedNodePods,
  { scope }: NodeSnapshotOptions,
): NodeSnapshot['images'] {
  const isAllRead = coversAllPods(scope) && unknown.length === 0;
  const pods = isAllRead ? podsOnNode : undefined;
  return nodeImages({ node, pods, imagefs: summary.imagefs, settings: configuration?.images });
}

function isMeasured({ summary }: PodRecord): boolean {
  return summary.usedBytes !== undefined;
}

function uidsOf(pods: readonly PodRecord[]): ReadonlySet<string> {
  const uids = new Set<string>();
  for (const { bound } of pods) if (bound !== undefined) uids.add(bound.pod.uid);
  return uids;
}
