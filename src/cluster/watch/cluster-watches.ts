import { supervise } from '../../lib/base/lifetime.js';
import { createDedupe, createInterner } from '../kube/dedupe.js';
import type { Node, Pod, StoredObject } from '../kube/objects.js';
import type { Resource } from './resource-path.js';
import { SharedWatch } from './shared-watch.js';
import { Tombstones } from './tombstones.js';
import {
  type WatchedCollection,
  watchedNodes,
  type WatchedNodesOptions,
  watchedPods,
  type WatchedPodsOptions,
} from './watched-collection.js';

/** A watch without users goes on for this time: settings are often changed several times in a row. */
export const lingerMs = 30_000;

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
 * watch runs from its first use until 30 s after its last one. What was removed is remembered for all: no list shows it.
 */
export class SharedWatches<T extends StoredObject> implements AsyncDisposable {
  readonly #options;
  readonly #watches = new Map<string, KnownWatch<T>>();
  readonly #ending = new Set<Promise<void>>();
  #isDisposed = false;

  /** `onUnexpectedEnd`: called when a watch has ended although nothing stopped it. */
  constructor(
    options: ConstructorParameters<typeof SharedWatch>[1] & { readonly onUnexpectedEnd: (error: Error) => void },
  ) {
    this.#options = options;
  }

  get watchCount(): number {
    return this.#watches.size;
  }

  get subscriptionCount(): number {
    return [...this.#watches.values()].reduce((sum, { watch }) => sum + watch.subscriptionCount, 0);
  }

  /** Returns a watch that may be used until it is disposed of here. Throws when the watches have been disposed of. */
  acquire(collection: WatchedCollection<T>): { readonly watch: SharedWatch<T> } & Disposable {
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
    const running = supervise({
      ...this.#options,
      name: `the watch of ${collection.resource}`,
      running: watch.run(stopping.signal),
      signal: stopping.signal,
    });
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

/** Names, label keys and label values of a large cluster: half of them are 30,000 of 30 characters. */
const maxInternedBytes = 8 * 2 ** 20;

/** The watches of nodes and pods of one API server with one set of credentials. Live longer than the settings that use them. */
export class ClusterWatches implements AsyncDisposable {
  readonly #podOptions;
  readonly #nodes: SharedWatches<Node>;
  readonly #pods: SharedWatches<Pod>;
  readonly #values = { intern: createInterner(maxInternedBytes), dedupe: createDedupe() };

  /** `nodeLocalSpreadMs`: see {@link WatchedPodsOptions}. Default: 0. `tombstones`: default: none yet. */
  constructor({
    nodeLocalSpreadMs = 0,
    tombstones,
    ...options
  }: Omit<ConstructorParameters<typeof SharedWatches>[0], 'removed'> & {
    readonly nodeLocalSpreadMs?: number;
    readonly tombstones?: Readonly<Record<Resource, Tombstones>>;
  }) {
    const { clock } = options;
    this.#podOptions = { clock, nodeLocalSpreadMs };
    this.#nodes = new SharedWatches({ ...options, removed: tombstones?.nodes ?? new Tombstones(clock) });
    this.#pods = new SharedWatches({ ...options, removed: tombstones?.pods ?? new Tombstones(clock) });
  }

  get watchCount(): number {
    return this.#nodes.watchCount + this.#pods.watchCount;
  }

  get subscriptionCount(): number {
    return this.#nodes.subscriptionCount + this.#pods.subscriptionCount;
  }

  /** Returns the same watch for equal options: see {@link SharedWatches.acquire}. */
  nodes(options: WatchedNodesOptions) {
    return this.#nodes.acquire(watchedNodes(options, this.#values));
  }

  /** See `nodes`. */
  pods(options: Omit<WatchedPodsOptions, 'clock' | 'nodeLocalSpreadMs'>) {
    return this.#pods.acquire(watchedPods({ ...options, ...this.#podOptions }, this.#values));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#nodes[Symbol.asyncDispose](), this.#pods[Symbol.asyncDispose]()]);
  }
}
