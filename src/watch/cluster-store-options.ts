import type { Clock } from '../base/clock.js';
import type { Logger } from '../base/logger.js';
import type { Scope } from '../kube/scope.js';
import type { LabelSelector } from '../kube/selector.js';
import type { ClusterWatches } from './cluster-watches.js';

export interface ClusterStoreOptions {
  readonly watches: Pick<ClusterWatches, 'nodes' | 'pods'>;
  /** Other nodes, their pods and pods without a node are not kept. With one node, only its objects are requested. */
  readonly scope: Scope;
  /** Empty: all namespaces, in one watch. Otherwise one watch for each, or one for all of more than 10 where that is allowed. */
  readonly namespaces: readonly string[];
  readonly podSelector: LabelSelector;
  /** Of the nodes that are requested. Not used with one node, whose absence must mean that it does not exist. */
  readonly nodeSelector: LabelSelector;
  /** How long a deleted pod is remembered at least, in milliseconds: as long as a cached summary may list it. */
  readonly rememberDeletedMs: number;
  readonly clock: Clock;
  readonly random: () => number;
  readonly logger: Logger;
  /** Whether nodes have the list of their images, up to 50 each. Default: false. */
  readonly keepsImages?: boolean;
}
