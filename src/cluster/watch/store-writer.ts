import { messageOf, RequestError } from '../../lib/base/errors.js';
import type { Logger } from '../../lib/base/logger.js';
import { ApiError } from '../http/api-error.js';
import type { StoredObject } from '../kube/objects.js';
import { type ListedObjects, listObjects, type ListSessionOptions } from './list-session.js';
import type { ListDifference, ObjectStore, StoreChange } from './object-store.js';
import type { ObjectCollection, Resource } from './resource-path.js';
import type { WatchObserver } from './watch-observer.js';
import type { WatchEvent } from './watch-stream.js';

/** So many lists in a row are refused as invalid before the known version is dropped. */
const maxRefusedCount = 3;

/** So many may disappear at once, as those of a namespace or a node. */
const manyCount = 20;

export interface StoreWriterOptions<T extends StoredObject> extends Pick<
  ListSessionOptions<T>,
  'api' | 'clock' | 'background'
> {
  readonly resource: Resource;
  readonly store: ObjectStore<T>;
  readonly keyOf: (object: T) => string;
  /** Which objects of the store a list could contain; all of them without it. For several writers of one store. */
  readonly isInScope?: (object: T) => boolean;
  /**
   * Undefined for an object that is not kept, or not yet. Once kept, an object must stay so: only its deletion, or a list
   * without it, removes it. Throws for a malformed object.
   */
  readonly project: (object: unknown) => T | undefined;
  readonly logger: Logger;
  readonly observer: WatchObserver;
}

/** Writes lists and events of a collection to a store. Reports objects that have to be left out. */
export class StoreWriter<T extends StoredObject> {
  readonly #options: StoreWriterOptions<T>;
  readonly #collection: ObjectCollection;
  /** Lists since the last success that the server has refused as invalid. */
  #refusedCount = 0;

  constructor(options: StoreWriterOptions<T>, collection: ObjectCollection) {
    this.#options = options;
    this.#collection = collection;
  }

  /**
   * Makes the store equal to a list that is not older than `resourceVersion`. Throws RequestError when there is none, or the
   * signal's reason: the store stays as it is. `check`: undefined unless the watch can go on from `resourceVersion`, and the list is of that
   * version. What differs then is no event that is yet to come: it is counted. Where something contradicts a store that is
   * right by that list, the server's memory may be wrong, and the newest state is listed.
   * https://kubernetes.io/docs/reference/using-api/api-concepts/#semantics-for-get-and-list
   */
  async list(
    resourceVersion: string,
    { isInitial, check }: { readonly isInitial: boolean; readonly check: 'due' | 'contradicted' | undefined },
    signal: AbortSignal,
  ): Promise<ListedObjects<T> & { readonly hasCorrected: boolean }> {
    const options = { ...this.#listOptions(), isExact: check !== undefined };
    const replace = (version: string) =>
      this.#replace((other) => listObjects(options, other, signal), version, isInitial);
    try {
      // The server may have another storage than before, in which the version means nothing.
      const first = await replace(this.#refusedCount >= maxRefusedCount ? '' : resourceVersion);
      const isDoubtful = check === 'contradicted' && first.changes.length === 0;
      const { listed, changes } = isDoubtful ? await replace('') : first;
      this.#refusedCount = 0;
      // Another version: the one asked for has expired, the server ignores it, or the list had to be confirmed.
      const isDrift = check !== undefined && listed.resourceVersion === resourceVersion;
      if (isDrift) this.#countDrift(changes);
      return { ...listed, hasCorrected: isDrift && changes.length > 0 };
    } catch (error) {
      if (error instanceof ApiError && error.isInvalidRequest) this.#refusedCount += 1;
      throw error;
    }
  }

  /** Throws RequestError `decode` for a malformed deletion: only a list can show which object was deleted. */
  apply(event: WatchEvent): void {
    const { type, object } = event;
    if (type === 'DELETED') this.#remove(object);
    else if (type !== 'BOOKMARK') this.#upsert(object);
  }

  /** Leaves out an event with an object that does not belong to the collection. */
  skip(kind: string): void {
    const { resource, observer, logger } = this.#options;
    observer.objectSkipped(resource, 'other_kind');
    logger.debug('skipped an event with an object of another kind', { resource, kind });
  }

  #listOptions(): ListSessionOptions<T> {
    const { resource, observer, project, store } = this.#options;
    return {
      ...this.#options,
      collection: this.#collection,
      project: (object) => {
        const projected = project(object);
        // The one that is stored already, where it is the same.
        return projected === undefined ? undefined : store.known(projected);
      },
      onExpired: () => {
        observer.resourceVersionExpired(resource);
      },
    };
  }

  /**
   * A list without any object where some are known or expected (every cluster has a node), or one that would remove more than
   * 20 and more than half of them, is confirmed by a list of the newest state, which then counts: API servers have served
   * empty or partial lists from caches that were not yet filled.
   */
  async #replace(read: (version: string) => Promise<ListedObjects<T>>, version: string, isInitial: boolean) {
    const { resource, store, isInScope, logger } = this.#options;
    const scope = { isInScope, isInitial };
    const removesMost = (listed: ListedObjects<T>, difference: ListDifference): boolean =>
      removesTooMuch(listed, difference, resource === 'nodes');
    let doubt: ListDifference | undefined;
    const first = await read(version);
    const isPlausible = (difference: ListDifference): boolean => {
      if (removesMost(first, difference)) doubt = difference;
      return doubt === undefined;
    };
    const changes = await store.replace(first.objects, { ...scope, isPlausible });
    if (changes !== undefined) return this.#applied(first, changes);
    const newest = await read('');
    const isConfirmed = (difference: ListDifference): boolean => {
      const message = removesMost(newest, difference)
        ? 'most objects are gone, or there are none: a second list confirms it'
        : 'dropped a list without most of the objects: a second list has them';
      logger.warn(message, { path: this.#collection.path, ...doubt });
      return true;
    };
    return this.#applied(newest, (await store.replace(newest.objects, { ...scope, isPlausible: isConfirmed })) ?? []);
  }

  #applied(listed: ListedObjects<T>, changes: readonly StoreChange<T>[]) {
    const { resource, observer, logger } = this.#options;
    for (const { reason } of listed.skipped) observer.objectSkipped(resource, reason);
    const [first] = listed.skipped;
    if (first !== undefined) {
      const fields = { resource, path: this.#collection.path, count: listed.skipped.length };
      logger.warn('skipped objects of a list', { ...fields, reason: first.reason, error: first.message });
    }
    return { listed, changes };
  }

  #countDrift(changes: readonly StoreChange<T>[]): void {
    const { resource, observer, logger, keyOf } = this.#options;
    const [first] = changes;
    if (first === undefined) return;
    const countOf = (type: StoreChange<T>['type']): number => changes.filter((change) => change.type === type).length;
    observer.driftFound(resource, changes.length);
    logger.warn('the store differed from the API server: a list has corrected it', {
      ...{ resource, objectCount: changes.length, example: keyOf(first.object) },
      ...{ missingCount: countOf('added'), extraCount: countOf('removed'), differentCount: countOf('updated') },
    });
  }

  #upsert(object: unknown): void {
    const { resource, project, store, observer, logger } = this.#options;
    let projected: T | undefined;
    try {
      projected = project(object);
    } catch (error) {
      // The resource version still advances: reading the object again would fail again.
      observer.objectSkipped(resource, 'malformed');
      logger.warn('skipped malformed object', { resource, path: this.#collection.path, error: messageOf(error) });
      return;
    }
    if (projected === undefined || !store.upsert(projected)) observer.updateSuppressed(resource);
  }

  #remove(object: unknown): void {
    const { project, store } = this.#options;
    let deleted: T | undefined;
    try {
      deleted = project(object);
    } catch (error) {
      throw new RequestError('decode', `malformed deleted object: ${messageOf(error)}`, { cause: error });
    }
    if (deleted !== undefined) store.remove(deleted);
  }
}

function removesTooMuch(
  { objects, itemCount }: ListedObjects<unknown>,
  { knownCount, missingCount }: ListDifference,
  expectsObjects: boolean,
): boolean {
  if (expectsObjects && itemCount === 0) return true;
  return objects.length === 0 ? knownCount > 0 : missingCount > Math.max(manyCount, knownCount / 2);
}
