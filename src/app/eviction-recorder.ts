import type { Config } from '../config/schema.js';
import type { EvictedPodContext, EvictionLog, PodChange } from '../history/eviction-log.js';
import type { EvictionRecord } from '../history/eviction-record.js';
import type { Node, Pod } from '../kube/objects.js';
import { isInScope, type Scope } from '../kube/scope.js';
import { matchesSelector } from '../kube/selector.js';
import type { KubeletCache } from '../kubelet/kubelet-cache.js';
import { nodeLayout } from '../node/node-layout.js';
import type { Collection } from './collection.js';

interface SelectedNodes {
  findNode(name: string): Node | undefined;
  /** Whether a node that is not known may have been in scope before it left the cluster. */
  mayBeGone(name: string): boolean;
}

export interface EvictionRecorderOptions {
  readonly log: EvictionLog;
  readonly config: Config;
  readonly collection: Pick<Collection, 'trackers' | 'resolver'>;
  readonly nodes: SelectedNodes;
  readonly cache: Pick<KubeletCache, 'history'>;
}

/** Passes a change of a pod to the log, with what is known of its node and its last values. */
export function recordPodChange(change: PodChange, options: EvictionRecorderOptions): void {
  const { log, config, nodes } = options;
  const { nodeName = '', eviction } = change.object;
  if (eviction === undefined || !isNodeSelected(nodeName, nodes, config)) return;
  log.podChanged(change, (pod) => contextOf(pod, options));
}

function contextOf(
  pod: Pod,
  { config, collection: { trackers, resolver }, nodes, cache }: EvictionRecorderOptions,
): EvictedPodContext {
  const { nodeName = '', kubeletUid } = pod;
  const history = cache.history(nodeName);
  const { summary } = history ?? {};
  return {
    node: nodes.findNode(nodeName),
    layout: trackers.layout(nodeName) ?? (summary && nodeLayout(summary)),
    measurement: history?.find(kubeletUid),
    workloads: resolver.workloadsOf(pod),
    attribution: config.attribution,
    sidecars: config.enforcement.sidecars,
  };
}

/** Whether the pod of a record would be measured under these settings. */
export function isRecordInScope(
  record: EvictionRecord,
  { config, scope, nodes }: Pick<EvictionRecorderOptions, 'config' | 'nodes'> & { readonly scope: Scope },
): boolean {
  const { namespaces, podSelector } = config.cluster;
  return (
    isInScope(scope, record.node) &&
    (namespaces.length === 0 || namespaces.includes(record.namespace)) &&
    matchesSelector(podSelector, record.labels) &&
    isNodeSelected(record.node, nodes, config)
  );
}

function isNodeSelected(name: string, nodes: SelectedNodes, { cluster }: Config): boolean {
  const node = nodes.findNode(name);
  return node === undefined ? nodes.mayBeGone(name) : matchesSelector(cluster.nodeSelector, node.labels);
}
