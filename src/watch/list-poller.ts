import { instantOf } from '../base/clock.js';
import { messageOf, RequestError } from '../base/errors.js';
import { FirstList } from './first-list.js';
import { checkedList, type ListedObjects, type SkippedObject } from './list-session.js';
import { readItems } from './list-stream.js';
import type { ObjectFeed, PolledSource } from './object-feed.js';
import type { ListDifference, StoredObject } from './object-store.js';
import type { ReflectorOptions } from './reflector.js';
import { collectionOf } from './resource-path.js';
import type { AttemptFailure } from './retries.js';
import { StoreWriter } from './store-writer.js';

/** A list that was slower than its pause is followed by one of these, in milliseconds. */
const minPauseMs = 100;

/** As of a summary: no real node has as many, and none is parsed for long. */
const maxObjectCount = 3_000;
const maxItemBytes = 2 * 1024 * 1024;

export interface ListPollerOptions<T> extends Pick<
  ReflectorOptions<T>,
  'resource' | 'store' | 'isInScope' | 'project' | 'logger' | 'observer' | 'clock'
> {
  readonly source: PolledSource;
  readonly keyOf: (object: T) => string;
}

/**
 * Keeps a store equal to what a {@link PolledSource} lists, until the signal aborts. The store keeps its objects while the
 * source fails, for any time.
 *
 * A list that lacks many known objects counts as a failure, `empty`: a kubelet that has just started knows its static pods
 * alone, and accepted at once it would let the others disappear although they run. The next list is accepted whatever it
 * lacks, unless the source may still be partial.
 */
export class ListPoller<T extends StoredObject> implements ObjectFeed {
  readonly firstList = new FirstList();
  /** The source is not the API server. */
  readonly isServerAway = false;
  readonly mode = 'kubelet';
  readonly #options: ListPollerOptions<T>;
  readonly #kind: string;
  readonly #writer: StoreWriter<T>;
  #running: Promise<void> | undefined;
  #hasSynced = false;
  #isShrinking = false;
  #lastFailure: AttemptFailure | undefined;

  constructor(options: ListPollerOptions<T>) {
    this.#options = options;
    this.#kind = `${collectionOf(options).kind}List`;
    this.#writer = new StoreWriter(options, options.source.what);
  }

  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  get lastFailure(): AttemptFailure | undefined {
    return this.#lastFailure;
  }

  run(signal: AbortSignal): Promise<void> {
    this.#running ??= this.#loop(signal).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Each list is of the newest state; none comes sooner for a doubt. */
  relist(): void {
    return undefined;
  }

  async #loop(signal: AbortSignal): Promise<void> {
    const { clock, source } = this.#options;
    while (!signal.aborted) {
      const startMs = clock.monotonicMs();
      const hasFailed = await this.#poll(signal);
      const restMs = startMs + source.pauseMs(hasFailed) - clock.monotonicMs();
      await clock.sleep(Math.max(restMs, minPauseMs), signal).catch(() => undefined); // the signal aborted
    }
  }

  /** Returns whether it has failed. */
  async #poll(signal: AbortSignal): Promise<boolean> {
    try {
      const { source } = this.#options;
      const listed = checkedList(await source.request((body) => this.#read(body), signal));
      this.#checkShrinking(await this.#writer.compare(listed.objects));
      await this.#writer.replace(listed, !this.#hasSynced);
      this.#succeeded();
      return false;
    } catch (error) {
      if (!signal.aborted) this.#failed(error);
      return true;
    }
  }

  async #read(body: AsyncIterable<Buffer>): Promise<ListedObjects<T>> {
    const { source, keyOf } = this.#options;
    const objects = new Map<string, T>();
    const skipped: SkippedObject[] = [];
    const add = (item: unknown): void => {
      const object = this.#writer.project(item);
      if (object === undefined) return;
      const key = keyOf(object);
      if (objects.has(key)) throw new RequestError('decode', `${key} is listed twice`);
      objects.set(key, object);
    };
    let itemCount = 0;
    await readItems(body, {
      kind: this.#kind,
      maxItemBytes,
      onItem: (listed) => {
        itemCount += 1;
        if (itemCount > maxObjectCount) throw tooMany(source);
        const item = source.translate(listed);
        try {
          add(item);
        } catch (error) {
          skipped.push({ reason: 'malformed', message: messageOf(error) });
        }
      },
      onOversizedItem: (message) => {
        skipped.push({ reason: 'too_large', message });
      },
    });
    // A kubelet lists in an order of its own at each request; another order would be rendered again.
    const sorted = [...objects].sort(([one], [other]) => (one < other ? -1 : 1));
    return { objects: sorted.map(([, object]) => object), skipped, itemCount, resourceVersion: '' };
  }

  /** More than a quarter at once: a node has few static pods, but some have few others. */
  #checkShrinking({ knownCount, missingCount }: ListDifference): void {
    const { source } = this.#options;
    const isSuspicious = missingCount > Math.max(1, knownCount / 4);
    const wasShrinking = this.#isShrinking;
    this.#isShrinking = isSuspicious;
    if (!isSuspicious || (wasShrinking && !source.mayBePartial())) return;
    const message = `${source.what}: ${missingCount} of ${knownCount} are no longer listed, and are kept`;
    throw new RequestError('empty', `${message}; expected for a short time after a restart of the kubelet`);
  }

  #succeeded(): void {
    const { resource, clock, logger, observer, source } = this.#options;
    if (this.#lastFailure !== undefined) logger.info('recovered', { resource, list: source.what });
    this.#hasSynced = true;
    this.#isShrinking = false;
    this.#lastFailure = undefined;
    this.firstList.succeeded();
    observer.watchConnected(resource, '', true);
    observer.progressed(resource, '', instantOf(clock));
  }

  /** One line for each change of the reason. */
  #failed(error: unknown): void {
    const { resource, logger, observer, source } = this.#options;
    const reason = error instanceof RequestError ? error.reason : 'fault';
    const failure = { reason, message: messageOf(error) };
    const log = this.#lastFailure?.reason === reason ? logger.debug : logger.warn;
    log('list failed', { resource, list: source.what, reason, error: failure.message });
    this.#lastFailure = failure;
    observer.watchConnected(resource, '', false);
    this.firstList.failed(error);
  }
}

function tooMany({ what }: PolledSource): RequestError {
  return new RequestError('too_large', `${what}: more than ${maxObjectCount} objects, which no real node has`);
}
