import { messageOf, RequestError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import type { ListedObjects } from './list-session.js';
import type { ListDifference, ObjectStore, StoredObject } from './object-store.js';
import type { ReflectorObserver } from './reflector-observer.js';
import type { Resource } from './resource-path.js';
import type { WatchEvent } from './watch-stream.js';

export interface StoreWriterOptions<T extends StoredObject> {
  readonly resource: Resource;
  readonly store: ObjectStore<T>;
  /** Which objects of the store a list could contain; all of them without it. For several writers of one store. */
  readonly isInScope?: (object: T) => boolean;
  /**
   * Undefined for an object that is not kept, or not yet. Once kept, an object must stay so: only its deletion, or a list
   * without it, removes it. Throws for a malformed object.
   */
  readonly project: (object: unknown) => T | undefined;
  readonly logger: Logger;
  readonly observer: Pick<ReflectorObserver, 'objectSkipped' | 'updateSuppressed'>;
}

/** Writes the objects of lists and events to a store. Reports those that have to be left out. */
export class StoreWriter<T extends StoredObject> {
  readonly #options: StoreWriterOptions<T>;
  /** Of the collection. */
  readonly #path: string;

  constructor(options: StoreWriterOptions<T>, path: string) {
    this.#options = options;
    this.#path = path;
  }

  /** As the option, for an object of a list: the one that is stored already, where it is the same. */
  readonly project = (object: unknown): T | undefined => {
    const { project, store } = this.#options;
    const projected = project(object);
    return projected === undefined ? undefined : store.known(projected);
  };

  /** What a list would remove. */
  readonly compare = (objects: readonly T[]): Promise<ListDifference> => {
    const { store, isInScope } = this.#options;
    return store.compare(objects, isInScope);
  };

  async replace({ objects, skipped }: ListedObjects<T>, isInitial: boolean): Promise<void> {
    const { resource, store, isInScope, observer, logger } = this.#options;
    for (const { reason } of skipped) observer.objectSkipped(resource, reason);
    const [first] = skipped;
    if (first !== undefined) {
      const fields = { resource, path: this.#path, count: skipped.length };
      logger.warn('skipped objects of a list', { ...fields, reason: first.reason, error: first.message });
    }
    await store.replace(objects, { isInScope, isInitial });
  }

  /** Throws RequestError `decode` for a malformed deletion: only a list can show which object was deleted. */
  apply({ type, object }: WatchEvent): void {
    if (type === 'DELETED') this.#remove(object);
    else if (type !== 'BOOKMARK') this.#upsert(object);
  }

  /** An event with an object that does not belong to the collection. */
  skip(kind: string): void {
    const { resource, observer, logger } = this.#options;
    observer.objectSkipped(resource, 'other_kind');
    logger.debug('skipped an event with an object of another kind', { resource, kind });
  }

  #upsert(object: unknown): void {
    const { resource, project, store, observer, logger } = this.#options;
    let projected: T | undefined;
    try {
      projected = project(object);
    } catch (error) {
      // The resource version still advances: reading the object again would fail again.
      observer.objectSkipped(resource, 'malformed');
      logger.warn('skipped malformed object', { resource, path: this.#path, error: messageOf(error) });
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
    if (deleted === undefined) return;
    store.remove(deleted);
  }
}
