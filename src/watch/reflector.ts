import { LinkedAbort } from '../base/abortable.js';
import { type Instant, instantOf } from '../base/clock.js';
import { RequestError } from '../base/errors.js';
import { singleFlight } from '../base/memo.js';
import { ApiError } from '../http/api-error.js';
import { listConfirmed } from './confirmed-list.js';
import { FirstList } from './first-list.js';
import { followUpOf, isAway } from './follow-ups.js';
import { isRefused, type ListedObjects, listFailure, listObjects, type ListSessionOptions } from './list-session.js';
import type { StoredObject } from './object-store.js';
import { eventTypeOf, type ReflectorObserver } from './reflector-observer.js';
import { collectionOf, type ObjectCollection, type ObjectCollectionOptions, type Resource } from './resource-path.js';
import { type AttemptFailure, type FailedAttempt, Retries } from './retries.js';
import type { ScopeState } from './store-state.js';
import { StoreWriter, type StoreWriterOptions } from './store-writer.js';
import { pollAfterMs, pollingText, stableAfterMs, type WatchMode } from './watch-mode.js';
import { endText, type WatchEnd, watchObjects } from './watch-session.js';
import type { WatchEvent } from './watch-stream.js';

/** After this time without a list, an event or a bookmark, the next attempt is a list. */
const maxSilenceMs = 600_000;

/** So many lists in a row are refused as invalid before the known version is dropped. */
const maxRefusedCount = 3;

type ListingOptions<T> = Pick<ListSessionOptions<T>, 'api' | 'clock' | 'precedence'>;

export interface ReflectorOptions<T extends StoredObject>
  extends ObjectCollectionOptions, StoreWriterOptions<T>, ListingOptions<T> {
  /** From 0 to 1, 1 excluded. */
  readonly random: () => number;
  readonly observer: ReflectorObserver;
}

/**
 * Keeps a store equal to a collection of the API server, in all namespaces or in one: lists it, then watches it from where the
 * list ended, until the signal aborts. The store keeps its objects while the API server is unavailable, for any time.
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes
 */
export class Reflector<T extends StoredObject> implements ScopeState {
  readonly resource: Resource;
  readonly namespace: string;
  readonly name: string;
  readonly #options: ReflectorOptions<T>;
  readonly #collection: ObjectCollection;
  readonly #writer: StoreWriter<T>;
  readonly #retries: Retries;
  readonly #flight: (start: () => Promise<void>) => Promise<void> = singleFlight();
  readonly firstList = new FirstList();
  #isServerAway = false;
  /** Of the last list, event or bookmark that was applied; opaque. */
  #resourceVersion = '0';
  #next: 'watch' | 'list' = 'list';
  /** Lists since the last success that the server has refused as invalid. */
  #refusedCount = 0;
  /** What is known is in doubt: the next attempt is a list of the newest state. */
  #isInDoubt = false;
  /** Undefined while there is no watch. */
  #watching: LinkedAbort | undefined;
  #lastProgress: Instant | undefined;
  #listedAtMs = -Infinity;
  /** Monotonic time of the headers of the watch; Infinity before. */
  #connectedAtMs = Infinity;
  /** As `maxSilenceMs`, while polling; another one after each list. */
  #pollAfterMs: number;

  constructor(options: ReflectorOptions<T>) {
    const { resource, namespace, logger, random, clock } = options;
    this.#options = options;
    this.resource = resource;
    this.namespace = namespace ?? '';
    this.name = namespace === undefined ? resource : `${resource} in ${namespace}`;
    this.#collection = collectionOf(options);
    this.#writer = new StoreWriter(options, this.#collection.path);
    this.#retries = new Retries({ logger, random, clock, fields: { resource, namespace } });
    this.#pollAfterMs = pollAfterMs(random);
  }

  /** The store has contained a complete list once. Never false again. */
  get isSynced(): boolean {
    return this.#listedAtMs > -Infinity;
  }

  get isConnected(): boolean {
    return this.#watching !== undefined && this.#connectedAtMs < Infinity;
  }

  get lastProgress(): Instant | undefined {
    return this.#lastProgress;
  }

  /** Monotonic time of the last list that the store has taken over, in milliseconds; -Infinity before the first one. */
  get listedAtMs(): number {
    return this.#listedAtMs;
  }

  /** The last list or watch failed because the server could not be reached, or was not able to respond. */
  get isServerAway(): boolean {
    return this.#isServerAway;
  }

  get mode(): WatchMode {
    return this.#retries.mode;
  }

  /** Undefined while the last attempt has not failed. */
  get lastFailure(): AttemptFailure | undefined {
    return this.#retries.lastFailure;
  }

  /**
   * Never rejects, and does not end before the signal. While it runs, further calls return the same promise and ignore
   * their signals. A later run continues where the last one stopped.
   */
  run(signal: AbortSignal): Promise<void> {
    return this.#flight(() => this.#loop(signal));
  }

  /**
   * Lists the newest state at the next attempt, once; a watch ends for it. If that fails, what is known stays, and so does
   * where the watch continues.
   */
  relist(): void {
    this.#isInDoubt = true;
    this.#watching?.abort(new Error('what is known is in doubt'));
  }

  /**
   * A list beside the watch, no older than what is known; the store stays as it is. Throws RequestError, or the signal's
   * reason.
   */
  async listBeside(project: (object: unknown) => T | undefined, signal: AbortSignal): Promise<void> {
    const { resource, observer } = this.#options;
    const options = { ...this.#listOptions(), project };
    try {
      await listObjects(options, this.#resourceVersion, signal);
    } catch (error) {
      if (error instanceof RequestError) observer.listFinished(resource, listFailure(error));
      throw error;
    }
    observer.listFinished(resource, 'success');
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
   * Returns the time to wait before the next attempt, in milliseconds. A long silence causes a list, however the watches
   * end: a watch from a version that the server has yet to reach (its etcd was restored from a backup) stays silent, and
   * some proxies block watches.
   */
  async #attempt(signal: AbortSignal): Promise<number> {
    const isListNext = this.#isInDoubt || this.#next === 'list' || this.#listDueInMs() <= 0;
    return isListNext ? this.#list(signal) : this.#watch(signal);
  }

  /** Until the silence causes a list. */
  #listDueInMs(): number {
    const limitMs = this.mode === 'polling' ? this.#pollAfterMs : maxSilenceMs;
    return (this.#lastProgress?.monotonicMs ?? 0) + limitMs - this.#options.clock.monotonicMs();
  }

  async #list(signal: AbortSignal): Promise<number> {
    const { project, compare } = this.#writer;
    const options = { ...this.#listOptions(), project, compare, expectsObjects: this.#options.resource === 'nodes' };
    // The server may have another storage than before, in which the version means nothing.
    const asksNewest = this.#isInDoubt || this.#refusedCount >= maxRefusedCount;
    // One attempt: a watch that works continues when it fails.
    this.#isInDoubt = false;
    const resourceVersion = asksNewest ? '' : this.#resourceVersion;
    let listed: ListedObjects<T>;
    try {
      listed = await listConfirmed(options, resourceVersion, signal);
    } catch (error) {
      if (signal.aborted || !(error instanceof RequestError)) throw error;
      return this.#listFailed(error);
    }
    await this.#applyList(listed);
    return this.#resourceVersion === '0' ? this.#listAgain() : 0;
  }

  #listOptions() {
    const onExpired = (): void => {
      this.#options.observer.resourceVersionExpired(this.resource);
    };
    return { ...this.#options, collection: this.#collection, onExpired };
  }

  #listFailed(error: RequestError): number {
    const { resource, observer } = this.#options;
    const reason = listFailure(error);
    observer.listFinished(resource, reason);
    if (error instanceof ApiError && error.isInvalidRequest) this.#refusedCount += 1;
    const pauseMs = this.#failed('list failed', { reason, error, pause: isRefused(error) ? 'refused' : 'backoff' });
    this.firstList.failed(error);
    return pauseMs;
  }

  /** A watch from version 0 would begin with events for all objects: the server must be asked for lists instead. */
  #listAgain(): number {
    this.#next = 'list';
    const error = 'the resource version of the list is 0, from which no watch can continue';
    return this.#failed('watch not possible', { reason: 'rejected', error, pause: 'backoff' });
  }

  async #applyList(listed: ListedObjects<T>): Promise<void> {
    const { resource, observer, logger, random } = this.#options;
    const { objects, resourceVersion } = listed;
    this.#pollAfterMs = pollAfterMs(random);
    await this.#writer.replace(listed, !this.isSynced);
    this.#listedAtMs = this.#advance(resourceVersion).monotonicMs;
    this.#next = 'watch';
    this.#refusedCount = 0;
    this.#isServerAway = false;
    this.firstList.succeeded();
    this.#retries.worked();
    observer.listFinished(resource, 'success');
    logger.debug('listed', { resource, path: this.#collection.path, count: objects.length, resourceVersion });
  }

  async #watch(signal: AbortSignal): Promise<number> {
    using watching = new LinkedAbort(signal);
    const ended = new AbortController();
    this.#watching = watching;
    this.#connectedAtMs = Infinity;
    this.#endWhenListIsDue(watching, ended.signal).catch(() => undefined); // the watch has ended
    try {
      return this.#watchEnded(await this.#follow(watching.signal));
    } catch (error) {
      if (signal.aborted || !watching.signal.aborted) throw error;
      return 0;
    } finally {
      ended.abort();
      this.#watching = undefined;
    }
  }

  /** While polling, a watch makes way for the list that is due, unless it has lived for a minute. */
  async #endWhenListIsDue(watching: LinkedAbort, ended: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    while (this.mode === 'polling' && !watching.signal.aborted) {
      const dueInMs = this.#listDueInMs();
      if (dueInMs > 0) await clock.sleep(dueInMs, ended);
      else if (clock.monotonicMs() - this.#connectedAtMs >= stableAfterMs) this.#retries.recovered();
      else watching.abort(new Error('a list is due'));
    }
  }

  async #follow(signal: AbortSignal): Promise<WatchEnd> {
    return watchObjects(
      {
        ...this.#options,
        collection: this.#collection,
        resourceVersion: this.#resourceVersion,
        // Random, so that the clients of a server that restarted do not reconnect together from then on.
        timeoutSeconds: 300 + Math.floor(301 * this.#options.random()),
        onConnected: () => {
          this.#isServerAway = false;
          this.#connectedAtMs = this.#options.clock.monotonicMs();
        },
        onOtherKind: (kind) => {
          this.#writer.skip(kind);
        },
        onEvent: (event) => {
          this.#apply(event);
        },
      },
      signal,
    );
  }

  #watchEnded(end: WatchEnd): number {
    const { resource, observer, logger, clock } = this.#options;
    observer.watchEnded(resource, end.result);
    if (end.result === 'expired') observer.resourceVersionExpired(resource);
    const isNews = this.#retries.watchEnded(end, clock.monotonicMs());
    const { next, pause, isFailure, isOfWatch } = followUpOf(end.result, this.mode === 'polling');
    this.#next = next;
    const { result: reason, error = endText(end) } = end;
    if (isFailure) {
      const what = isNews ? pollingText(reason) : 'watch failed';
      return this.#failed(what, { reason, error, pause, isNews, isOfWatch });
    }
    logger.debug('watch ended', { resource, path: this.#collection.path, reason });
    return this.#retries.pauseMs(pause);
  }

  #apply(event: WatchEvent): void {
    this.#writer.apply(event);
    const { monotonicMs } = this.#advance(event.resourceVersion);
    this.#retries.worked();
    if (monotonicMs - this.#connectedAtMs >= stableAfterMs) this.#retries.recovered();
    this.#options.observer.eventApplied(this.resource, eventTypeOf[event.type]);
  }

  /** Returns the time of the progress. */
  #advance(resourceVersion: string): Instant {
    this.#resourceVersion = resourceVersion;
    this.#lastProgress = instantOf(this.#options.clock);
    return this.#lastProgress;
  }

  #failed(what: string, failure: FailedAttempt): number {
    const isPolling = this.mode === 'polling';
    this.#isServerAway = failure.pause !== 'refused' && isAway(failure.reason, isPolling);
    const nextList =
      isPolling && failure.isOfWatch === true ? { next: this.#next, inMs: this.#listDueInMs() } : undefined;
    return this.#retries.failed(what, failure, nextList);
  }

  /** An unexpected error, such as one of an observer, ends the attempt and not the reflector. */
  #faulted(error: unknown): number {
    this.#next = 'list';
    return this.#failed('reflector failed', { reason: 'fault', error, pause: 'backoff' });
  }
}
