import type { Logger } from '../base/logger.js';
import { type ListedObjects, listObjects, type ListSessionOptions } from './list-session.js';
import type { ListDifference } from './object-store.js';

export interface ConfirmedListOptions<T> extends ListSessionOptions<T> {
  readonly compare: (objects: readonly T[]) => Promise<ListDifference>;
  /** Whether the server has at least one object, whatever is known: every cluster has a node. Those of other shards are not kept. */
  readonly expectsObjects: boolean;
  readonly logger: Logger;
}

/** So many objects may disappear at once without being suspicious: those of a namespace or a node. */
const unsuspiciousCount = 20;

/**
 * As `listObjects`. A list without any object where some are known or expected, or one that would remove more than 20 and more
 * than half of them, is confirmed by a list of the newest state, which then counts: API servers have served empty or partial
 * lists from caches that were not yet filled.
 */
export async function listConfirmed<T>(
  options: ConfirmedListOptions<T>,
  resourceVersion: string,
  signal: AbortSignal,
): Promise<ListedObjects<T>> {
  const { collection, compare, expectsObjects, logger } = options;
  const isSuspicious = ({ objects, itemCount }: ListedObjects<T>, difference: ListDifference): boolean =>
    (expectsObjects && itemCount === 0) || removesTooMuch(objects.length, difference);
  const listed = await listObjects(options, resourceVersion, signal);
  const difference = await compare(listed.objects);
  if (!isSuspicious(listed, difference)) return listed;
  const newest = await listObjects(options, '', signal);
  const message = isSuspicious(newest, await compare(newest.objects))
    ? 'most objects are gone, or there are none: a second list confirms it'
    : 'dropped a list without most of the objects: a second list has them';
  logger.warn(message, { path: collection.path, ...difference });
  return newest;
}

function removesTooMuch(listedCount: number, { knownCount, missingCount }: ListDifference): boolean {
  if (listedCount === 0) return knownCount > 0;
  return missingCount > Math.max(unsuspiciousCount, knownCount / 2);
}
