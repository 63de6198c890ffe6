import { LinkedAbort } from '../../lib/base/abortable.js';
import { nextDelayMs, withJitter } from '../../lib/base/backoff.js';
import { type Instant, instantOf } from '../../lib/base/clock.js';
import { RequestError } from '../../lib/base/errors.js';
import type { StoredObject } from '../kube/objects.js';
import { FirstList, isRefused, type ListedObjects, listFailure } from './list-session.js';
import {
  checkAfterMs,
  isAway,
  nextStepAfter,
  pollAfterMs,
  pollingText,
  stableAfterMs,
  type WatchMode,
} from './next-step.js';
import { collectionOf, type ObjectCollection, type ObjectCollectionOptions, type Resource } from './resource-path.js';
import { type AttemptFailure, type FailedAttempt, Retries } from './retries.js';
import { StoreWriter, type StoreWriterOptions } from './store-writer.js';
import { eventTypeOf } from './watch-observer.js';
import { endText, type WatchEnd, watchObjects } from './watch-session.js';
import type { WatchEvent } from './watch-stream.js';

/** After this time without a list, an event or a bookmark, the next attempt is a list. */
const maxSilenceMs = 600_000;

/** After a check that failed: the API server may be busy, and nothing about a check is urgent. */
const checkPauseMs = 600_000;

/** A list is not doubted before summaries from before it have been replaced. */
const settleMs = 60_000;

/** Kubelets may never clean up, and a static pod that the API server refuses is never known: a list does not help then. */
const [shortestDoubtMs, longestDoubtMs] = [600_000, 14_400_000];

export interface ReflectorOptions<T extends StoredObject> extends ObjectCollectionOptions, StoreWriterOptions<T> {
  /** From 0 to 1, 1 excluded. */
  readonly random: () => number;
}

/**
 * Keeps a store equal to a collection of the API server, in all namespaces or in one: lists it, then watches it from where the
 * list ended, until the signal aborts. The store keeps its objects while the API server is unavailable, for any time.
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes
 */
export class Reflector<T extends StoredObject> {
  readonly resource: Resource;
  /** '' for all namespaces. */
  readonly namespace: string;
  /** `nodes`, `pods` or `pods in NAMESPACE`. */
  readonly name: string;
  readonly #options: ReflectorOptions<T>;
  readonly #collection: ObjectCollection;
  readonly #writer: StoreWriter<T>;
  readonly #retries: Retries;
  readonly firstList = new FirstList();
  #isServerAway = false;
  /** Of the last list, event or bookmark that was applied; opaque. */
  #resourceVersion = '0';
  #next: 'watch' | 'list' = 'list';
  /** Undefined while there is no watch. */
  #watching: LinkedAbort | undefined;
  #lastProgress: Instant | undefined;
  #listedAtMs = -Infinity;
  /** When the next end of a watch is followed by a check. */
  #checkAtMs = Infinity;
  #doubtedAtMs = -Infinity;
  #doubtNotBeforeMs = -Infinity;
  /** From the next doubt to the one after it, before its random part. */
  #doubtPauseMs = shortestDoubtMs;
  #isFirstList = true;
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
    this.#writer = new StoreWriter(options, this.#collection);
    this.#retries = new Retries({ logger, random, clock, fields: { resource, namespace } });
    this.#pollAfterMs = pollAfterMs(random);
  }

  /** Whether the store has contained a complete list. Never false again. */
  get isSynced(): boolean {
    return this.#listedAtMs > -Infinity;
  }

  get isConnected(): boolean {
    return this.#watching !== undefined && this.#connectedAtMs < Infinity;
  }

  /** Of the last list, event or bookmark; undefined before the first list. */
  get lastProgress(): Instant | undefined {
    return this.#lastProgress;
  }

  /** Whether the last list or watch failed because the server could not be reached, or was not able to respond. */
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

  /** To be called once. Never rejects, and does not end before the signal. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const delayMs = await this.#attempt(signal).catch((error: unknown) =>
        signal.aborted ? 0 : this.#faulted(error),
      );
      // Rejects only with the signal's reason.
      if (delayMs > 0) await this.#options.clock.sleep(delayMs, signal).catch(() => undefined);
    }
  }

  /** Lists at the next attempt; a watch ends for it, and goes on where it was. If the list fails, what is known stays. */
  check(): void {
    this.#checkAtMs = this.#options.clock.monotonicMs();
    this.#watching?.abort(new Error('what is known may be wrong'));
  }

  /**
   * To be called at each scrape. Checks the store while something contradicts it (`isContradicted`): not before a
   * minute after a list, then after 5 to 10 minutes, and while that does not help after longer and longer pauses, up to 4 hours. The
   * first list is checked in any case: a server that has just started may have served half of it.
   */
  doubt(isContradicted: boolean): void {
    const { clock, random, logger } = this.#options;
    const nowMs = clock.monotonicMs();
    // Without a watch, a list follows anyway.
    const isDue = this.isConnected && nowMs >= Math.max(this.#doubtNotBeforeMs, this.#listedAtMs + settleMs);
    if (!isDue || !(isContradicted || this.#isFirstList)) return;
    logger.debug('what is known is checked', { resource: this.resource, path: this.#collection.path, isContradicted });
    this.#isFirstList = false;
    this.check();
    if (!isContradicted) return;
    this.#doubtedAtMs = nowMs;
    this.#doubtNotBeforeMs = nowMs + withJitter(this.#doubtPauseMs, random);
    this.#doubtPauseMs = nextDelayMs(this.#doubtPauseMs, longestDoubtMs);
  }

  /**
   * Returns the time to wait before the next attempt, in milliseconds. A long silence causes a list, however the watches
   * end: a watch from a version that the server has yet to reach (its etcd was restored from a backup) stays silent, and
   * some proxies block watches. A list in place of a watch that could go on is a check: see {@link StoreWriter.list}. One
   * follows the first watch that ends 30 to 50 minutes after the last list.
   */
  async #attempt(signal: AbortSignal): Promise<number> {
    const canWatch = this.#next === 'watch' && this.#listDueInMs() > 0;
    const isDue = this.#options.clock.monotonicMs() >= this.#checkAtMs;
    return canWatch && !isDue ? this.#watch(signal) : this.#list(signal, canWatch);
  }

  /** Returns the time until the silence causes a list. */
  #listDueInMs(): number {
    const limitMs = this.mode === 'polling' ? this.#pollAfterMs : maxSilenceMs;
    return (this.#lastProgress?.monotonicMs ?? 0) + limitMs - this.#options.clock.monotonicMs();
  }

  async #list(signal: AbortSignal, isCheck: boolean): Promise<number> {
    if (isCheck) this.#checkAtMs = this.#options.clock.monotonicMs() + checkPauseMs;
    try {
      const check = this.#doubtedAtMs > this.#listedAtMs ? 'contradicted' : 'due';
      const purpose = { isInitial: !this.isSynced, check: isCheck ? check : undefined } as const;
      const listed = await this.#writer.list(this.#resourceVersion, purpose, signal);
      this.#listed(listed, isCheck);
      if (!isCheck || listed.hasCorrected) {
        this.#doubtPauseMs = shortestDoubtMs;
        this.#doubtNotBeforeMs = this.#doubtedAtMs + shortestDoubtMs;
      }
    } catch (error) {
      if (signal.aborted || !(error instanceof RequestError)) throw error;
      return this.#listFailed(error);
    }
    return this.#resourceVersion === '0' ? this.#listAgain() : 0;
  }

  #listFailed(error: RequestError): number {
    const { resource, observer } = this.#options;
    const reason = listFailure(error);
    observer.listFinished(resource, reason);
    const delayMs = this.#failed('list failed', { reason, error, delay: isRefused(error) ? 'refused' : 'backoff' });
    this.firstList.failed(error);
    return delayMs;
  }

  /** Asks for lists instead of a watch: one from version 0 would begin with events for all objects. */
  #listAgain(): number {
    this.#next = 'list';
    const error = 'the resource version of the list is 0, from which no watch can continue';
    return this.#failed('watch not possible', { reason: 'rejected', error, delay: 'backoff' });
  }

  /** A check of the version that is known says nothing of what has happened since. */
  #listed({ objects, resourceVersion }: ListedObjects<T>, isCheck: boolean): void {
    const { resource, observer, logger, random, clock } = this.#options;
    this.#pollAfterMs = pollAfterMs(random);
    this.#listedAtMs = clock.monotonicMs();
    if (!isCheck || resourceVersion !== this.#resourceVersion) this.#advance(resourceVersion);
    this.#checkAtMs = this.#listedAtMs + checkAfterMs(random);
    this.#next = 'watch';
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

  #follow(signal: AbortSignal): Promise<WatchEnd> {
    const session = {
      ...this.#options,
      collection: this.#collection,
      resourceVersion: this.#resourceVersion,
      // Random, so that the clients of a server that restarted do not reconnect together from then on.
      timeoutSeconds: 300 + Math.floor(301 * this.#options.random()),
      onConnected: () => {
        this.#isServerAway = false;
        this.#connectedAtMs = this.#options.clock.monotonicMs();
      },
      onOtherKind: (kind: string) => {
        this.#writer.skip(kind);
      },
      onEvent: (event: WatchEvent) => {
        this.#apply(event);
      },
    };
    return watchObjects(session, signal);
  }

  #watchEnded(end: WatchEnd): number {
    const { resource, observer, logger, clock } = this.#options;
    observer.watchEnded(resource, end.result);
    if (end.result === 'expired') observer.resourceVersionExpired(resource);
    const isNews = this.#retries.watchEnded(end, clock.monotonicMs());
    const { next, delay, isFailure, isOfWatch } = nextStepAfter(end.result, this.mode === 'polling');
    this.#next = next;
    const { result: reason, error = endText(end) } = end;
    if (isFailure) {
      const what = isNews ? pollingText(reason) : 'watch failed';
      return this.#failed(what, { reason, error, delay, isNews, isOfWatch });
    }
    logger.debug('watch ended', { resource, path: this.#collection.path, reason });
    return this.#retries.delayMs(delay);
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
    this.#isServerAway = failure.delay !== 'refused' && isAway(failure.reason, isPolling);
    const nextList =
      isPolling && failure.isOfWatch === true ? { next: this.#next, inMs: this.#listDueInMs() } : undefined;
    return this.#retries.failed(what, failure, nextList);
  }

  /** An unexpected error, such as one of an observer, ends the attempt and not the reflector. */
  #faulted(error: unknown): number {
    this.#next = 'list';
    return this.#failed('reflector failed', { reason: 'fault', error, delay: 'backoff' });
  }
}
