import { type Clock, startDeadline } from '../base/clock.js';
import { messageOf, RequestError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import type { TimeSlicer } from '../base/time-slicer.js';
import type { ObjectStore, StoreChange, StoredObject } from './object-store.js';
import type { Reflector } from './reflector.js';
import type { Resource } from './resource-path.js';
import type { WatchedCollection } from './watched-collection.js';

/** A full list is that rare. Half of it is random, so that exporters which started together do not list together. */
const periodMs = 3_600_000;

/** By then a watch has delivered what happened before the list, and a list after a doubt has been applied. */
const settleMs = 60_000;

/** Between two comparisons at least: the API server may be busy, and nothing about a check is urgent. */
const retryMs = 600_000;

/** Less than the time after which a task counts as stuck. */
const listTimeoutMs = 240_000;

export interface AuditObserver {
  /** So many objects differed from the list, and have been corrected. */
  readonly driftFound: (resource: Resource, objectCount: number) => void;
}

export interface StoreAuditOptions<T extends StoredObject> {
  readonly collection: WatchedCollection<T>;
  readonly objects: ObjectStore<T>;
  readonly scopes: () => readonly Reflector<T>[];
  readonly clock: Clock;
  /** From 0 to 1, 1 excluded. */
  readonly random: () => number;
  readonly logger: Logger;
  readonly observer: AuditObserver;
  /** The turns in which the store is read. */
  readonly slicer: TimeSlicer;
}

/**
 * Compares a store with a full list, a minute after the first one and then 30 to 60 minutes after the last one, and counts what
 * the store had wrong.
 *
 * Store and list always differ by what happens meanwhile, which the watch delivers. What differs and does not change for a
 * minute is in doubt: the collection is listed again, by the one that writes the store, and what that corrects is counted.
 */
export class StoreAudit<T extends StoredObject> {
  readonly #options: StoreAuditOptions<T>;
  /** What is done at the next step. */
  #next: (signal: AbortSignal) => Promise<number> = (signal) => this.#compare(signal);
  /** Infinity during a step. */
  #dueAtMs = -Infinity;
  #comparedAtMs = -Infinity;
  /** A doubt does not shorten the pause after a list that failed. */
  #notBeforeMs = -Infinity;
  #waitMs: number;
  #isInDoubt = false;
  /** Keys of the objects that change while a comparison or its outcome is awaited; undefined at other times. */
  #changedKeys: Set<string> | undefined;
  /** Resolves when they contain all that has changed so far. */
  #noted: Promise<void> = Promise.resolve();

  constructor(options: StoreAuditOptions<T>) {
    this.#options = options;
    this.#waitMs = this.#nextWaitMs();
  }

  /** To be called after each step of the store. */
  changed(changes: readonly StoreChange<T>[]): void {
    const { collection, slicer } = this.#options;
    const keys = this.#changedKeys;
    if (keys === undefined) return;
    this.#noted = slicer.forEach(changes, ({ object }) => keys.add(collection.keyOf(object)));
  }

  /**
   * Something speaks against the store: if it has been listed since the last comparison, the next one is due 10 minutes after
   * that. The list may have come from a cache that was not filled.
   */
  doubt(): void {
    if (this.#changedKeys !== undefined || this.#dueAtMs === Infinity) return;
    this.#isInDoubt = true;
    this.#dueAtMs = Math.min(this.#dueAtMs, this.#notBeforeMs);
  }

  /**
   * Takes the next step if it is due, and none while another one is being taken. Resolves with the time in milliseconds after
   * which to call again. Rejects with the signal's reason.
   */
  async step(signal: AbortSignal): Promise<number> {
    const { clock } = this.#options;
    if (this.#dueAtMs === Infinity) return settleMs;
    if (clock.monotonicMs() >= this.#dueAtMs) {
      this.#dueAtMs = Infinity;
      await this.#noted;
      const delayMs = await this.#next(signal).catch((error: unknown) => {
        this.#startOver();
        if (error instanceof RequestError && !signal.aborted) return this.#failed(error);
        this.#dueAtMs = -Infinity;
        throw error;
      });
      this.#dueAtMs = clock.monotonicMs() + delayMs;
    }
    return this.#dueAtMs - clock.monotonicMs();
  }

  async #compare(signal: AbortSignal): Promise<number> {
    const { clock, collection, logger } = this.#options;
    const { resource } = collection;
    const scopes = this.#scopes.filter(({ isConnected }) => isConnected); // of the others, a list follows anyway
    if (scopes.length === 0) return settleMs;
    const remainingMs = this.#compareAtMs(scopes) - clock.monotonicMs();
    if (remainingMs > 0) return remainingMs;
    this.#changedKeys = new Set();
    const suspectKeys = await this.#differences(scopes, signal);
    this.#comparedAtMs = clock.monotonicMs();
    this.#waitMs = this.#nextWaitMs();
    this.#isInDoubt = false;
    logger.debug('compared the store with a list', { resource, differenceCount: suspectKeys.length });
    this.#next = () => Promise.resolve(this.#relist(suspectKeys));
    return settleMs;
  }

  /** Lists again when something differs that has not changed since. */
  #relist(suspectKeys: readonly string[]): number {
    const unchangedKeys = suspectKeys.filter((key) => this.#changedKeys?.has(key) !== true);
    if (unchangedKeys.length === 0) return this.#startOver();
    this.#changedKeys = new Set();
    for (const scope of this.#scopes) scope.relist();
    this.#next = () => Promise.resolve(this.#count(unchangedKeys));
    return settleMs;
  }

  #count(suspectKeys: readonly string[]): number {
    const { collection, observer, logger } = this.#options;
    const { resource } = collection;
    const lostKeys = suspectKeys.filter((key) => this.#changedKeys?.has(key) === true);
    const [example, objectCount] = [lostKeys[0], lostKeys.length];
    if (example !== undefined) {
      observer.driftFound(resource, objectCount);
      logger.warn('the store differed from the API server: a list has corrected it', {
        resource,
        objectCount,
        example,
      });
    }
    return this.#startOver();
  }

  /** A namespace that may not be listed has nothing to compare. */
  get #scopes(): readonly Reflector<T>[] {
    return this.#options.scopes().filter(({ isSynced }) => isSynced);
  }

  #compareAtMs(scopes: readonly Reflector<T>[]): number {
    const listedAtMs = Math.min(...scopes.map((scope) => scope.listedAtMs));
    if (this.#comparedAtMs === -Infinity) return listedAtMs + settleMs;
    if (this.#isInDoubt && listedAtMs > this.#comparedAtMs) return this.#comparedAtMs + retryMs;
    return Math.max(this.#comparedAtMs, listedAtMs) + this.#waitMs;
  }

  /** Throws the last error when no scope can be listed. */
  async #differences(scopes: readonly Reflector<T>[], signal: AbortSignal): Promise<readonly string[]> {
    const { clock, collection } = this.#options;
    const error = (): RequestError =>
      new RequestError('timeout', `list of ${collection.resource}: not complete after 4 minutes`);
    using deadline = startDeadline({ clock, durationMs: listTimeoutMs, error, parent: signal });
    const found: Iterable<string>[] = [];
    const errors: RequestError[] = [];
    for (const scope of scopes) {
      try {
        found.push(await this.#differencesIn(scope, deadline.signal));
      } catch (error) {
        if (!(error instanceof RequestError) || deadline.signal.aborted) throw error;
        errors.push(error);
      }
    }
    const [first] = errors;
    if (first !== undefined && errors.length === scopes.length) throw first;
    return found.flatMap((keys) => [...keys]);
  }

  /** The keys of objects that only the list or only the store has, or that differ. */
  async #differencesIn(scope: Reflector<T>, signal: AbortSignal): Promise<Iterable<string>> {
    const { collection, objects, slicer } = this.#options;
    const { keyOf, namespaceOf, project } = collection;
    const [listedKeys, keys] = [new Set<string>(), new Set<string>()];
    await scope.listBeside((listed) => {
      const object = project(listed);
      if (object === undefined) return undefined;
      const key = keyOf(object);
      listedKeys.add(key);
      const known = objects.known(object);
      if (known === object) keys.add(key);
      return known;
    }, signal);
    await slicer.forEach(objects.values(), (object) => {
      const isInScope = scope.namespace === '' || namespaceOf(object) === scope.namespace;
      if (isInScope && !listedKeys.has(keyOf(object))) keys.add(keyOf(object));
    });
    return keys;
  }

  #failed(error: RequestError): number {
    const { clock, collection, logger } = this.#options;
    this.#notBeforeMs = clock.monotonicMs() + retryMs;
    logger.debug('did not compare the store', { resource: collection.resource, error: messageOf(error) });
    return retryMs;
  }

  #startOver(): number {
    this.#changedKeys = undefined;
    this.#next = (signal) => this.#compare(signal);
    return settleMs;
  }

  #nextWaitMs(): number {
    return (periodMs / 2) * (1 + this.#options.random());
  }
}
