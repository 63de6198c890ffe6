import type { ReadinessCheck } from './report/readiness-check.js';
import { noSuchNode } from './resolve-scope.js';
import type { ClusterStore } from './watch/cluster-store.js';

export interface ReadinessInput {
  readonly store: Pick<ClusterStore, 'lists' | 'hasNode'>;
  /** The only node to measure; undefined when it is not one alone. */
  readonly nodeName: string | undefined;
  readonly isStopping: boolean;
}

/** What must be true before the exporter serves its first values, and what is missing from them. */
export function readinessChecks({ store, nodeName, isStopping }: ReadinessInput): readonly ReadinessCheck[] {
  const unsynced = new Map(store.lists.unsynced().map(({ name, message }) => [name, message]));
  const { hasSynced } = store.lists;
  return [
    ...store.lists.names.map((name) => {
      const listed = check(name, !unsynced.has(name), `not listed yet: ${unsynced.get(name) ?? ''}`);
      return listed.isOk || !hasSynced ? listed : { ...listed, isOptional: true };
    }),
    ...(nodeName === undefined || !hasSynced ? [] : [check('node', store.hasNode(nodeName), noSuchNode(nodeName))]),
    check('running', !isStopping, 'stopping'),
  ];
}

function check(name: string, isOk: boolean, message: string): ReadinessCheck {
  return isOk ? { name, isOk } : { name, isOk, message };
}
