import { byName } from '../../lib/base/ranking.js';
import type { EvictionSnapshot } from '../history/eviction-snapshot.js';
import type { AgentPod } from '../node/agent-pod.js';
import type { GoneNode, NodeObjects, NodeView } from '../node/node-view.js';
import type { WorkloadSnapshot } from '../workload/workload-partial.js';

/** Everything that one scrape serves, besides the exporter's own metrics. */
export interface ClusterSnapshot {
  /** Nodes in the cluster, and the only one to measure when it is not there; by name. */
  readonly nodes: readonly NodeView[];
  readonly gone: readonly GoneNode[];
  readonly workloads: readonly WorkloadSnapshot[];
  readonly evictions: EvictionSnapshot;
  /** Namespaces in scope whose pods are not known. */
  readonly unlistedNamespaces: readonly string[];
  /** What the agent on the node adds: of pods that run there. */
  readonly agent?: { readonly pods: readonly AgentPod[] };
}

/** What the API server knows of all nodes, by name. */
export function allObjects({ nodes, gone }: Pick<ClusterSnapshot, 'nodes' | 'gone'>): readonly NodeObjects[] {
  const present = nodes.flatMap(({ objects }) => objects ?? []);
  return gone.length === 0 ? present : [...present, ...gone.map(({ objects }) => objects)].sort(byNodeName);
}

const byNodeName = byName<NodeObjects>(({ nodeName }) => nodeName);
