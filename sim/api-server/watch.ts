import type { ServerResponse } from 'node:http';

import type { Clock } from '../../src/lib/base/clock.js';
import { goJson } from '../model/object-format.js';
import { ApiError } from './error.js';
import { checkWatchOptions, type ListRequest, numberParameter, parseVersion, selection } from './list.js';
import type { Representation } from './representation.js';
import { flagParameter } from './request.js';
import type { Predicate } from './selectors.js';
import {
  atVersion,
  type EventType,
  type ObjectStore,
  type StoredObject,
  type StoreEvent,
} from './versioned-objects.js';

export interface WatchOptions {
  readonly store: ObjectStore;
  readonly request: ListRequest;
  readonly representation: Representation;
  readonly clock: Clock;
  /** From 0 to 1; randomizes the duration of watches without a time limit. */
  readonly random: () => number;
  /** Whether events are lost at present. */
  readonly losesEvents: () => boolean;
}

const bookmarkPeriodMs = 60_000;
const lastBookmarkMs = 2_000;
const shortestLimitMs = 30 * 60 * 1000;

/**
 * One watch request, from its headers to its end.
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes
 */
export class Watch {
  readonly #options: WatchOptions;
  readonly #isSelected: Predicate;
  /** Events up to this resourceVersion are not sent; undefined to start with all objects. */
  readonly #from: number | undefined;
  readonly #hasBookmarks: boolean;
  readonly #limitMs: number;

  /** Throws an ApiError that becomes a status response instead of a stream. */
  constructor(options: WatchOptions) {
    const { request, random } = options;
    const { query } = request;
    checkWatchOptions(query);
    this.#options = options;
    this.#isSelected = selection(request);
    const version = query.get('resourceVersion') ?? '';
    this.#from = version === '' || version === '0' ? undefined : parseVersion(version);
    this.#hasBookmarks = flagParameter(query, 'allowWatchBookmarks');
    this.#limitMs = numberParameter(query, 'timeoutSeconds') * 1000 || shortestLimitMs * (1 + random());
  }

  /** Streams until the time limit, or until the client or the server ends the connection. */
  async run(response: ServerResponse): Promise<void> {
    const disconnected = new AbortController();
    response.once('close', () => {
      disconnected.abort();
    });
    response.writeHead(200, { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' });
    response.flushHeaders();
    const send = (type: string, object: object): void => {
      response.write(`${goJson({ type, object })}\n`);
    };
    try {
      this.#sendPast(send);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      send('ERROR', error.toStatus()); // a watch from the past is answered with 200
      response.end();
      return;
    }
    const unsubscribe = this.#options.store.subscribe((event) => {
      this.#send(event, send);
    });
    try {
      await this.#wait(send, disconnected.signal);
    } finally {
      unsubscribe();
      response.end();
    }
  }

  #sendPast(send: Send): void {
    const { store, request, representation } = this.#options;
    if (this.#from !== undefined) {
      for (const event of store.eventsAfter(this.#from)) this.#send(event, send);
      return;
    }
    for (const [, stored] of store.latest(request.resource).entries) {
      if (this.#isSelected(stored)) send('ADDED', representation.object(stored));
    }
  }

  #send({ resourceVersion, type, stored, previous }: StoreEvent, send: Send): void {
    const { request, representation, losesEvents } = this.#options;
    if (losesEvents() || stored.resource !== request.resource || resourceVersion <= (this.#from ?? 0)) return;
    const seenType = this.#seenType(type, stored, previous);
    if (seenType === undefined) return;
    // An object that was deleted or no longer matches is sent in its last matching state.
    const seen = seenType === 'DELETED' && previous !== undefined ? atVersion(previous, resourceVersion) : stored;
    send(seenType, representation.object(seen));
  }

  /** For the watcher, an object that starts or stops matching is added or deleted. */
  #seenType(type: EventType, stored: StoredObject, previous: StoredObject | undefined): EventType | undefined {
    const was = previous !== undefined && this.#isSelected(previous);
    const is = type !== 'DELETED' && this.#isSelected(stored);
    if (was) return is ? 'MODIFIED' : 'DELETED';
    return is ? 'ADDED' : undefined;
  }

  /** Sends bookmarks each minute and shortly before the time limit; resolves at the limit or when the client disconnects. */
  async #wait(send: Send, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const startMs = clock.monotonicMs();
    const until = async (atMs: number): Promise<void> => clock.sleep(startMs + atMs - clock.monotonicMs(), signal);
    try {
      for (const atMs of bookmarkTimes(this.#limitMs)) {
        await until(atMs);
        this.#sendBookmark(send);
      }
      await until(this.#limitMs);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** A real server has none for the version that a watch started from: in a real cluster, others move it all the time. */
  #sendBookmark(send: Send): void {
    const { store, representation } = this.#options;
    if (!this.#hasBookmarks || store.resourceVersion < (this.#from ?? 0)) return;
    send('BOOKMARK', representation.bookmark(String(store.resourceVersion)));
  }
}

type Send = (type: string, object: object) => void;

function* bookmarkTimes(limitMs: number): Generator<number> {
  for (let atMs = bookmarkPeriodMs; atMs < limitMs - lastBookmarkMs; atMs += bookmarkPeriodMs) yield atMs;
  if (limitMs > lastBookmarkMs) yield limitMs - lastBookmarkMs;
}
