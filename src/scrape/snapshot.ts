import type { EvictionSnapshot } from '../history/eviction-record.js';
import type { NodeObjects, NodeState } from '../node/node-state.js';
import type { WorkloadSnapshot } from '../workload/workload-partial.js';

/** Everything that one scrape serves, besides the exporter's own metrics. */
export interface ClusterSnapshot {
  readonly nodes: readonly NodeState[];
  /** By node name. */
  readonly objects: readonly NodeObjects[];
  readonly workloads: readonly WorkloadSnapshot[];
  readonly evictions: EvictionSnapshot;
  /** Namespaces in scope whose pods are not known. */
  readonly unlistedNamespaces: readonly string[];
}
