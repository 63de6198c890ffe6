import type { Logger } from '../base/logger.js';
import { type ListedObjects, listObjects, type ListSessionOptions } from './list-session.js';
import type { ListDifference } from './object-store.js';

export interface ConfirmedListOptions<T> extends ListSessionOptions<T> {
  readonly compare: (objects: readonly T[]) => ListDifference;
  /** Whether there is at least one object, whatever is known: every cluster has a node. */
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
  const isSuspicious = ({ objects }: ListedObjects<T>): boolean =>
    (expectsObjects && objects.length === 0) || removesTooMuch(objects.length, compare(objects));
  const listed = await listObjects(options, resourceVersion, signal);
  if (!isSuspicious(listed)) return listed;
  const difference = compare(listed.objects);
  const newest = await listObjects(options, '', signal);
  const message = isSuspicious(newest)
    ? 'most objects are gone, or there are none: a second list confirms it'
    : 'dropped a list without most of the objects: a second list has them';
  logger.warn(message, { path: collection.path, ...difference });
  return newest;
}

function removesTooMuch(listedCount: number, { knownCount, missingCount }: ListDifference): boolean {
  if (listedCount === 0) return knownCount > 0;
  return missingCount > Math.max(unsuspiciousCount, knownCount / 2);
}
