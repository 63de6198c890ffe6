import { attributePod } from '../attribution/attribute.js';
import { type JoinedPod, joinPods, type PodScope } from '../attribution/join.js';
import type { AttributionMode } from '../attribution/usage.js';
import { evictionHeadrooms } from '../eviction/eviction-headrooms.js';
import { limitRatios } from '../eviction/limit-ratios.js';
import { podLimitBytes, podRequestBytes } from '../eviction/limits.js';
import { type NodeLayout, nodeLayout } from '../eviction/node-layout.js';
import type { Pod } from '../kube/objects.js';
import type { EvictionThresholds } from '../kubelet/eviction-thresholds.js';
import type { NodeSummary, PodSummary } from '../kubelet/summary.js';
import { sumPods } from '../workload/aggregate.js';
import type { WorkloadPartials } from '../workload/figures.js';
import type { WorkloadResolver } from '../workload/workload-resolver.js';
import type { NodeSnapshot, PodSnapshot, SkipReason } from './snapshot.js';

/** What is known of pods from the API server. */
export interface PodLister {
  /** The pods of a node: the same array as long as none of them changes. */
  podsOn(nodeName: string): readonly Pod[];
  findPod(namespace: string, name: string): Pod | undefined;
  /** Whether the API object of the pod with this kubelet UID was deleted lately. */
  isDeleted(kubeletUid: string): boolean;
}

/** What is known of the configurations of kubelets. */
export interface ThresholdLister {
  /** The same object as long as it does not change; undefined while it is not known. */
  thresholdsOf(nodeName: string): EvictionThresholds | undefined;
}

export interface NodeSnapshotsOptions {
  readonly pods: PodLister;
  /** Undefined: configurations are not read. */
  readonly configs: ThresholdLister | undefined;
  readonly resolver: WorkloadResolver;
  readonly attribution: AttributionMode;
  readonly scope: PodScope;
  /** Whether pods that belong to no workload have detail series. */
  readonly showsAllPods: boolean;
  /** Whether the kubelets hold sidecars to their own limits. */
  readonly enforcesSidecars: boolean;
}

/** A node's snapshot with what the sums over nodes need of it. */
export interface MeasuredNode {
  readonly snapshot: NodeSnapshot;
  /** Sums over the node's pods per workload, also of pods without detail series. */
  readonly sums: WorkloadPartials;
  /** UIDs of the API objects of the pods that the summary lists. */
  readonly listedPodUids: ReadonlySet<string>;
  /** UIDs of the API objects of the pods that have figures. */
  readonly measuredPodUids: ReadonlySet<string>;
  /** What the API server said of the node's pods when it was measured. */
  readonly podsOnNode: readonly Pod[];
  /** What was known of the kubelet's configuration when it was measured. */
  readonly thresholds: EvictionThresholds | undefined;
  /** Pods of the summary that the API server did not know. */
  readonly unknownPods: readonly PodSummary[];
}

/** The last snapshot of each node, kept while its summary, its pods and its kubelet's configuration are the same. */
export class NodeSnapshots {
  readonly #options: NodeSnapshotsOptions;
  readonly #kept = new Map<string, MeasuredNode>();

  constructor(options: NodeSnapshotsOptions) {
    this.#options = options;
  }

  of(nodeName: string, summary: NodeSummary): MeasuredNode {
    const kept = this.#kept.get(nodeName);
    const isSame =
      kept?.snapshot.summary === summary && kept.thresholds === this.#options.configs?.thresholdsOf(nodeName);
    return isSame ? this.current(kept) : this.#measure(nodeName, summary);
  }

  /** The same while the API server says the same of the node's pods; else measured anew from the same summary. */
  current(measured: MeasuredNode): MeasuredNode {
    const { nodeName, summary } = measured.snapshot;
    const isSame = measured.podsOnNode === this.#options.pods.podsOn(nodeName);
    return isSame && this.#areUnknown(measured.unknownPods) ? measured : this.#measure(nodeName, summary);
  }

  /** Forgets the nodes that are not among `nodeNames`. */
  retain(nodeNames: ReadonlySet<string>): void {
    for (const nodeName of this.#kept.keys()) {
      if (!nodeNames.has(nodeName)) this.#kept.delete(nodeName);
    }
  }

  /** An unknown pod may become known on another node, or known and deleted in between: the node's pods do not tell. */
  #areUnknown(unknownPods: readonly PodSummary[]): boolean {
    const { pods } = this.#options;
    return unknownPods.every(
      ({ namespace, name, uid }) => pods.findPod(namespace, name) === undefined && !pods.isDeleted(uid),
    );
  }

  #measure(nodeName: string, summary: NodeSummary): MeasuredNode {
    const measured = this.#measured(nodeName, summary);
    this.#kept.set(nodeName, measured);
    return measured;
  }

  #measured(nodeName: string, summary: NodeSummary): MeasuredNode {
    const { pods, configs, scope, showsAllPods } = this.#options;
    const joined = joinPods({
      nodeName,
      summary,
      findPod: (namespace, name) => pods.findPod(namespace, name),
      isDeleted: (kubeletUid) => pods.isDeleted(kubeletUid),
      scope,
    });
    const layout = nodeLayout(summary);
    const thresholds = configs?.thresholdsOf(nodeName);
    const measured = joined.pods.map((pod) => this.#attribute(pod, layout)).filter((pod) => pod !== undefined);
    const skippedPods = new Map<SkipReason, number>(joined.counts);
    skippedPods.set('no_usage', joined.pods.length - measured.length);
    skippedPods.set('no_containers', measured.filter(({ usage }) => usage.containers.length === 0).length);
    return {
      snapshot: {
        nodeName,
        summary,
        layout,
        headrooms: evictionHeadrooms(summary, thresholds),
        pods: showsAllPods ? measured : measured.filter(({ workloads }) => workloads.length > 0),
        skippedPods,
      },
      sums: sumPods(measured),
      listedPodUids: uidsOf(joined.pods),
      measuredPodUids: uidsOf(measured),
      podsOnNode: pods.podsOn(nodeName),
      thresholds,
      unknownPods: joined.pods.filter(({ pod }) => pod === undefined).map((pod) => pod.summary),
    };
  }

  #attribute({ summary, pod }: JoinedPod, layout: NodeLayout): PodSnapshot | undefined {
    const { attribution, resolver, enforcesSidecars } = this.#options;
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
}

function uidsOf(pods: readonly { readonly pod: Pod | undefined }[]): ReadonlySet<string> {
  return new Set(pods.flatMap(({ pod }) => (pod === undefined ? [] : [pod.uid])));
}
