import type { Clock, Instant } from '../../lib/base/clock.js';
import type { Node, Pod, StoredObject } from '../kube/objects.js';
import type { WatchMode } from './next-step.js';
import type { Reflector } from './reflector.js';
import type { Resource } from './resource-path.js';
import type { SharedWatch } from './shared-watch.js';

/** How far one list and watch has come. */
export type ScopeState = Pick<
  Reflector<StoredObject>,
  'name' | 'namespace' | 'isSynced' | 'isConnected' | 'mode' | 'lastProgress' | 'lastFailure'
>;

/** The objects of one resource. */
export interface StoreState {
  readonly resource: Resource;
  readonly objectCount: number;
  /** One for each namespace that is listed, or one for all. */
  readonly scopes: readonly ScopeState[];
  /** Whether there are listed scopes, and the watches of all of them are connected. */
  readonly isConnected: boolean;
  /** `polling` when one of the scopes is polled. */
  readonly mode: WatchMode;
  /** The last list, event or bookmark, of the listed scope that waits longest; undefined before the first list. */
  readonly lastProgress: Instant | undefined;
}

/** Sums up the scopes of one resource. */
export function storeState(resource: Resource, objectCount: number, scopes: readonly ScopeState[]): StoreState {
  const listed = scopes.filter(({ isSynced }) => isSynced);
  const progress = listed.flatMap(({ lastProgress }) => lastProgress ?? []);
  return {
    ...{ resource, objectCount, scopes },
    isConnected: listed.length > 0 && listed.every(({ isConnected }) => isConnected),
    mode: scopes.some(({ mode }) => mode === 'polling') ? 'polling' : 'watch',
    lastProgress: progress.sort((a, b) => a.monotonicMs - b.monotonicMs)[0],
  };
}

/** Whether changes in all of the scopes are seen now: they have been listed, and are watched, or polled in time. */
export function areSeen(scopes: readonly ScopeState[], nowMs: number): boolean {
  return scopes.every(({ isSynced, isConnected, mode, lastProgress }) => {
    const isPolled =
      mode === 'polling' && lastProgress !== undefined && nowMs - lastProgress.monotonicMs < maxPollAgeMs;
    return isSynced && (isConnected || isPolled);
  });
}

/** After this time, namespaces whose pods cannot be listed do not hold back the others. */
const partialAfterMs = 30_000;

/** Two lists of a polled resource are missing. */
const maxPollAgeMs = 150_000;

/** The lists and watches of a store: which first lists are missing, and why; how far the others have come. */
export class StoreLists {
  readonly #options;
  #unlistedNamespaces: readonly string[];

  constructor(options: {
    readonly clock: Clock;
    readonly nodes: SharedWatch<Node>;
    readonly pods: SharedWatch<Pod>;
    /** Empty: all namespaces. */
    readonly namespaces: readonly string[];
  }) {
    this.#options = options;
    this.#unlistedNamespaces = options.namespaces;
  }

  /** Resolves when the nodes in scope have been listed once. */
  async listedNodes(): Promise<void> {
    await this.#options.nodes.synced();
  }

  /** Resolves when all nodes and pods in scope have been listed once. */
  async synced(): Promise<void> {
    await Promise.all([this.#options.nodes.synced(), this.#options.pods.synced()]);
  }

  /** Resolves when each list has succeeded once, or failed for a reason that does not go away by itself. */
  async settled(): Promise<void> {
    await Promise.all(this.#scopes.map(({ firstList }) => firstList.settled));
  }

  /** True when all nodes and pods in scope have been listed once. */
  get isComplete(): boolean {
    return this.#scopes.every(({ isSynced }) => isSynced);
  }

  /**
   * Whether there is something to serve: all nodes and pods in scope have been listed once, or, 30 s after the first
   * attempt, the nodes and the pods of at least one namespace. Never false again.
   */
  get hasSynced(): boolean {
    const { pods, clock } = this.#options;
    if (!this.haveNodes) return false;
    if (pods.scopes.every(({ isSynced }) => isSynced)) return true;
    const isLate = clock.monotonicMs() - pods.startedAtMs >= partialAfterMs;
    return isLate && pods.scopes.some(({ isSynced }) => isSynced);
  }

  /** Whether the nodes in scope have been listed once. */
  get haveNodes(): boolean {
    return this.#options.nodes.scopes.every(({ isSynced }) => isSynced);
  }

  /** Monotonic time at which the nodes were last known to be what the API server knows; -Infinity before they are listed. */
  get nodesSeenAtMs(): number {
    return Math.min(...this.#options.nodes.scopes.map(({ lastProgress }) => lastProgress?.monotonicMs ?? -Infinity));
  }

  /** Returns the namespaces in scope whose pods have not been listed yet: the same array until one of them is. */
  unlistedNamespaces(): readonly string[] {
    const { scopes } = this.#options.pods;
    const unlisted = this.#unlistedNamespaces.filter((name) =>
      scopes.some(({ namespace, isSynced }) => namespace === name && !isSynced),
    );
    if (unlisted.length < this.#unlistedNamespaces.length) this.#unlistedNamespaces = unlisted;
    return this.#unlistedNamespaces;
  }

  /** Whether changes of all pods in scope are seen now. */
  get seesPods(): boolean {
    return areSeen(this.#options.pods.scopes, this.#options.clock.monotonicMs());
  }

  /** Whether the API server cannot be reached, as far as lists and watches show. */
  get isServerAway(): boolean {
    return this.#scopes.some(({ isServerAway }) => isServerAway);
  }

  /** Returns the scopes whose first list is missing. */
  unsynced(): readonly {
    readonly name: string;
    readonly resource: Resource;
    /** '' for all namespaces. */
    readonly namespace: string;
    /** Of the last failure; undefined while the first list is under way. */
    readonly reason: string | undefined;
    /** The last error, or that the first list is under way. */
    readonly message: string;
    /** Since it was listed for the first time, in milliseconds. */
    readonly forMs: number;
  }[] {
    const nowMs = this.#options.clock.monotonicMs();
    return this.#scopes
      .filter(({ isSynced }) => !isSynced)
      .map(({ name, resource, namespace, lastFailure }) => {
        return {
          ...{ name, resource, namespace },
          reason: lastFailure?.reason,
          message: lastFailure?.message ?? 'the first list is under way',
          forMs: nowMs - this.#options[resource].startedAtMs,
        };
      });
  }

  /** Sums up the nodes and the pods. */
  states(): readonly StoreState[] {
    const { nodes, pods } = this.#options;
    return [storeState('nodes', nodes.objects.size, nodes.scopes), storeState('pods', pods.objects.size, pods.scopes)];
  }

  get #scopes(): readonly (Reflector<Node> | Reflector<Pod>)[] {
    const { nodes, pods } = this.#options;
    return [...nodes.scopes, ...pods.scopes];
  }
}
