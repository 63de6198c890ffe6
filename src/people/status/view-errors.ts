import type { Status } from './status.js';

/** There is no object of this name. */
export class NotFoundError extends Error {
  override readonly name = 'NotFoundError';
}

/** Nodes and pods have not been listed yet. */
export class NotListedError extends Error {
  override readonly name = 'NotListedError';
}

/** What is known of before the first lists. */
const keptKinds: ReadonlySet<string> = new Set(['problems', 'evictions', 'eviction']);

/** Throws NotListedError for a kind of view that there is not before the first lists. */
export function requireListed(kind: string, { notListed }: Pick<Status, 'notListed'>): void {
  if (notListed !== undefined && !keptKinds.has(kind)) throw new NotListedError(notListed);
}

/** Why there is no eviction: before the first lists, they may show it. */
export function noEviction(uid: string, { notListed }: Pick<Status, 'notListed'>): Error {
  if (notListed !== undefined) return new NotListedError(notListed);
  return new NotFoundError(`no eviction of a pod with the UID ${uid} is remembered`);
}
