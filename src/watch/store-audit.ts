import { nextDelayMs, withJitter } from '../base/backoff.js';
import { type Clock, startDeadline } from '../base/clock.js';
import { messageOf, RequestError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import type { Lane } from '../base/scheduler.js';
import type { ListedObjects } from './list-session.js';
import type { ListDifference, ObjectStore, StoreChange, StoredObject } from './object-store.js';
import type { Resource } from './resource-path.js';
import type { WatchObserver } from './watch-observer.js';
import type { WatchedCollection } from './watched-collection.js';

/** A full list is that rare. Half of it is random, so that exporters which started together do not list together. */
const periodMs = 3_600_000;

/** By then a watch has delivered what happened before the list, and summaries from before a deletion have been replaced. */
const settleMs = 60_000;

/** Between two comparisons at least: the API server may be busy, and nothing about a check is urgent. */
const retryMs = 600_000;

/** Kubelets may never clean up, and a static pod that the API server refuses is never known: a list does not help then. */
const longestPauseMs = 4 * 3_600_000;

/** Less than the time after which a task counts as stuck. */
const listTimeoutMs = 240_000;

/** So many may disappear at once, as those of a namespace or a node; so many pods may wait to be cleaned up. */
const manyCount = 20;

/** Pods that are in the store, or whose nodes are, and pods of which that is not so. */
export interface KnownPodCounts {
  readonly knownCount: number;
  readonly unknownCount: number;
}

/** A list and watch that writes to the store. */
interface AuditedScope {
  readonly isSynced: boolean;
  readonly isConnected: boolean;
  readonly listedAtMs: number;
  relist(): void;
  /** Lists beside the watch. Returns the keys of objects that only the list or only the store has, or that differ. */
  differences(signal: AbortSignal): Promise<Iterable<string>>;
}

const suspicions: Readonly<Record<Resource, string>> = {
  nodes: 'many pods run on nodes that are not known',
  pods: 'kubelets report many pods that are not known',
};

/**
 * Finds out that a store is wrong, whatever the cause: API servers have served empty or partial lists from caches that were not
 * yet filled, and proxies lose events. Each suspicion is settled by one more list of the newest state:
 *
 * - {@link confirmed}: a list would remove most objects.
 * - {@link compare}: many pods of kubelets have been unknown for a minute.
 * - {@link step}: a full list beside the watch differs from the store, and what differs has not changed for a minute. Store and
 *   list always differ by what happens meanwhile, which the watch delivers.
 */
export class StoreAudit<T extends StoredObject> {
  readonly #options;
  /** What is done at the next step. */
  #next: (signal: AbortSignal) => Promise<number> | number = (signal) => this.#compareWithList(signal);
  /** Infinity during a step. */
  #dueAtMs = -Infinity;
  #comparedAtMs = -Infinity;
  /** A suspicion does not shorten the pause after a list that failed. */
  #notBeforeMs = -Infinity;
  #waitMs = 0;
  /** Whether a pod has been unknown since the last comparison. */
  #isHastened = false;
  /** Keys of the objects that change while a comparison or its outcome is awaited; undefined at other times. */
  #changedKeys: Set<string> | undefined;
  /** Resolves when they contain all that has changed so far. */
  #noted: Promise<void> = Promise.resolve();
  /** Since when many pods have been unknown. */
  #suspectedSinceMs: number | undefined;
  #relistNotBeforeMs = -Infinity;
  /** The next one, before its random part. */
  #pauseMs = retryMs;

  constructor(options: {
    readonly collection: WatchedCollection<T>;
    readonly objects: ObjectStore<T>;
    readonly scopes: () => readonly AuditedScope[];
    readonly clock: Clock;
    /** From 0 to 1, 1 excluded. */
    readonly random: () => number;
    readonly logger: Logger;
    readonly observer: Pick<WatchObserver, 'driftFound'>;
    /** The turns in which the store is read. */
    readonly lane: Lane;
  }) {
    this.#options = options;
  }

  /**
   * Lists with `list`. A list without any object where some are known or expected (every cluster has a node), or one that would
   * remove more than 20 and more than half of them, is confirmed by a list of the newest state, which then counts.
   */
  async confirmed(
    list: (resourceVersion: string) => Promise<ListedObjects<T>>,
    resourceVersion: string,
    { path, isInScope }: { readonly path: string; readonly isInScope?: ((object: T) => boolean) | undefined },
  ): Promise<ListedObjects<T>> {
    const { collection, objects, logger } = this.#options;
    const expectsObjects = collection.resource === 'nodes';
    const listed = await list(resourceVersion);
    const difference = await objects.compare(listed.objects, isInScope);
    if (!removesTooMuch(listed, difference, expectsObjects)) return listed;
    const newest = await list('');
    const newestDifference = await objects.compare(newest.objects, isInScope);
    const message = removesTooMuch(newest, newestDifference, expectsObjects)
      ? 'most objects are gone, or there are none: a second list confirms it'
      : 'dropped a list without most of the objects: a second list has them';
    logger.warn(message, { path, ...difference });
    return newest;
  }

  /**
   * To be called more than once a minute while there are counts; no pod at all says nothing. Any unknown pod makes the next
   * step due 10 minutes after the last comparison, if there was a list since. While many are unknown for a minute, the store is
   * listed again: not within 5 to 10 minutes of the last time; while that does not help, after twice as long each time, up to
   * 4 hours.
   */
  compare(counts: KnownPodCounts): void {
    const { knownCount, unknownCount } = counts;
    if (unknownCount > 0) this.#hasten();
    if (knownCount + unknownCount === 0) return;
    if (areManyUnknown(counts)) this.#relistOnSuspicion(counts);
    else {
      this.#suspectedSinceMs = undefined;
      this.#pauseMs = retryMs;
    }
  }

  /** To be called after each step of the store. */
  changed(changes: readonly StoreChange<T>[]): void {
    const { collection, lane } = this.#options;
    const keys = this.#changedKeys;
    if (keys === undefined) return;
    this.#noted = lane.each(changes, ({ object }) => keys.add(collection.keyOf(object)));
  }

  /**
   * Takes the next step if it is due, and none while another one is being taken. Resolves with the time in milliseconds after
   * which to call again. Rejects with the signal's reason.
   */
  async step(signal: AbortSignal): Promise<number> {
    const { clock, collection, logger } = this.#options;
    if (this.#dueAtMs === Infinity) return settleMs;
    if (clock.monotonicMs() < this.#dueAtMs) return this.#dueAtMs - clock.monotonicMs();
    this.#dueAtMs = Infinity;
    let delayMs = -Infinity;
    try {
      await this.#noted;
      delayMs = await this.#next(signal);
    } catch (error) {
      this.#startOver();
      if (!(error instanceof RequestError) || signal.aborted) throw error;
      delayMs = retryMs;
      this.#notBeforeMs = clock.monotonicMs() + retryMs;
      logger.debug('did not compare the store', { resource: collection.resource, error: messageOf(error) });
    } finally {
      this.#dueAtMs = clock.monotonicMs() + delayMs;
    }
    return delayMs;
  }

  async #compareWithList(signal: AbortSignal): Promise<number> {
    const { clock, collection, logger, random } = this.#options;
    const scopes = this.#scopes.filter(({ isConnected }) => isConnected); // of the others, a list follows anyway
    if (scopes.length === 0) return settleMs;
    const remainingMs = this.#compareAtMs(scopes) - clock.monotonicMs();
    if (remainingMs > 0) return remainingMs;
    this.#changedKeys = new Set();
    const suspectKeys = await this.#differences(scopes, signal);
    this.#comparedAtMs = clock.monotonicMs();
    this.#waitMs = (periodMs / 2) * (1 + random());
    this.#isHastened = false;
    const fields = { resource: collection.resource, differenceCount: suspectKeys.length };
    logger.debug('compared the store with a list', fields);
    this.#next = () => this.#relist(suspectKeys);
    return settleMs;
  }

  #hasten(): void {
    if (this.#changedKeys !== undefined || this.#dueAtMs === Infinity) return;
    this.#isHastened = true;
    this.#dueAtMs = Math.min(this.#dueAtMs, this.#notBeforeMs);
  }

  #relistOnSuspicion(counts: KnownPodCounts): void {
    const { clock, collection, scopes, random, logger } = this.#options;
    const { resource } = collection;
    const nowMs = clock.monotonicMs();
    this.#suspectedSinceMs ??= nowMs;
    if (nowMs - this.#suspectedSinceMs < settleMs || nowMs < this.#relistNotBeforeMs) return;
    const log = this.#pauseMs === retryMs ? logger.warn : logger.debug;
    this.#relistNotBeforeMs = nowMs + withJitter(this.#pauseMs, random);
    this.#pauseMs = nextDelayMs(this.#pauseMs, longestPauseMs);
    log(`${suspicions[resource]}: ${resource} are listed again`, { ...counts });
    for (const scope of scopes()) scope.relist();
  }

  /** Lists again when something differs that has not changed since. */
  #relist(suspectKeys: readonly string[]): number {
    const unchangedKeys = suspectKeys.filter((key) => this.#changedKeys?.has(key) !== true);
    if (unchangedKeys.length === 0) return this.#startOver();
    this.#changedKeys = new Set();
    for (const scope of this.#scopes) scope.relist();
    this.#next = () => this.#count(unchangedKeys);
    return settleMs;
  }

  /** Counts what the list has corrected. */
  #count(suspectKeys: readonly string[]): number {
    const { collection, observer, logger } = this.#options;
    const lostKeys = suspectKeys.filter((key) => this.#changedKeys?.has(key) === true);
    const [example, objectCount] = [lostKeys[0], lostKeys.length];
    if (example === undefined) return this.#startOver();
    const fields = { resource: collection.resource, objectCount, example };
    observer.driftFound(fields.resource, objectCount);
    logger.warn('the store differed from the API server: a list has corrected it', fields);
    return this.#startOver();
  }

  /** A namespace that may not be listed has nothing to compare. */
  get #scopes(): readonly AuditedScope[] {
    return this.#options.scopes().filter(({ isSynced }) => isSynced);
  }

  #compareAtMs(scopes: readonly AuditedScope[]): number {
    const listedAtMs = Math.min(...scopes.map((scope) => scope.listedAtMs));
    if (this.#comparedAtMs === -Infinity) return listedAtMs + settleMs;
    if (this.#isHastened && listedAtMs > this.#comparedAtMs) return this.#comparedAtMs + retryMs;
    return Math.max(this.#comparedAtMs, listedAtMs) + this.#waitMs;
  }

  /** Returns the keys of what differs. Throws the first error when no scope can be listed. */
  async #differences(scopes: readonly AuditedScope[], signal: AbortSignal): Promise<readonly string[]> {
    const { clock, collection } = this.#options;
    const error = (): RequestError =>
      new RequestError('timeout', `list of ${collection.resource}: not complete after 4 minutes`);
    using deadline = startDeadline({ clock, durationMs: listTimeoutMs, error, parent: signal });
    const found: Iterable<string>[] = [];
    const errors: RequestError[] = [];
    for (const scope of scopes) {
      try {
        found.push(await scope.differences(deadline.signal));
      } catch (error) {
        if (!(error instanceof RequestError) || deadline.signal.aborted) throw error;
        errors.push(error);
      }
    }
    const [first] = errors;
    if (first !== undefined && errors.length === scopes.length) throw first;
    return found.flatMap((keys) => [...keys]);
  }

  #startOver(): number {
    this.#changedKeys = undefined;
    this.#next = (signal) => this.#compareWithList(signal);
    return settleMs;
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

function areManyUnknown({ knownCount, unknownCount }: KnownPodCounts): boolean {
  const ratio = unknownCount / (knownCount + unknownCount);
  return ratio > 0.5 || (unknownCount >= manyCount && ratio > 0.1);
}
