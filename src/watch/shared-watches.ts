import { supervise } from '../base/lifetime.js';
import type { StoredObject } from './object-store.js';
import { SharedWatch, type SharedWatchOptions } from './shared-watch.js';
import type { WatchedCollection } from './watched-collection.js';

/** A watch without users goes on for this time: settings are often changed several times in a row. */
export const lingerMs = 30_000;

export interface SharedWatchesOptions extends SharedWatchOptions {
  /** Told when a watch has ended although nothing stopped it. */
  readonly onUnexpectedEnd: (error: Error) => void;
}

/** The right to use a watch until it is disposed of. */
export interface WatchLease<T extends StoredObject> extends Disposable {
  readonly watch: SharedWatch<T>;
}

interface KnownWatch<T extends StoredObject> {
  readonly watch: SharedWatch<T>;
  readonly stopping: AbortController;
  readonly running: Promise<void>;
  leaseCount: number;
  /** Ends the time without users; undefined while there are some. */
  lingering: AbortController | undefined;
}

/**
 * The watches of one resource, of one API server with one set of credentials: one for each collection, for all that need it. A
 * watch runs from its first use until 30 s after its last one.
 */
export class SharedWatches<T extends StoredObject> implements AsyncDisposable {
  readonly #options: SharedWatchesOptions;
  readonly #watches = new Map<string, KnownWatch<T>>();
  readonly #ending = new Set<Promise<void>>();
  #isDisposed = false;

  constructor(options: SharedWatchesOptions) {
    this.#options = options;
  }

  get watchCount(): number {
    return this.#watches.size;
  }

  get subscriptionCount(): number {
    return Array.from(this.#watches.values(), ({ watch }) => watch.subscriptionCount).reduce(
      (sum, count) => sum + count,
      0,
    );
  }

  /** Throws when the watches have been disposed of. */
  acquire(collection: WatchedCollection<T>): WatchLease<T> {
    if (this.#isDisposed) throw new Error(`the watches have ended: ${collection.resource} cannot be watched`);
    const { identity } = collection;
    const known = this.#watches.get(identity) ?? this.#start(collection);
    known.leaseCount += 1;
    known.lingering?.abort(new Error('in use again'));
    known.lingering = undefined;
    let isReleased = false;
    return {
      watch: known.watch,
      [Symbol.dispose]: () => {
        if (!isReleased) this.#release(identity, known);
        isReleased = true;
      },
    };
  }

  /** Ends all watches at once, whether or not they are in use. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    for (const [identity, known] of [...this.#watches]) this.#end(identity, known);
    await Promise.all(this.#ending);
  }

  #start(collection: WatchedCollection<T>): KnownWatch<T> {
    const stopping = new AbortController();
    const watch = new SharedWatch(collection, this.#options);
    const { signal } = stopping;
    const name = `the watch of ${collection.resource}`;
    const { onUnexpectedEnd } = this.#options;
    const running = supervise({ name, running: watch.run(signal), signal, onUnexpectedEnd });
    const known = { watch, stopping, running, leaseCount: 0, lingering: undefined };
    this.#watches.set(collection.identity, known);
    return known;
  }

  #release(identity: string, known: KnownWatch<T>): void {
    known.leaseCount -= 1;
    if (known.leaseCount > 0 || this.#isDisposed) return;
    known.lingering = new AbortController();
    this.#options.clock.sleep(lingerMs, known.lingering.signal).then(
      () => {
        this.#end(identity, known);
      },
      () => undefined, // in use again
    );
  }

  #end(identity: string, { stopping, running, lingering }: KnownWatch<T>): void {
    this.#watches.delete(identity);
    lingering?.abort(new Error('stopped'));
    stopping.abort(new Error('stopped'));
    const ending = running.finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }
}
