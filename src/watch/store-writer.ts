import { messageOf, RequestError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import type { Lane } from '../base/scheduler.js';
import { ApiError } from '../http/api-error.js';
import { type ListedObjects, listFailure, listObjects, type ListSessionOptions } from './list-session.js';
import type { ObjectStore, StoredObject } from './object-store.js';
import type { ObjectCollection, Resource } from './resource-path.js';
import type { StoreAudit } from './store-audit.js';
import type { WatchObserver } from './watch-observer.js';
import type { WatchEvent } from './watch-stream.js';

/** So many lists in a row are refused as invalid before the known version is dropped. */
const maxRefusedCount = 3;

export interface StoreWriterOptions<T extends StoredObject> extends Pick<
  ListSessionOptions<T>,
  'api' | 'clock' | 'background'
> {
  readonly resource: Resource;
  readonly store: ObjectStore<T>;
  readonly audit: Pick<StoreAudit<T>, 'confirmed'>;
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
  /** The turns in which the store is read. */
  readonly lane: Lane;
}

/** Writes lists and events of a collection to a store. Reports objects that have to be left out. */
export class StoreWriter<T extends StoredObject> {
  readonly #options: StoreWriterOptions<T>;
  readonly #collection: ObjectCollection;
  /** Whether the next list is one of the newest state. */
  #relistRequested = false;
  /** Lists since the last success that the server has refused as invalid. */
  #refusedCount = 0;

  constructor(options: StoreWriterOptions<T>, collection: ObjectCollection) {
    this.#options = options;
    this.#collection = collection;
  }

  get relistRequested(): boolean {
    return this.#relistRequested;
  }

  /** Makes the next list one of the newest state. */
  requestRelist(): void {
    this.#relistRequested = true;
  }

  /**
   * Makes the store equal to a list that is not older than `resourceVersion`. Throws RequestError when there is none, or the
   * signal's reason: the store stays as it is.
   */
  async list(resourceVersion: string, isInitial: boolean, signal: AbortSignal): Promise<ListedObjects<T>> {
    const { project, store, audit, isInScope } = this.#options;
    // The server may have another storage than before, in which the version means nothing.
    const asksNewest = this.#relistRequested || this.#refusedCount >= maxRefusedCount;
    // One attempt: a watch that works continues when it fails.
    this.#relistRequested = false;
    const options = this.#listOptions((object) => {
      const projected = project(object);
      // The one that is stored already, where it is the same.
      return projected === undefined ? undefined : store.known(projected);
    });
    const list = (version: string) => listObjects(options, version, signal);
    try {
      const { path } = this.#collection;
      const listed = await audit.confirmed(list, asksNewest ? '' : resourceVersion, { path, isInScope });
      await this.#replace(listed, isInitial);
      this.#refusedCount = 0;
      return listed;
    } catch (error) {
      if (error instanceof ApiError && error.isInvalidRequest) this.#refusedCount += 1;
      throw error;
    }
  }

  /**
   * Lists without a change of the store. Returns the keys of objects that only the list or only the store has, or that differ.
   * Throws RequestError, or the signal's reason.
   */
  async differences(resourceVersion: string, signal: AbortSignal): Promise<Iterable<string>> {
    const { resource, store, project, keyOf, isInScope, observer, lane } = this.#options;
    const [listedKeys, keys] = [new Set<string>(), new Set<string>()];
    const options = this.#listOptions((listed) => {
      const object = project(listed);
      if (object === undefined) return undefined;
      const key = keyOf(object);
      listedKeys.add(key);
      const known = store.known(object);
      if (known === object) keys.add(key);
      return known;
    });
    try {
      await listObjects(options, resourceVersion, signal);
    } catch (error) {
      if (error instanceof RequestError) observer.listFinished(resource, listFailure(error));
      throw error;
    }
    observer.listFinished(resource, 'success');
    await lane.each(store.values(), (object) => {
      const key = keyOf(object);
      if (isInScope?.(object) !== false && !listedKeys.has(key)) keys.add(key);
    });
    return keys;
  }

  /** Throws RequestError `decode` for a malformed deletion: only a list can show which object was deleted. */
  apply({ type, object }: WatchEvent): void {
    if (type === 'DELETED') this.#remove(object);
    else if (type !== 'BOOKMARK') this.#upsert(object);
  }

  /** Leaves out an event with an object that does not belong to the collection. */
  skip(kind: string): void {
    const { resource, observer, logger } = this.#options;
    observer.objectSkipped(resource, 'other_kind');
    logger.debug('skipped an event with an object of another kind', { resource, kind });
  }

  #listOptions(project: (object: unknown) => T | undefined): ListSessionOptions<T> {
    const { resource, observer } = this.#options;
    const onExpired = (): void => {
      observer.resourceVersionExpired(resource);
    };
    return { ...this.#options, project, collection: this.#collection, onExpired };
  }

  async #replace({ objects, skipped }: ListedObjects<T>, isInitial: boolean): Promise<void> {
    const { resource, store, isInScope, observer, logger } = this.#options;
    for (const { reason } of skipped) observer.objectSkipped(resource, reason);
    const [first] = skipped;
    if (first !== undefined) {
      const fields = { resource, path: this.#collection.path, count: skipped.length };
      logger.warn('skipped objects of a list', { ...fields, reason: first.reason, error: first.message });
    }
    await store.replace(objects, { isInScope, isInitial });
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
    const outcome = projected === undefined ? 'suppressed' : store.upsert(projected);
    if (outcome === 'suppressed') observer.updateSuppressed(resource);
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
