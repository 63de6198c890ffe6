import type { Instant } from '../base/clock.js';
import type { Resource } from './resource-path.js';
import type { AttemptFailure } from './retries.js';
import type { WatchMode } from './watch-mode.js';

/** How far one list and watch has come. */
export interface ScopeState {
  /** `nodes`, `pods` or `pods in NAMESPACE`. */
  readonly name: string;
  /** '' for all namespaces. */
  readonly namespace: string;
  /** Whether it has been listed once. */
  readonly isSynced: boolean;
  /** Whether there is a watch. */
  readonly isConnected: boolean;
  readonly mode: WatchMode;
  /** Of the last list, event or bookmark; undefined before the first list. */
  readonly lastProgress: Instant | undefined;
  /** Undefined while the last attempt has not failed. */
  readonly lastFailure: AttemptFailure | undefined;
}

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

export function storeState(resource: Resource, objectCount: number, scopes: readonly ScopeState[]): StoreState {
  const listed = scopes.filter(({ isSynced }) => isSynced);
  return {
    ...{ resource, objectCount, scopes },
    isConnected: listed.length > 0 && listed.every(({ isConnected }) => isConnected),
    mode: scopes.some(({ mode }) => mode === 'polling') ? 'polling' : 'watch',
    lastProgress: earliest(listed.flatMap(({ lastProgress }) => lastProgress ?? [])),
  };
}

function earliest(instants: readonly Instant[]): Instant | undefined {
  return [...instants].sort((a, b) => a.monotonicMs - b.monotonicMs)[0];
}
