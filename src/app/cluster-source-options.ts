import type { Config } from '../config/schema.js';
import type { ApiTransport } from '../http/api-client.js';
import type { Node, Pod } from '../kube/objects.js';
import type { Scope } from '../kube/scope.js';
import type { KubeletCache } from '../kubelet/kubelet-cache.js';
import type { ClusterWatches } from '../watch/cluster-watches.js';
import type { StoreChange } from '../watch/object-store.js';
import type { ClusterConnectionOptions } from './cluster-connection.js';

/** The credentials are those of the connection. */
export interface ClusterSourceOptions extends ClusterConnectionOptions {
  readonly config: Config;
  readonly scope: Scope;
  /** Lives longer. */
  readonly connection: {
    readonly api: ApiTransport;
    readonly watches: ClusterWatches;
    readonly kubelets: KubeletCache;
  };
  /** Files and connections that the process may have open; undefined: not known. */
  readonly openFileLimit?: number | undefined;
  /** Whether nodes that `cluster.nodeSelector` excludes are read too; only commands show them. Default: false. */
  readonly readsAllNodes?: boolean;
  /** Told of each change of a pod, evictions in any case; the source already has its result. */
  readonly onPodChange?: (change: StoreChange<Pod>) => void;
  /** Called with each node that was refreshed in the background, as all nodes are. */
  readonly onRefreshed?: (node: Node, signal: AbortSignal) => Promise<void>;
  /** Whether scrapes read the source; only then it counts what happens to pods, and marks summaries as out of date. Default: true. */
  readonly isActive?: () => boolean;
}
