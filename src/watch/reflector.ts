import type { Clock } from '../base/clock.js';
import { type FailureReason, messageOf, RequestError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import type { ApiTransport } from '../http/api-client.js';
import { ApiError } from '../http/api-error.js';
import { type ListedObjects, listObjects } from './list-session.js';
import type { StoredObject, UpsertOutcome } from './object-store.js';
import { type Collection, collectionOf, type CollectionOptions, type Resource } from './resource-path.js';
import { type Pause, Retries } from './retries.js';
import { watchObjects, type WatchResult } from './watch-session.js';
import type { WatchEvent } from './watch-stream.js';

/** After so long without a list, an event or a bookmark the next attempt is a list. */
const maxSilenceMs = 600_000;
/** A stream that lived so long ends a run of failures, even without an event. */
const provenMs = 60_000;

export type ListResult = 'success' | 'expired' | FailureReason;

const eventTypeOf = { ADDED: 'added', MODIFIED: 'modified', DELETED: 'deleted', BOOKMARK: 'bookmark' } as const;
export type EventType = (typeof eventTypeOf)[keyof typeof eventTypeOf];
export const eventTypes: readonly EventType[] = Object.values(eventTypeOf);

/** Gets everything that is worth counting. `scope` is the namespace, or '' for all. */
export interface ReflectorObserver {
  listFinished(resource: Resource, result: ListResult): void;
  watchEnded(resource: Resource, result: WatchResult): void;
  eventApplied(resource: Resource, type: EventType): void;
  updateSuppressed(resource: Resource): void;
  resourceVersionExpired(resource: Resource): void;
  watchConnected(resource: Resource, scope: string, isConnected: boolean): void;
  /** `atMs`: wall time of the last list, event or bookmark, in milliseconds. */
  progressed(resource: Resource, scope: string, atMs: number): void;
}

interface ReflectorStore<T> {
  keyOf(object: T): string;
  replace(objects: readonly T[], isInScope?: (object: T) => boolean): void;
  upsert(object: T): UpsertOutcome;
  remove(key: string, uid: string, finalState?: T): boolean;
}

export interface ReflectorOptions<T> extends CollectionOptions {
  readonly api: ApiTransport;
  readonly store: ReflectorStore<T>;
  /** Which objects of the store a list could contain; all of them without it. For several reflectors with one store. */
  readonly isInScope?: (object: T) => boolean;
  /**
   * Undefined for an object that is not to be kept, or not yet. One that is kept must stay so: only its deletion, or a
   * list without it, removes it. Throws for one that it cannot read.
   */
  readonly project: (object: unknown) => T | undefined;
  readonly clock: Clock;
  /** From 0 to 1, 1 excluded. */
  readonly random: () => number;
  readonly logger: Logger;
  readonly observer: ReflectorObserver;
}

interface FollowUp {
  readonly next: 'watch' | 'list';
  readonly pause: Pause;
  readonly isFailure: boolean;
}

interface Failure {
  readonly reason: string;
  readonly error: unknown;
  readonly pause: Pause;
}

/**
 * What follows a watch. It goes on from the last event wherever nothing can have been lost. A list follows when the stream
 * cannot be trusted any more: what came after an event that was not understood must not be applied.
 */
const followUps: Readonly<Record<WatchResult, FollowUp>> = {
  end: { next: 'watch', pause: 'prompt', isFailure: false },
  deadline: { next: 'watch', pause: 'prompt', isFailure: false },
  idle: { next: 'watch', pause: 'prompt', isFailure: false },
  short: { next: 'watch', pause: 'backoff', isFailure: true },
  reset: { next: 'watch', pause: 'backoff', isFailure: true },
  // At once, as the first back-off is short; not for ever, should the server know no version that it lists.
  expired: { next: 'list', pause: 'backoff', isFailure: false },
  error: { next: 'list', pause: 'backoff', isFailure: true },
  parse: { next: 'list', pause: 'backoff', isFailure: true },
  line_too_long: { next: 'list', pause: 'backoff', isFailure: true },
  connection: { next: 'watch', pause: 'backoff', isFailure: true },
  throttled: { next: 'watch', pause: 'backoff', isFailure: true },
  unavailable: { next: 'watch', pause: 'backoff', isFailure: true },
  unauthorized: { next: 'watch', pause: 'long', isFailure: true },
  forbidden: { next: 'watch', pause: 'long', isFailure: true },
  rejected: { next: 'list', pause: 'backoff', isFailure: true },
};

/**
 * Keeps a store equal to a collection of the API server: lists it, then watches it from where the list ended, for ever.
 * What it knows stays in the store however long the API server is away.
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes
 */
export class Reflector<T extends StoredObject> {
  readonly #options: ReflectorOptions<T>;
  readonly #collection: Collection;
  readonly #scope: string;
  readonly #retries: Retries;
  #running: Promise<void> | undefined;
  #hasSynced = false;
  /** Of the last list, event or bookmark that was applied; opaque. */
  #resourceVersion = '0';
  #next: 'watch' | 'list' = 'list';
  /** Monotonic time of the last list, event or bookmark. */
  #progressedAtMs = 0;

  constructor(options: ReflectorOptions<T>) {
    const { resource, namespace, logger, random } = options;
    this.#options = options;
    this.#collection = collectionOf(options);
    this.#scope = namespace ?? '';
    this.#retries = new Retries({ logger, random, fields: { resource, namespace } });
  }

  /** The store has held a complete list once. Never false again. */
  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  /** Undefined while all is well. */
  get lastError(): string | undefined {
    return this.#retries.lastError;
  }

  /**
   * Never rejects, and does not end before the signal. While it runs, further calls return the same promise and their
   * signals are not heard. Run again later, it goes on where it stopped.
   */
  run(signal: AbortSignal): Promise<void> {
    this.#running ??= this.#loop(signal).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #loop(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const pauseMs = await this.#attempt(signal).catch((error: unknown) =>
        signal.aborted ? 0 : this.#faulted(error),
      );
      // Rejects only with the signal's reason.
      if (pauseMs > 0) await this.#options.clock.sleep(pauseMs, signal).catch(() => undefined);
    }
  }

  /**
   * Gives the time to wait before the next attempt, in milliseconds. A long silence calls for a list, whatever the watches
   * make of it: a watch from a version that the server has yet to reach (its etcd was restored from a backup) stays silent,
   * and some proxies let no watch through.
   */
  async #attempt(signal: AbortSignal): Promise<number> {
    const silentMs = this.#options.clock.monotonicMs() - this.#progressedAtMs;
    return this.#next === 'list' || silentMs >= maxSilenceMs ? this.#list(signal) : this.#watch(signal);
  }

  async #list(signal: AbortSignal): Promise<number> {
    const { resource, observer } = this.#options;
    this.#setConnected(false);
    const onExpired = (): void => {
      observer.resourceVersionExpired(resource);
    };
    const options = { ...this.#options, collection: this.#collection, onExpired };
    let listed: ListedObjects<T>;
    try {
      listed = await listObjects(options, this.#resourceVersion, signal);
    } catch (error) {
      if (signal.aborted || !(error instanceof RequestError)) throw error;
      return this.#listFailed(error);
    }
    this.#applyList(listed);
    return 0;
  }

  #listFailed(error: RequestError): number {
    const { resource, observer } = this.#options;
    const isRefused = error.reason === 'unauthorized' || error.reason === 'forbidden';
    const reason = error instanceof ApiError && error.isExpired ? 'expired' : error.reason;
    observer.listFinished(resource, reason);
    return this.#failed('list failed', { reason, error, pause: isRefused ? 'long' : 'backoff' });
  }

  #applyList({ objects, unreadable, resourceVersion }: ListedObjects<T>): void {
    const { resource, store, isInScope, observer, logger } = this.#options;
    if (unreadable.length > 0) {
      const fields = { resource, path: this.#collection.path, count: unreadable.length, error: unreadable[0] };
      logger.warn('left unreadable objects out of the list', fields);
    }
    this.#change(() => {
      store.replace(objects, isInScope);
    });
    this.#advance(resourceVersion);
    this.#next = 'watch';
    this.#hasSynced = true;
    this.#retries.worked();
    observer.listFinished(resource, 'success');
    logger.debug('listed', { resource, path: this.#collection.path, count: objects.length, resourceVersion });
  }

  async #watch(signal: AbortSignal): Promise<number> {
    const { resource, observer, random, logger } = this.#options;
    const end = await watchObjects(
      {
        ...this.#options,
        collection: this.#collection,
        resourceVersion: this.#resourceVersion,
        // Spread, lest all clients of a server that restarted come back together from then on.
        timeoutSeconds: 300 + Math.floor(301 * random()),
        onConnected: () => {
          this.#setConnected(true);
        },
        onEvent: (event) => {
          this.#apply(event);
        },
      },
      signal,
    ).finally(() => {
      this.#setConnected(false);
    });
    observer.watchEnded(resource, end.result);
    if (end.result === 'expired') observer.resourceVersionExpired(resource);
    if (end.connectedMs >= provenMs) this.#retries.recovered();
    const { next, pause, isFailure } = followUps[end.result];
    this.#next = next;
    const { result: reason, error = 'the server ended it at once' } = end;
    if (isFailure) return this.#failed('watch failed', { reason, error, pause });
    logger.debug('watch ended', { resource, path: this.#collection.path, reason });
    return this.#retries.pauseMs(pause);
  }

  #apply({ type, object, resourceVersion }: WatchEvent): void {
    const { resource, observer } = this.#options;
    if (type === 'DELETED') this.#applyDeletion(object);
    else if (type !== 'BOOKMARK') this.#applyState(object);
    this.#advance(resourceVersion);
    this.#retries.recovered();
    observer.eventApplied(resource, eventTypeOf[type]);
  }

  #applyState(object: unknown): void {
    const { resource, project, store, observer, logger } = this.#options;
    let projected: T | undefined;
    try {
      projected = project(object);
    } catch (error) {
      // The resource version moves on all the same: the object is not lost, and would read no better a second time.
      logger.warn('left out an unreadable object', { resource, path: this.#collection.path, error: messageOf(error) });
      return;
    }
    const outcome = projected === undefined ? 'suppressed' : this.#change(() => store.upsert(projected));
    if (outcome === 'suppressed') observer.updateSuppressed(resource);
  }

  /** An unreadable one ends the watch: only a list can tell which object is gone. */
  #applyDeletion(object: unknown): void {
    const { project, store } = this.#options;
    let finalState: T | undefined;
    try {
      finalState = project(object);
    } catch (error) {
      throw new RequestError('decode', `unreadable deleted object: ${messageOf(error)}`, { cause: error });
    }
    if (finalState === undefined) return;
    const { uid } = finalState;
    this.#change(() => store.remove(store.keyOf(finalState), uid, finalState));
  }

  /** Whatever the subscribers to a change throw, the store has taken it. */
  #change<R>(step: () => R): R | undefined {
    try {
      return step();
    } catch (error) {
      const { resource, logger } = this.#options;
      logger.error('a subscriber to changes of the store failed', { resource, error: messageOf(error) });
      return undefined;
    }
  }

  #advance(resourceVersion: string): void {
    const { resource, clock, observer } = this.#options;
    this.#resourceVersion = resourceVersion;
    this.#progressedAtMs = clock.monotonicMs();
    observer.progressed(resource, this.#scope, clock.nowMs());
  }

  #setConnected(isConnected: boolean): void {
    const { resource, observer } = this.#options;
    observer.watchConnected(resource, this.#scope, isConnected);
  }

  #failed(what: string, { reason, error, pause }: Failure): number {
    const retryAfterMs = error instanceof ApiError ? error.retryAfterMs : undefined;
    const pauseMs = this.#retries.pauseMs(pause, retryAfterMs);
    this.#retries.failed(what, error, { reason, retryInMs: Math.round(pauseMs) });
    return pauseMs;
  }

  /** A fault of ours, an observer's for one, ends an attempt and not the reflector. */
  #faulted(error: unknown): number {
    this.#next = 'list';
    return this.#failed('reflector failed', { reason: 'fault', error, pause: 'backoff' });
  }
}
