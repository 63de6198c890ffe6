import { setMaxListeners } from 'node:events';

import type { Clock } from '../../lib/base/clock.js';
import { messageOf } from '../../lib/base/errors.js';
import type { Lane } from '../../lib/base/lane.js';
import type { Logger } from '../../lib/base/logger.js';
import type { Scheduler } from '../../lib/base/scheduler.js';
import type { ApiTransport } from '../http/api-client.js';
import type { StoredObject } from '../kube/objects.js';
import { ObjectStore, type StoreChange } from './object-store.js';
import { Reflector } from './reflector.js';
import { type Subscriber, Subscription } from './subscription.js';
import type { Tombstones } from './tombstones.js';
import type { WatchObserver } from './watch-observer.js';
import type { WatchedCollection } from './watched-collection.js';

/**
 * The objects of a collection, kept up to date by list and watch, for any number of users: one store, and one list and watch
 * for each namespace.
 */
export class SharedWatch<T extends StoredObject> {
  readonly objects: ObjectStore<T>;
  /** Objects that were removed recently, from this watch or another of the resource. */
  readonly removed: Tombstones;
  readonly startedAtMs: number;
  readonly #collection: WatchedCollection<T>;
  readonly #options;
  readonly #lane: Lane;
  readonly #subscriptions = new Set<Subscription<T>>();
  /** One for each namespace, or one for all. */
  readonly scopes: readonly Reflector<T>[];
  #hasEnded = false;

  constructor(
    collection: WatchedCollection<T>,
    options: {
      readonly api: ApiTransport;
      readonly clock: Clock;
      /** From 0 to 1, 1 excluded. */
      readonly random: () => number;
      readonly logger: Logger;
      readonly observer: WatchObserver;
      readonly removed: Tombstones;
      /** Lists are read in the background. */
      readonly scheduler: Scheduler;
    },
  ) {
    const { clock } = options;
    const { namespaceOf, groupOf, namespaces } = collection;
    this.#collection = collection;
    this.#options = options;
    this.#lane = options.scheduler.newLane();
    this.startedAtMs = clock.monotonicMs();
    this.removed = options.removed;
    this.objects = new ObjectStore({
      namespaceOf,
      groupOf,
      lane: this.#lane,
      onChanges: (changes) => {
        this.#changed(changes);
      },
    });
    this.scopes = (namespaces.length === 0 ? [''] : namespaces).map((namespace) => this.#scopeOf(namespace));
  }

  /** Resolves when all lists and watches have ended after the signal; never rejects. Nothing is delivered from then on. */
  async run(signal: AbortSignal): Promise<void> {
    setMaxListeners(0, signal); // each watch has one
    const { startsWithinMs } = this.#collection;
    const { clock, random } = this.#options;
    if (startsWithinMs > 0) await clock.sleep(startsWithinMs * random(), signal).catch(() => undefined);
    await Promise.all(this.scopes.map((scope) => scope.run(signal)));
    this.#hasEnded = true;
    for (const subscription of [...this.#subscriptions]) subscription[Symbol.dispose]();
  }

  /**
   * Tells of all objects, then of each change, without a gap or a repetition: see {@link Subscription}. Each call is a
   * subscription of its own. Throws when the watch has ended.
   */
  subscribe(subscriber: Subscriber<T>): Subscription<T> {
    const { resource } = this.#collection;
    if (this.#hasEnded) throw new Error(`the watch of ${resource} has ended: "${subscriber.name}" cannot subscribe`);
    const subscription = new Subscription<T>(subscriber, {
      objects: [...this.objects.values()],
      listed: this.synced(),
      lane: this.#lane,
      onError: (error, isRepeated) => {
        this.#subscriberFailed(subscriber, error, isRepeated);
      },
      onDispose: () => {
        this.#subscriptions.delete(subscription);
      },
    });
    this.#subscriptions.add(subscription);
    return subscription;
  }

  get subscriptionCount(): number {
    return this.#subscriptions.size;
  }

  /** Resolves when everything has been listed once. */
  async synced(): Promise<void> {
    await Promise.all(this.scopes.map((scope) => scope.firstList.synced));
  }

  #scopeOf(namespace: string): Reflector<T> {
    const { namespaceOf } = this.#collection;
    return new Reflector<T>({
      ...this.#collection,
      ...this.#options,
      background: this.#options.scheduler.background,
      namespace: namespace === '' ? undefined : namespace,
      store: this.objects,
      isInScope: (object) => namespace === '' || namespaceOf(object) === namespace,
    });
  }

  /** Adds the changes for all readers at once, so that the next subscriber gets none of them. */
  #changed(changes: readonly StoreChange<T>[]): void {
    const { removedIdOf } = this.#collection;
    for (const { type, object } of changes) {
      if (type === 'removed') this.removed.add(removedIdOf(object));
      // Of a first list of 150,000 pods, the hashes of all IDs would take some 50 ms.
      else if (!this.removed.isEmpty) this.removed.delete(removedIdOf(object));
    }
    for (const subscription of this.#subscriptions) subscription.add(changes);
  }

  #subscriberFailed({ name: subscriber }: Subscriber<T>, error: unknown, isRepeated: boolean): void {
    const { resource } = this.#collection;
    const { observer, logger } = this.#options;
    observer.subscriberFailed(resource);
    const log = isRepeated ? logger.debug : logger.error;
    log('a change could not be processed', { resource, subscriber, error: messageOf(error) });
  }
}
