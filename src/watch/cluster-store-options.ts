import type { Clock } from '../base/clock.js';
import type { Logger } from '../base/logger.js';
import type { ApiTransport } from '../http/api-client.js';
import type { Pod } from '../kube/objects.js';
import type { Scope } from '../kube/scope.js';
import type { LabelSelector } from '../kube/selector.js';
import type { StoreChange } from './object-store.js';
import type { ReflectorObserver } from './reflector-observer.js';

interface ClusterStoreObserver extends ReflectorObserver {
  /** Called for each store before its first event; `scopes` are those that its watches report. */
  trackStore(store: {
    readonly resource: string;
    readonly scopes: readonly string[];
    readonly objectCount: () => number;
  }): void;
}

export interface ClusterStoreOptions {
  readonly api: ApiTransport;
  /** Other nodes, their pods and pods without a node are not kept. With one node, only its objects are requested. */
  readonly scope: Scope;
  /** Empty: all namespaces, in one watch. Otherwise one watch for each, or one for all of more than 10 where that is allowed. */
  readonly namespaces: readonly string[];
  readonly podSelector: LabelSelector;
  /** Of the nodes that are requested. Not used with one node, whose absence must mean that it does not exist. */
  readonly nodeSelector: LabelSelector;
  /** How long a deleted pod is remembered, in milliseconds: as long as a cached summary may list it. */
  readonly rememberDeletedMs: number;
  readonly clock: Clock;
  readonly random: () => number;
  readonly logger: Logger;
  readonly observer: ClusterStoreObserver;
  /** Whether nodes have the list of their images, up to 50 each. Default: false. */
  readonly keepsImages?: boolean;
  /** Called after each change of a pod; the store already has its result. */
  readonly onPodChange?: (change: StoreChange<Pod>) => void;
}
